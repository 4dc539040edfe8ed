"""Writes a study in the form that was asked for: page, pictures, or numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert as vlc

from knee.opened import Study
from knee.plots.figure import Figure
from knee.report.page import page
from knee.report.specification import specification
from knee.store import StudyError, write_whole


def export(study: Study, form: str, into: Path | None = None, mark: str = "") -> list[Path]:
    """Write the study as ``html``, ``svg``, ``png``, ``pdf`` or ``json``, and return the files.

    They go into the study's own folder, or ``into`` another one; ``mark`` is added to their names.

    Raises
    ------
    StudyError
        When a file cannot be written.
    """
    folder = into or study.folder.path
    try:
        if form == "html":
            write_whole(folder / f"report{mark}.html", page(study))
            return [folder / f"report{mark}.html"]
        if form == "json":
            write_whole(folder / f"analysis{mark}.json", json.dumps(study.analysis.to_json(), indent=1) + "\n")
            return [folder / f"analysis{mark}.json"]
        target = folder / f"figures{mark}"
        target.mkdir(exist_ok=True)
        return [_picture(figure, form, target) for figure in study.figures]
    except OSError as error:
        raise StudyError(f"cannot write the report: {error.filename or folder}: {error.strerror}") from error


def _chosen(spec: dict[str, Any]) -> str:
    """Say what the menus of a figure show at first: a picture has no menus."""
    menus = [one for one in spec.get("params", []) if "bind" in one]
    return "; ".join(f"{one['bind']['name'].strip()}: {one['value']}" for one in menus)


def _picture(figure: Figure, form: str, folder: Path) -> Path:
    spec = specification(figure, "light")
    spec |= {"title": _chosen(spec)} if _chosen(spec) else {}
    makers: dict[str, Callable[[], bytes]] = {
        "svg": lambda: vlc.vegalite_to_svg(spec).encode(),
        "png": lambda: vlc.vegalite_to_png(spec, scale=2),
        "pdf": lambda: vlc.vegalite_to_pdf(spec),
    }
    path = folder / f"{figure.name}.{form}"
    path.write_bytes(makers[form]())
    return path
