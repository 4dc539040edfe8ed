"""Interaction plots: means over the levels of one factor, one line for each level of the other."""

from __future__ import annotations

from typing import Any

import altair as alt

from knee.plots.figure import Figure, Model, StudyData, of_response
from knee.plots.style import HEIGHT, SHAPES, Chart, legend, log_axis, of_rows, tips
from knee.stats.linear.comparisons import Mean
from knee.stats.linear.design import numeric

TITLE = "Interactions"
SEES = (
    "Parallel lines: no interaction, each factor has the same effect at every level of the other. Lines that diverge "
    "or cross: the effect of one factor depends on the other."
)

ROUNDING = 1e-12
"""An interaction that explains no more of the variation is what rounding left."""

POWERS = {"none": 1.0, "sqrt": 0.5, "inverse": -1.0}
"""The power of an axis on which what the model adds up is parallel; the logarithm has a kind of axis of its own."""

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each pair of factors of each factorial analysis."""
    return [figure for name, model in study.models.items() for figure in of_response(name, _interactions(model))]


def _interactions(model: Model) -> list[Figure]:
    title = TITLE if len(model.interactions) > 1 else "Interaction of {}"
    made: list[Figure] = []
    for number, one in enumerate(model.interactions, 1):
        if not one.share > ROUNDING:
            continue
        levels = {name: model.factors[name] for name in one.factors}
        lines = chart(one.means, levels, model.scale, f"{model.response}, {model.unit}")
        table, choice = rows(one.means, model.response), " x ".join(one.factors)
        named = title.format(" and ".join(one.factors))
        said = sees(one.share, one.p)
        made.append(Figure(f"interaction-{number}", named, said, lines, table, "interactions", choice))
    return made


def sees(share: float, p: float) -> str:
    """Return the sentence that says what to see, with what the interaction explains."""
    chance = "no error to test it against" if p != p else "p < .0001" if p < 1e-4 else f"p = {p:.2g}"
    explains = "less than 0.01" if share < 1e-4 else f"{100 * share:.2f}"
    return (
        f"{SEES} This interaction explains {explains} % of the variation ({chance}); marks are predicted means with "
        "90 % intervals, which leave out how much blocks differ."
    )


def across(levels: dict[str, list[str]]) -> tuple[str, str]:
    """Return which of two factors runs along the axis and which has the lines.

    Numbers go along the axis, threads before others; of two factors in words the one with more levels.
    """
    names = list(levels)
    best = max(names, key=lambda name: (name == "threads", numeric(levels[name]), len(levels[name])))
    return best, next(name for name in names if name != best)


def rows(means: list[Mean], response: str) -> list[Row]:
    """Return the figure's table: one row a mean."""
    return [
        dict(one.levels) | {f"mean {response}": one.mean.value, "low": one.mean.interval.low}
        | {"high": one.mean.interval.high}
        for one in means
    ]  # fmt: skip


def chart(means: list[Mean], levels: dict[str, list[str]], scale: str, unit: str) -> Chart:
    """Return the figure; ``levels`` are those of the two factors, in order."""
    along, other = across(levels)
    numbers = numeric(levels[along])
    table = [
        {
            "along": int(one.levels[along]) if numbers else one.levels[along],
            "line": one.levels[other],
            "mean": one.mean.value,
            "low": one.mean.interval.low,
            "high": one.mean.interval.high,
        }
        for one in means
    ]
    base = of_rows(table).encode(x=_x(along, levels[along]))
    if not numbers:
        # Marks at one word are drawn side by side, so that no interval hides another.
        base = base.encode(xOffset=alt.XOffset("line:N", sort=levels[other], scale=alt.Scale(paddingOuter=1)))
    shown = legend(levels[other])
    colour = alt.Color("line:N", title=other, scale=alt.Scale(domain=levels[other]), legend=shown)
    shapes = alt.Scale(domain=levels[other], range=SHAPES)
    shape = alt.Shape("line:N", title=other, scale=shapes, legend=shown)
    title = f"mean, {unit}"
    ends = [end for one in means for end in (one.mean.value, one.mean.interval.low, one.mean.interval.high)]
    y = alt.Y("mean:Q", scale=_y(scale), axis=log_axis(ends, title=title) if scale == "log" else alt.Axis(title=title))
    tooltip = [
        alt.Tooltip("along:N", title=along),
        alt.Tooltip("line:N", title=other),
        *tips("mean:Q", "low:Q", "high:Q", numbers=".4g"),
    ]
    # There are no values between two words: the connecting lines only help to see slopes.
    joined = base.mark_line() if numbers else base.mark_line(strokeDash=[3, 3], strokeWidth=1, opacity=0.8)
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=_y(scale)), y2=alt.Y2("high:Q"), color=colour),
        joined.encode(y=y, color=colour),
        base.mark_point(opacity=1).encode(y=y, color=colour, shape=shape, tooltip=tooltip),
    ).properties(width="container", height=HEIGHT)


def _x(name: str, levels: list[str]) -> alt.X:
    if not numeric(levels):
        return alt.X("along:N", title=name, sort=levels, axis=alt.Axis(labelAngle=0, labelLimit=140))
    counts = sorted(int(level) for level in levels)
    wide = counts[0] > 0 and counts[-1] >= 4 * counts[0]
    log, plain = alt.Scale(type="log", base=2, nice=False, padding=24), alt.Scale(zero=False, nice=False, padding=24)
    return alt.X("along:Q", title=name, scale=log if wide else plain, axis=alt.Axis(values=counts, format="d"))


def _y(scale: str) -> alt.Scale:
    if scale == "log":
        return alt.Scale(type="log", nice=False, padding=12)
    if scale == "none":
        return alt.Scale(zero=False, padding=12)
    return alt.Scale(type="pow", exponent=POWERS[scale], zero=False, nice=False, padding=12)
