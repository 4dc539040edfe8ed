"""Run time over thread counts on logarithmic axes: every run, and the geometric mean of each cell."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import altair as alt

from knee.plots.figure import Figure, Members, StudyData
from knee.plots.style import HEIGHT, Chart, channels, log_axis, of_rows, threads_axis, tips
from knee.stats.scaling.curve import Curve

TITLE = "Run time"
EACH = "Each small mark is a run; their spread is the noise."
SEES = f"With full speedup the curve would be a straight line down. {EACH}"
WEAK_SEES = f"The work grows with the threads, so the ideal is a level line. {EACH}"


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where there is any series."""
    if not study.curves:
        return []
    times = chart(study.curves, study.timed, study.counterfactuals)
    sees = EACH if not study.scales else WEAK_SEES if study.weak else SEES
    return [Figure("run-time", TITLE, sees, times, rows(study.curves))]


def rows(curves: dict[str, Curve]) -> list[dict[str, Any]]:
    """Return the figure's table: one row a cell."""
    return [
        {
            "series": name,
            "threads": point.threads,
            "geometric mean s": point.mean_s,
            "median s": point.median_s,
            "fastest s": point.low_s,
            "slowest s": point.high_s,
            "runs": point.runs,
        }
        for name, curve in curves.items()
        for point in curve.points
    ]


def chart(curves: dict[str, Curve], members: Members, dashed: Collection[str] = ()) -> Chart:
    """Return the figure, with ``dashed`` series dashed; ``members`` are the runs behind each curve."""
    each = [
        {"series": name, "threads": run.threads, "time": run.time_s, "run": run.spec["id"]}
        for name, runs in members.items()
        for run in runs
        if run.bad is None
    ]
    means = [
        {"series": row["series"], "threads": row["threads"], "time": row["geometric mean s"]} for row in rows(curves)
    ]
    counts = sorted({row["threads"] for row in means})
    x, series = threads_axis(counts, logarithmic=True), channels([*curves], dashed)
    times = [run.time_s for runs in members.values() for run in runs if run.bad is None]
    axis = log_axis(times, title="run time, s")
    y = alt.Y("time:Q", scale=alt.Scale(type="log", nice=False, padding=12), axis=axis)
    return alt.layer(
        of_rows(each)
        .mark_point(size=28, opacity=0.6)
        .encode(x=x, y=y, color=series.colour, shape=series.shape, tooltip=tips("series:N", "run:N", "time:Q")),
        of_rows(means)
        .mark_line(point=True)
        .encode(x=x, y=y, shape=series.shape, color=series.colour, strokeDash=series.dash),
    ).properties(width="container", height=HEIGHT)
