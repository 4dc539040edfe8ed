"""Draws speedups over time into a picture."""

from __future__ import annotations

from collections.abc import Sequence
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
    labels = _labels(history.points)
    rows = [_row(one, labels[one.study]) for one in history.points]
    sees = "A bar is a 90 % interval. Studies stand in the order of their dates."
    try:
        write_whole(path, picture_of(Figure("history", "Speedup over time", sees, chart(rows), rows), form))
    except OSError as error:
        raise StudyError(f"cannot write {path}: {error.strerror}", hint="give another path with --out FILE") from error


def _labels(points: Sequence[Past]) -> dict[str, str]:
    """Return a label of each study, in the shortest form that tells all of them apart."""
    dates = {one.study: one.date for one in points}
    forms = (
        {study: f"{date[:10]} {Path(study).name}" for study, date in dates.items()},
        {study: f"{date[:16]} {Path(study).name}" for study, date in dates.items()},
        {study: f"{date[:16]} {study}" for study, date in dates.items()},
    )
    return next((form for form in forms if len(set(form.values())) == len(form)), forms[-1])


def _row(one: Past, label: str) -> dict[str, Any]:
    return {
        "study": label,
        "series": one.line,
        "threads": one.threads,
        "speedup": one.speedup,
        "low": one.interval.low,
        "high": one.interval.high,
        "change": one.change,
    }
