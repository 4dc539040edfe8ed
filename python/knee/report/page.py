"""The page: one file with everything in it. It opens from a disk or a mail attachment and needs no network."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib import resources
from typing import Any

from altair.utils.schemapi import debug_mode
from jinja2 import Environment
from markupsafe import Markup

from knee import __version__
from knee.explain.scaling.accounting import TAKEN
from knee.opened import Study
from knee.plots.figure import Figure
from knee.plots.style import config
from knee.report.bundle import bundle
from knee.report.specification import specification
from knee.report.tables import counters, facts
from knee.report.tables import factorial as factorial_tables
from knee.report.tables.design import MOST_PROGRAMS, design_rows, programs
from knee.store import finite

SCRIPT_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Inside a script element no character may end it or begin another."""


def page(study: Study) -> str:
    """Return the report of a study as HTML."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = number
    # What we draw is checked by our tests: to have Altair check it again takes longer than to draw it.
    with debug_mode(False):
        drawn = study.figures
    groups: dict[str, list[Figure]] = {}
    for figure in drawn:
        groups.setdefault(figure.group or figure.name, []).append(figure)
    return environment.from_string(_resource("page.html.j2")).render(
        study=study,
        analysis=study.analysis,
        groups=groups,
        curves=facts.curve_rows(study.analysis),
        scales=study.analysis.scales,
        summaries=facts.scaling_rows(study.analysis),
        base=facts.base_words(study.analysis),
        base_of={series.name: series.curve.base for series in study.analysis.series},
        bases=facts.base_lines(study.analysis),
        claims=facts.claim_rows(study.analysis),
        checklist=facts.checklist_rows(study.analysis),
        variations=_variations(study),
        accounts=facts.account_rows(study.analysis),
        taken=TAKEN,
        counted=counters.counter_rows(study.analysis.counters),
        parts=counters.part_rows(study.analysis.counters),
        notes=counters.notes(study.analysis.counters),
        contrasts=facts.contrast_rows(study.analysis),
        facts=facts.fact_rows(study.machine),
        design=design_rows(study),
        programs=programs(study),
        most_programs=MOST_PROGRAMS,
        unknown=facts.unknown(study),
        version=__version__,
        style=Markup(_resource("page.css")),
        script=Markup(_resource("page.js")),
        bundle=Markup(bundle()),
        data=Markup(_json(_data(study, drawn))),
    )


def _variations(study: Study) -> list[dict[str, Any]]:
    """Return what explains the variation of what the study measures, and of the other responses that it names."""
    analyses = [("", study.analysis.factorial), *study.analysis.responses.items()]
    return [
        {
            "title": "What explains the variation" + (f" of {name}" if name else ""),
            "head": [f"{one}."] if isinstance(one, str) else factorial_tables.head(study.name, one),
            "parts": [] if isinstance(one, str) else factorial_tables.parts(one),
        }
        for name, one in analyses
        if one is not None
    ]


def _data(study: Study, drawn: list[Figure]) -> dict[str, Any]:
    return {
        "name": study.name,
        "configs": {"light": config("light"), "dark": config("dark")},
        "figures": {figure.name: _embedded(specification(figure, checked=False), figure.rows) for figure in drawn},
        "analysis": study.analysis.to_json(),
    }


def _embedded(spec: dict[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Keep a table out where the specification carries it already."""
    same = spec.get("data", {}).get("values") == rows
    return {"spec": spec} if same else {"spec": spec, "rows": rows}


def _json(value: object) -> str:
    return json.dumps(finite(value), separators=(",", ":")).translate(SCRIPT_SAFE)


def _resource(name: str) -> str:
    return resources.files("knee.report").joinpath(name).read_text(encoding="utf-8")


def number(value: float | int | str | None) -> str:
    """Return a number as a reader wants it: three significant digits or so, a dash when it is not known."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return str(value)
