"""Writes a study in the format that was asked for: page, Markdown, pictures, or numbers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import vl_convert as vlc

from knee.opened import Study
from knee.plots.figure import Figure
from knee.report.markdown import markdown
from knee.report.page import page
from knee.report.specification import specification
from knee.store import StudyError, make_folder, shown, shown_within, write_whole

FILES = {"html": "report.html", "json": "analysis.json", "md": "report.md"}
"""The file of each format that has one."""

PICTURES: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "svg": lambda spec: shown(vlc.vegalite_to_svg(spec)).encode(),
    "png": lambda spec: vlc.vegalite_to_png(spec, scale=2),
    "pdf": vlc.vegalite_to_pdf,
}
"""Formats of pictures, each with what draws a specification in it."""


def export(study: Study, form: str, into: Path | None = None, mark: str = "") -> list[Path]:
    """Write the study as ``html``, ``md``, ``svg``, ``png``, ``pdf`` or ``json``, and return the files.

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
            write_whole(folder / f"analysis{mark}.json", shown(json.dumps(study.analysis.to_json(), indent=1)) + "\n")
            return [folder / f"analysis{mark}.json"]
        target = folder / f"figures{mark}"
        if form == "md":
            return _markdown(study, folder / f"report{mark}.md", target)
        make_folder(target)
        return [_picture(figure, form, target) for figure in study.figures]
    except OSError as error:
        hint = f"report on a copy: cp -r --no-preserve=mode {shlex.quote(str(folder))} FOLDER, and knee report FOLDER"
        raise StudyError(f"cannot write the report: {error.filename or folder}: {error.strerror}", hint=hint) from error
    except ValueError as error:
        # Vega takes names such as `constructor` for its own.
        raise StudyError(f"cannot draw a figure: {error}", hint="rename levels that are words of JavaScript") from error


def made(folder: Path) -> list[str]:
    """Return the formats of the report that a folder has."""
    forms = [form for form, file in FILES.items() if (folder / file).exists()]
    # The report in Markdown has one picture of its own.
    own = {"speedup.svg"} if "md" in forms else set[str]()
    pictures = {path.suffix.removeprefix(".") for path in (folder / "figures").glob("*.*") if path.name not in own}
    return [*forms, *(form for form in PICTURES if form in pictures)]


def _markdown(study: Study, path: Path, figures: Path) -> list[Path]:
    """Write the report and the picture of the speedup that it shows."""
    drawn = [figure for figure in study.figures if figure.name == "speedup"]
    if drawn:
        make_folder(figures)
    pictures = [_picture(figure, "svg", figures) for figure in drawn]
    first = pictures[0].relative_to(path.parent).as_posix() if pictures else None
    write_whole(path, markdown(study, first))
    return [path, *pictures]


def _chosen(spec: dict[str, Any]) -> str:
    """Return what the menus of a figure show first, as a title: a picture has no menus."""
    menus = [one for one in spec.get("params", []) if "bind" in one]
    return "; ".join(f"{one['bind']['name'].strip()}: {one['value']}" for one in menus)


def _picture(figure: Figure, form: str, folder: Path) -> Path:
    path = folder / f"{figure.name}.{form}"
    write_whole(path, picture_of(figure, form))
    return path


def picture_of(figure: Figure, form: str) -> bytes:
    """Return a figure as a picture in one of the formats of ``PICTURES``."""
    spec = shown_within(specification(figure, "light"))
    spec |= {"title": _chosen(spec)} if _chosen(spec) else {}
    return PICTURES[form](spec)
