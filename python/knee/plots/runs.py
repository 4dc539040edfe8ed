"""Every run in running order, with the rejected ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import HEIGHT, legend, log_axis, of_rows, tips

TITLE = "Every run"
COUNTING = "counting"
UNTIMED = "Runs that count are not timed: only the table has them."
SEES = "Rows should be level: a slope is drift, a single mark off its row an outlier. Crosses are rejected runs."


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where any run was made."""
    timed = [row for row in study.table if row["role"] != COUNTING]
    if not timed:
        return []
    said = SEES if len(timed) == len(study.table) else f"{SEES} {UNTIMED}"
    return [Figure("runs", TITLE, said, chart(timed), study.table)]


def chart(table: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return the figure. A bad run stands at its wall time."""
    states = ["good", "disturbed", "changed", "outlier", "bad"]
    shown = legend(states)
    marks = alt.Scale(domain=states, range=["circle", "diamond", "square", "triangle-up", "cross"])
    colours = alt.Scale(domain=states, range=["#4A9FD8", "#E69F00", "#009E73", "#CC79A7", "#D55E00"])
    axis = log_axis([seconds for row in table if (seconds := row["time_s"] or row["wall_s"])], title="run time, s")
    return (
        of_rows(table)
        .transform_calculate(shown="datum.time_s === null ? datum.wall_s : datum.time_s")
        .mark_point()
        .encode(
            x=alt.X(
                "order:Q",
                title="running order",
                scale=alt.Scale(zero=False, nice=False, padding=12),
                axis=alt.Axis(format="d", tickMinStep=1),
            ),
            y=alt.Y("shown:Q", scale=alt.Scale(type="log", nice=False, padding=12), axis=axis),
            color=alt.Color("state:N", title=None, scale=colours, legend=shown),
            shape=alt.Shape("state:N", title=None, scale=marks, legend=shown),
            tooltip=tips("run:N", "role:N", "cell:N", "block:Q", "shown:Q", "state:N", "why:N"),
        )
        .properties(width="container", height=HEIGHT)
    )
