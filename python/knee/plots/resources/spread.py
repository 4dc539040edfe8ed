"""What runs used over thread counts: the median of each cell, and how far its runs lie apart."""

from __future__ import annotations

from collections.abc import Callable, Collection
from statistics import median
from typing import Any

import altair as alt

from knee.plots.figure import Members
from knee.plots.style import DASHED, HEIGHT, SOLID, Chart, channels, legend, of_rows, threads_axis, tips
from knee.store import Run

Row = dict[str, Any]
Measure = Callable[[Run], float | None]
"""Returns what a run used, or None if that is unknown."""

FOR_ONE = " Values are for the work of one thread, because in this study the work grows with the threads."
"""Added to captions in a study of weak scaling."""

DASHES = [SOLID, DASHED, [2, 3]]


def rows(members: Members, measure: Measure, name: str) -> list[Row]:
    """Return one row a cell: median, smallest and largest value of its good runs that have one."""
    table: list[Row] = []
    for series, runs in members.items():
        for threads in sorted({run.threads for run in runs}):
            cell = [run for run in runs if run.threads == threads and run.bad is None]
            values = [value for run in cell if (value := measure(run)) is not None]
            if values:
                ends = {"least": min(values), "most": max(values), "runs": len(values)}
                table.append({"series": series, "threads": threads, name: median(values)} | ends)
    return table


def for_one(measure: Measure) -> Measure:
    """Return a measure divided by the work of a run, for studies in which the work grows with the threads."""

    def measured(run: Run) -> float | None:
        value = measure(run)
        return None if value is None else value / run.work

    return measured


def chart(table: list[Row], name: str, title: str, dashed: Collection[str] = (), *, numbers: str = "~s") -> Chart:
    """Return the figure of one column: the median of every cell, with a bar from smallest to largest value.

    ``dashed`` series are dashed; ``numbers`` is how d3 writes those of the axis.
    """
    counts = sorted({row["threads"] for row in table})
    x, series = threads_axis(counts), channels(list(dict.fromkeys(row["series"] for row in table)), dashed)
    # Columns have names that a formula could not: they are drawn under plain ones.
    plain = [row | {"value": row[name]} for row in table]
    data = of_rows(plain)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(format=numbers))
    tooltip = [*tips("series:N", "threads:Q"), *tips("value:Q", "least:Q", "most:Q", numbers=f".4{numbers}")]
    return alt.layer(
        data.mark_rule(strokeWidth=2).encode(x=x, y=alt.Y("least:Q"), y2=alt.Y2("most:Q"), color=series.colour),
        data.mark_line(point=True).encode(
            x=x, y=y, color=series.colour, shape=series.shape, strokeDash=series.dash, tooltip=tooltip
        ),
    ).properties(width="container", height=HEIGHT)


def chart_of_kinds(table: list[Row], name: str, title: str) -> Chart:
    """Return the figure of a column that comes in kinds (a column ``kind``): a colour a series, a dash a kind."""
    counts, kinds = sorted({row["threads"] for row in table}), list(dict.fromkeys(row["kind"] for row in table))
    names = list(dict.fromkeys(row["series"] for row in table))
    data = of_rows([row | {"value": row[name]} for row in table])
    x, y = (
        threads_axis(counts),
        alt.Y("value:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(format="~s")),
    )
    colour = alt.Color("series:N", title=None, scale=alt.Scale(domain=names), legend=legend(names))
    dashes = alt.Scale(domain=kinds, range=DASHES[: len(kinds)])
    # Below, because both legends in one line are cut off on a narrow page.
    grey = alt.Legend(orient="bottom", symbolType="stroke", symbolSize=400, symbolStrokeColor="#888888")
    tooltip = [*tips("series:N", "kind:N", "threads:Q"), *tips("value:Q", "least:Q", "most:Q", numbers=".4~s")]
    return alt.layer(
        data.mark_rule(strokeWidth=2, opacity=0.6).encode(x=x, y=alt.Y("least:Q"), y2=alt.Y2("most:Q"), color=colour),
        data.mark_line().encode(
            x=x, y=y, color=colour, strokeDash=alt.StrokeDash("kind:N", title=None, scale=dashes, legend=grey)
        ),
        data.mark_point().encode(x=x, y=y, color=colour, tooltip=tooltip),
    ).properties(width="container", height=HEIGHT)
