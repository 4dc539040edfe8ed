"""Writes a study in the form that was asked for: page, pictures, or numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert as vlc

from knee.opened import OpenedStudy
from knee.plots.style import Ground, config
from knee.report.figures import Figure, figures
from knee.report.page import page
from knee.store import StudyError, write_whole

PAPER_WIDTH = 560
"""Pixels of a figure that has no page to fill."""


def export(study: OpenedStudy, form: str) -> list[Path]:
    """Write the study as ``html``, ``svg``, ``png``, ``pdf`` or ``json`` into its folder, and return the files.

    Raises
    ------
    StudyError
        When a file cannot be written.
    """
    folder = study.folder.path
    try:
        if form == "html":
            write_whole(folder / "report.html", page(study))
            return [folder / "report.html"]
        if form == "json":
            write_whole(folder / "analysis.json", json.dumps(study.analysis.to_json(), indent=1) + "\n")
            return [folder / "analysis.json"]
        target = folder / "figures"
        target.mkdir(exist_ok=True)
        return [_picture(figure, form, target) for figure in figures(study)]
    except OSError as error:
        raise StudyError(f"cannot write the report: {error.filename or folder}: {error.strerror}") from error


def specification(figure: Figure, ground: Ground | None = None) -> dict[str, Any]:
    """Return a figure's Vega-Lite specification; with a ground also its colours, without for a page that sets them."""
    spec: dict[str, Any] = figure.chart.to_dict()
    spec.pop("config", None)
    return spec if ground is None else spec | {"config": config(ground), "width": PAPER_WIDTH}


def _picture(figure: Figure, form: str, folder: Path) -> Path:
    spec = specification(figure, "light")
    makers: dict[str, Callable[[], bytes]] = {
        "svg": lambda: vlc.vegalite_to_svg(spec).encode(),
        "png": lambda: vlc.vegalite_to_png(spec, scale=2),
        "pdf": lambda: vlc.vegalite_to_pdf(spec),
    }
    path = folder / f"{figure.name}.{form}"
    path.write_bytes(makers[form]())
    return path
