"""Draws speedups over time into a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knee.explain.comparison.history import History, Past
from knee.plots.figure import Figure
from knee.plots.history import chart
from knee.report.export import PICTURES, picture_of
from knee.store import StudyError, write_whole


def draw(history: History, path: Path) -> None:
    """Write the picture, in the format of the file's ending.

    Raises
    ------
    StudyError
        If the format is unknown, or the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    if form not in PICTURES:
        hint = f"a name that ends in .{', .'.join(PICTURES)}"
        raise StudyError(f"cannot draw {path}: unknown kind of picture", hint=hint)
    rows = [_row(one) for one in history.points]
    sees = "A bar is a 90 % interval. Studies stand in the order of their dates."
    try:
        write_whole(path, picture_of(Figure("history", "Speedup over time", sees, chart(rows), rows), form))
    except OSError as error:
        raise StudyError(f"cannot write {path}: {error.strerror}") from error


def _row(one: Past) -> dict[str, Any]:
    return {
        "study": f"{one.date[:10]} {Path(one.study).name}",
        "series": one.line,
        "threads": one.threads,
        "speedup": one.speedup,
        "low": one.interval.low,
        "high": one.interval.high,
        "change": one.change,
    }
