"""The report as one HTML file that opens from a disk or a mail attachment, without a network."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from altair.utils.schemapi import debug_mode
from jinja2 import Environment
from markupsafe import Markup, escape

from knee import __version__
from knee.explain.ledger.ledger import TAKEN
from knee.opened import Study
from knee.plots.figure import Figure
from knee.plots.style import config
from knee.report.bundle import bundle
from knee.report.first_screen import first_screen
from knee.report.packed import packed
from knee.report.specification import specification
from knee.report.tables import counters, facts, why
from knee.report.tables import factorial as factorial_tables
from knee.report.tables.design import MOST_PROGRAMS, design_rows, programs
from knee.report.tables.evidence import evidence_rows
from knee.store import finite, shown, shown_within

SCRIPT_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Characters that could end a script element or begin another, escaped."""

HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>')


def page(study: Study) -> str:
    """Return the report of a study as HTML."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_shown)
    environment.filters |= {"number": number, "written": _written}
    # Tests check every chart against Vega-Lite's schema; checking again here would take longer than drawing.
    with debug_mode(False):
        drawn = study.figures
    placed = {where: _grouped([one for one in drawn if _where(one) == where]) for where in ("main", "more", "models")}
    return environment.from_string(_resource("page.html.j2")).render(
        study=study,
        analysis=study.analysis,
        first=first_screen(study),
        headings=headings,
        **placed,
        missing=study.missing,
        has_runs=any(figure.name == "runs" for figure in drawn),
        curves=facts.curve_rows(study.analysis),
        scales=study.analysis.scales,
        summaries=facts.scaling_rows(study.analysis),
        base=facts.base_words(study.analysis),
        base_of={series.name: series.curve.base for series in study.analysis.series},
        bases=facts.base_lines(study.analysis),
        baselines=facts.baseline_lines(study.analysis),
        claims=facts.claim_rows(study.analysis),
        evidence=evidence_rows(study),
        checklist=facts.checklist_rows(study.analysis),
        variations=_variations(study),
        ledgers=facts.ledger_rows(study.analysis),
        taken=TAKEN,
        left_out=why.left_out(study.analysis),
        causes=why.cause_rows(study.analysis),
        doubts=why.doubts(study.analysis),
        checked=why.checked(study.analysis),
        placements=why.placement_rows(study.analysis),
        phases=why.phase_rows(study.analysis),
        tried=why.tried_rows(study.analysis),
        tried_together=sum(one.rejected is None for one in study.analysis.tried),
        counted=counters.counter_rows(study.analysis.counters),
        parts=counters.part_rows(study.analysis.counters),
        notes=counters.notes(study.analysis.counters),
        contrasts=facts.contrast_rows(study.analysis),
        facts=facts.fact_rows(study.machine),
        design=design_rows(study),
        programs=shown_within(programs(study)),
        most_programs=MOST_PROGRAMS,
        unknown=facts.unknown(study),
        version=__version__,
        style=Markup(_resource("page.css")),
        script=Markup(_resource("page.js")),
        bundle=Markup(bundle()),
        data=Markup(_json(packed(_data(study, drawn)))),
    )


def _where(figure: Figure) -> str:
    """Return a figure's position on the page: speedup first, figures of a factorial analysis last."""
    if figure.response is not None:
        return "models"
    return "main" if (figure.group or figure.name) == "speedup" else "more"


def _grouped(figures: Sequence[Figure]) -> dict[str, list[Figure]]:
    """Return figures by group; a reader switches between those of one group."""
    groups: dict[str, list[Figure]] = {}
    for figure in figures:
        groups.setdefault(figure.group or figure.name, []).append(figure)
    return groups


def headings(text: str) -> list[tuple[str, Markup]]:
    """Return id and title of every main heading of a page, for its contents."""
    return [(name, Markup(title)) for name, title in HEADING.findall(text)]


def _variations(study: Study) -> list[dict[str, Any]]:
    """Return the analysis of variance of what the study measures, then of each other response in its file."""
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
    """Return a figure's specification, and its table unless the specification contains it."""
    same = spec.get("data", {}).get("values") == rows
    return {"spec": spec} if same else {"spec": spec, "rows": rows}


def _json(value: object) -> str:
    return json.dumps(shown_within(finite(value)), separators=(",", ":")).translate(SCRIPT_SAFE)


def _shown(value: object) -> object:
    """Return a value for the template: plain text with control characters escaped. Our own markup contains none."""
    return shown(value) if type(value) is str else value


def _written(value: object) -> Markup:
    """Return plain data as JSON over several lines, with a user's letters as they are."""
    return escape(shown(json.dumps(value, indent=1, ensure_ascii=False)))


def _resource(name: str) -> str:
    return resources.files("knee.report").joinpath(name).read_text(encoding="utf-8")


def number(value: float | int | str | None) -> str:
    """Return a number with four significant digits, or a dash when it is unknown."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return str(value)
