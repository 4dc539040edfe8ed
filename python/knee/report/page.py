"""The page: one file with everything in it. It opens from a disk or a mail attachment and needs no network."""

from __future__ import annotations

import json
import math
from functools import cache
from importlib import resources
from typing import Any

import vl_convert as vlc
from jinja2 import Environment
from markupsafe import Markup

from knee import __version__
from knee.opened import OpenedStudy
from knee.plots.style import config
from knee.report import facts
from knee.report.figures import Figure, figures
from knee.store import finite

SCRIPT_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""Inside a script element no character may end it or begin another."""


def page(study: OpenedStudy) -> str:
    """Return the report of a study as HTML."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["number"] = number
    drawn = figures(study)
    groups: dict[str, list[Figure]] = {}
    for figure in drawn:
        groups.setdefault(figure.group or figure.name, []).append(figure)
    return environment.from_string(_resource("page.html.j2")).render(
        study=study,
        analysis=study.analysis,
        groups=groups,
        curves=facts.curve_rows(study.analysis),
        accounts=facts.account_rows(study.analysis),
        contrasts=facts.contrast_rows(study.analysis),
        facts=facts.fact_rows(study.machine),
        design=facts.design_rows(study),
        unknown=facts.unknown(study),
        version=__version__,
        style=Markup(_resource("page.css")),
        script=Markup(_resource("page.js")),
        bundle=Markup(_bundle()),
        data=Markup(_json(_data(study, drawn))),
    )


def _data(study: OpenedStudy, drawn: list[Figure]) -> dict[str, Any]:
    from knee.report.export import specification

    return {
        "name": study.name,
        "configs": {"light": config("light"), "dark": config("dark")},
        "figures": {figure.name: _embedded(specification(figure), figure.rows) for figure in drawn},
        "analysis": study.analysis.to_json(),
    }


def _embedded(spec: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Keep a table out where the specification carries it already."""
    same = spec.get("data", {}).get("values") == rows
    return {"spec": spec} if same else {"spec": spec, "rows": rows}


def _json(value: object) -> str:
    return json.dumps(finite(value), separators=(",", ":")).translate(SCRIPT_SAFE)


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    bundle: str = vlc.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", r"<\/script")


def _resource(name: str) -> str:
    return resources.files("knee.report").joinpath(name).read_text(encoding="utf-8")


def number(value: float | int | str | None) -> str:
    """Return a number as a reader wants it: three significant digits or so, a dash when it is not known."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.3e}"
    return str(value)
