"""Effects with their intervals: how far each level, and each combination of levels, is from the rest of the model."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from knee.plots.figure import Figure, Model, StudyData, of_response
from knee.plots.style import LETTER, Chart, log_axis, of_rows, tips
from knee.stats.linear.effects import Effect
from knee.store import shown_within

TITLE = "Effects"
SEES = (
    "The farther a level lies from the line, the larger its effect; where an interval contains the line, one cannot "
    "tell whether there is one. An interaction has the effect of levels together beyond their effects alone."
)

MOST_ROWS = 60
"""Effects that are drawn; the table has the rest."""

STEP = 19
"""Pixels of a row."""

HALF = alt.ExprRef("(containerSize()[0] || 0) / 2")
"""Pixels that a label may have: on a page half of what holds the figure, so that it is never all labels; in a picture
any number.
"""

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each factorial analysis."""
    return [figure for name, model in study.models.items() for figure in of_response(name, [_effects(model)])]


def _effects(model: Model) -> Figure:
    table = rows(model.effects, model.scale)
    return Figure("effects", TITLE, sees(table), chart(table, model.scale, model.response, model.unit), table)


def rows(effects: Sequence[Effect], scale: str) -> list[Row]:
    """Return the figure's table: one row an effect but the mean, on the scale of the model; of a log also as ratios."""
    table: list[Row] = []
    for one in effects:
        ends = one.estimate.interval
        if one.term:
            row: Row = {"source": " x ".join(one.term), "levels": ", ".join(one.levels)}
            row |= {"effect": one.estimate.value, "low": ends.low, "high": ends.high}
            times = {"times": one.estimate.value, "times low": ends.low, "times high": ends.high}
            table.append(row | ({name: math.exp(value) for name, value in times.items()} if scale == "log" else {}))
    return table


def drawn(table: list[Row]) -> list[Row]:
    """Return the rows that are drawn: whole sources, main effects first, as far as there is room."""
    kept: list[Row] = []
    for source in dict.fromkeys(row["source"] for row in table):
        members = [row for row in table if row["source"] == source]
        if kept and len(kept) + len(members) > MOST_ROWS:
            break
        kept += members
    return kept


def sees(table: list[Row]) -> str:
    """Return the sentence that says what to see, and what only the table has."""
    shown = {row["source"] for row in drawn(table)}
    left = list(dict.fromkeys(row["source"] for row in table if row["source"] not in shown))
    return SEES + (f" In the table only: {'; '.join(left)}." if left else "")


def chart(table: list[Row], scale: str, response: str, unit: str) -> Chart:
    """Return the figure: a headline for each source, below it a point and an interval for each of its effects."""
    log = scale == "log"
    columns = ("times", "times low", "times high") if log else ("effect", "low", "high")
    lines: list[Row] = []
    for row in drawn(table):
        if not lines or row["source"] != lines[-1]["source"]:
            lines.append({"source": row["source"], "levels": "", "head": row["source"]})
        value, low, high = (row[name] for name in columns)
        lines.append({"source": row["source"], "levels": row["levels"], "value": value, "low": low, "high": high})
    lines = [line | {"line": number} for number, line in enumerate(lines)]
    title = f"times the mean of {response}" if log else f"effect on {response}, {unit}"
    if scale not in ("log", "none"):
        title = f"effect on the {scale} of {response}"
    ends = [1.0, *(line[name] for line in lines if "value" in line for name in ("value", "low", "high"))]
    x = alt.X(
        "value:Q",
        scale=alt.Scale(type="log", nice=False, padding=12) if log else alt.Scale(),
        # On a narrow page a title in the middle would be cut off on the right.
        axis=log_axis(ends, title=title, titleAnchor="end") if log else alt.Axis(title=title, titleAnchor="end"),
    )
    labels = json.dumps(shown_within([line["levels"] for line in lines]))
    axis = alt.Axis(title=None, labelExpr=f"{labels}[datum.value]", ticks=False, domain=False, labelLimit=HALF)
    y = alt.Y("line:O", axis=axis, scale=alt.Scale(paddingInner=0.2))
    effects = of_rows([line for line in lines if "value" in line])
    heads = of_rows([line for line in lines if "head" in line])
    zero = of_rows([{"value": 1.0 if log else 0.0}]).mark_rule(strokeDash=[4, 4], opacity=0.7)
    tooltip = [
        *tips("source:N", "levels:N"),
        *tips("value:Q", "low:Q", "high:Q", numbers=".4g"),
    ]
    wide = LETTER * max((len(line["source"]) for line in lines), default=0)
    narrow = f"width < {wide}"
    return alt.layer(
        zero.encode(x=x),
        effects.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y, tooltip=tooltip),
        effects.mark_point(size=50, opacity=1).encode(x=x, y=y, tooltip=tooltip),
        # A headline without room beside the labels is right-aligned and extends over them.
        heads.mark_text(align=alt.ExprRef(f"{narrow} ? 'right' : 'left'"), baseline="middle", fontWeight="bold").encode(
            x=alt.value(alt.ExprRef(f"{narrow} ? width : 0")), y=y, text=alt.Text("head:N")
        ),
    ).properties(width="container", height=STEP * len(lines))
