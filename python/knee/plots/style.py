"""Style of the figures: Okabe and Ito's colours, with shapes and dashes beside them, on a light or a dark ground."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from knee.store import shown

COLOURS: dict[str, list[str]] = {
    "light": [
        *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#000000"),
        *("#332288", "#882255", "#999933", "#CC6677", "#117733", "#88CCEE", "#DDCC77"),
    ],
    "dark": [
        *("#56B4E9", "#E69F00", "#2FC79A", "#CC79A7", "#F0E442", "#F2854A", "#BBBBBB", "#FFFFFF"),
        *("#9A8CE0", "#C2557F", "#B5B53C", "#E98C9A", "#4FA35C", "#A5DBF2", "#C9A27E"),
    ],
}
"""Okabe and Ito, *Color universal design*: safe for all common kinds of colour blindness. On the dark ground the
brighter ones come first, and two are lightened. Behind them are those of Tol's *muted* scheme that differ from them,
lightened on the dark ground, since a loss may have more than eight parts. A sixteenth has the first colour again."""

SHAPES = ["circle", "square", "cross", "diamond", "triangle-up", "triangle-down", "triangle-right"]
"""A number that has no factor in common with that of colours, which repeat at other places: 105 series look
different."""

Ground = Literal["light", "dark"]

Chart = alt.Chart | alt.LayerChart | alt.FacetChart
"""What a figure may be."""


def config(ground: Ground) -> dict[str, Any]:
    """Return the Vega-Lite configuration for a ground."""
    ink, faint = ("#1b1b1b", "#e4e4e4") if ground == "light" else ("#e8e8e8", "#3a3a3a")
    text = {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {
        "background": "transparent" if ground == "dark" else "white",
        "font": "system-ui, sans-serif",
        "view": {"stroke": None},
        "axis": {
            **text,
            "gridColor": faint,
            "domainColor": ink,
            "tickColor": ink,
            "labelOverlap": True,
            "labelSeparation": 6,
        },
        "legend": {**text, "orient": "top", "labelLimit": 0, "symbolStrokeWidth": 2},
        "title": {"color": ink},
        "mark": {"color": COLOURS[ground][0]},
        "text": {"color": ink},
        "rule": {"color": ink},
        "range": {"category": COLOURS[ground]},
        "point": {"filled": True, "size": 60},
    }


def of_rows(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return a chart of a table, as a tuple: Altair would copy a list for every layer."""
    return alt.Chart(alt.Data(values=tuple(rows)))


def tips(*fields: str, numbers: str = "") -> list[alt.Tooltip]:
    """Return the tooltip of a mark, with numbers in d3's format.

    Every field names its type: Altair takes ten milliseconds to guess one.
    """
    return [alt.Tooltip(field, format=numbers) if numbers else alt.Tooltip(field) for field in fields]


def log_axis(values: Sequence[float], **more: Any) -> alt.Axis:
    """Return an axis for a logarithmic scale that has labels wherever these values lie.

    By itself Vega labels the decades and what lies just above them: an axis from 0.6 to 1.6 would end with the 1.
    """
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if not 0 < low < high:
        return alt.Axis(**more)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for within in WITHIN_A_DECADE:
        ticks = [tick for decade in decades for one in within if low <= (tick := one * 10.0**decade) <= high]
        if len(ticks) >= FEWEST_TICKS:
            break
    return alt.Axis(values=ticks, format="~g", labelOverlap="greedy", **more) if ticks else alt.Axis(**more)


WITHIN_A_DECADE = ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8), tuple(n / 10 for n in range(10, 100)))
"""Ticks of a logarithmic axis, coarse ones first."""

FEWEST_TICKS = 4

HEIGHT = 320
"""Height of an ordinary figure in pixels; its width is that of the page."""


