"""The loss over thread counts, in parts that add up: stacked, gains below zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import HEIGHT, Chart, of_rows, tips

TITLE = "Parts of the loss"
SEES = (
    "0 is full speedup, and at 0.69 the program takes twice as long. Parts add up to the loss (line); those "
    "below 0 are gains. Pale parts with a dashed outline may be 0, or have no interval. A diamond marks what is "
    "unexplained."
)

SERIES = 12
"""Series that are drawn, one at a time; the table of parts has all of them."""


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each series that has parts."""
    all_ = list(dict.fromkeys(row["series"] for row in study.losses))
    names, left = all_[:SERIES], len(all_) - SERIES
    sees = f"{SEES} {left} more series are only in the table of parts." if left > 0 else SEES
    several = len(names) > 1
    parts = _parts(study.losses)
    made: list[Figure] = []
    for number, name in enumerate(names):
        rows = [row for row in study.losses if row["series"] == name]
        suffix = f"-{number + 1}" if number else ""
        made.append(Figure(f"loss{suffix}", TITLE, sees, chart(rows, parts), rows, "loss", name if several else ""))
    return made


def _parts(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(str(row["part"]) for row in rows if row["kind"] == "part"))


def chart(rows: Sequence[dict[str, Any]], parts: Sequence[str] = ()) -> Chart:
    """Return the figure of one series.

    Parameters
    ----------
    rows
        One row for each part, the loss and what is unexplained, at each thread count: ``kind`` is ``part``, ``loss`` or
        ``unexplained``.
    parts
        The parts of all series, so that each has the same colour in every figure; by default those of the rows.
    """
    data = of_rows(rows)
    x = alt.X("threads:O", title="threads", axis=alt.Axis(labelAngle=0))
    y = alt.Y("loss:Q", title="loss, ln")
    tooltip = [*tips("part:N", "threads:Q"), *tips("loss:Q", "low:Q", "high:Q", numbers=".3f")]
    own = _parts(rows)
    legend = alt.Legend(columns=alt.ExprRef("width < 500 ? 1 : 2"), values=own)
    scale = alt.Scale(domain=list(parts or own))
    drawn = (
        data.transform_filter("datum.kind == 'part'")
        .mark_bar(strokeWidth=1.5)
        .encode(
            x=x,
            y=alt.Y("loss:Q", title="loss, ln", stack="zero"),
            fill=alt.Fill("part:N", title=None, scale=scale, legend=legend),
            # The same legend, since Vega-Lite draws one for both.
            stroke=alt.Stroke("part:N", title=None, scale=scale, legend=legend),
            fillOpacity=alt.condition("datum.sure", alt.value(1.0), alt.value(0.2)),
            strokeDash=alt.condition("datum.sure", alt.value([1, 0]), alt.value([5, 3])),
            tooltip=tooltip,
        )
    )
    whole = (
        data.transform_filter("datum.kind == 'loss'")
        .mark_tick(thickness=3, color="#888888", size=40, orient="horizontal")
        .encode(x=x, y=y, tooltip=tooltip)
    )
    ends = data.transform_filter("datum.kind == 'loss'").mark_rule(color="#888888").encode(x=x, y="low:Q", y2="high:Q")
    left = (
        data.transform_filter("datum.kind == 'unexplained'")
        # A letter, which has the colour of text on either ground: parts have all other colours.
        .mark_text(text="◆", fontSize=16, baseline="middle")
        .encode(x=x, y=y, tooltip=tooltip)
    )
    return alt.layer(drawn, ends, whole, left).properties(width="container", height=HEIGHT)