def threads_axis(counts: list[int], *, logarithmic: bool = False) -> alt.X:
    """Return the axis that all scaling figures share, with a tick at every measured count."""
    scale = (
        alt.Scale(type="log", base=2, nice=False, padding=12)
        if logarithmic
        else alt.Scale(zero=False, nice=False, padding=12)
    )
    return alt.X("threads:Q", title="threads", scale=scale, axis=alt.Axis(values=counts, format="d"))


@dataclass(frozen=True)
class Channels:
    """Colour, shape and dash of series. All three name the same domain, so that Vega-Lite draws one legend."""

    colour: alt.Color
    shape: alt.Shape
    dash: alt.StrokeDash


SOLID, DASHED = [1, 0], [6, 4]

PAPER_WIDTH = 560
"""Width in pixels of a figure outside a page."""

LETTER, MARK = 7, 30
"""Pixels of a letter of a legend, and of the symbol and space around its label."""

AXIS = 60
"""Pixels that an axis takes from the room of a legend."""

NARROW = 38
"""Letters of a legend's label that fit on a page of 400 pixels; a longer one breaks into lines where it has no room."""


def legend(labels: list[str], **more: Any) -> alt.Legend:
    """Return a legend that is never cut off.

    It has several lines where the figure is narrower than all labels together, and a label has several lines where the
    figure is narrower than that label.
    """
    # Escaped before they become part of a Vega expression, because Vega would decode the escapes of JSON.
    labels = [shown(label) for label in labels]
    wide = LETTER * max((len(label) for label in labels), default=1) + MARK
    # The container's width, because the figure's own is known only after the legend is laid out. A picture without a
    # page has no container, and grows as wide as its longest label.
    room = f"(containerSize()[0] || {PAPER_WIDTH + AXIS}) - {AXIS}"
    broken = {label: textwrap.wrap(label, NARROW) for label in labels if len(label) > NARROW}
    if broken:
        more["labelExpr"] = (
            f"containerSize()[0] && {room} < {wide} ? ({json.dumps(broken)})[datum.label] || datum.label : datum.label"
        )
    return alt.Legend(columns=alt.ExprRef(f"max(1, floor(({room}) / {wide}))"), symbolOpacity=1, **more)


def channels(names: list[str], dashed: Collection[str] | None = None) -> Channels:
    """Return colour, shape and dash for these series: only ``dashed`` ones have one, or if that is None, all."""
    scale = alt.Scale(domain=names)
    dashes = alt.Scale(domain=names, range=[DASHED if name in (dashed or ()) else SOLID for name in names])
    # A dashed outline would only make the symbols of the legend look ragged.
    shown = legend(names, symbolDash=SOLID)
    shapes = alt.Scale(domain=names, range=SHAPES)
    return Channels(
        alt.Color("series:N", title=None, scale=scale, legend=shown),
        alt.Shape("series:N", title=None, scale=shapes, legend=shown),
        alt.StrokeDash("series:N", title=None, scale=scale if dashed is None else dashes, legend=shown),
    )


def with_intervals(
    data: alt.Chart, value: str, *, x: alt.X, scale: alt.Scale, series: Channels, tooltip: list[alt.Tooltip]
) -> list[alt.Chart]:
    """Return the layers of curves: a bar from ``low`` to ``high`` at each point, and marks joined by a line.

    Parameters
    ----------
    data
        Rows with ``series``, ``low``, ``high`` and the value.
    value
        The field that is drawn, which also names the axis.
    """
    bar = alt.Y("low:Q", scale=scale, title=value)
    return [
        # Clipped, because an interval may reach far beyond an axis whose ends are given.
        data.mark_rule(strokeWidth=2, clip=True).encode(x=x, y=bar, y2=alt.Y2("high:Q"), color=series.colour),
        data.mark_line(point=True).encode(
            x=x,
            y=alt.Y(f"{value}:Q", scale=scale, title=value),
            color=series.colour,
            shape=series.shape,
            strokeDash=series.dash,
            tooltip=tooltip,
        ),
    ]
