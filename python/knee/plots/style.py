"""How figures look: Okabe and Ito's colours, told apart by shape and dash as well, on a light or a dark ground."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

COLOURS: dict[str, list[str]] = {
    "light": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#000000"],
    "dark": ["#56B4E9", "#E69F00", "#2FC79A", "#CC79A7", "#F0E442", "#F2854A", "#BBBBBB", "#FFFFFF"],
}
"""Okabe and Ito, *Color universal design*: safe for all common kinds of colour blindness. On the dark ground the
brighter ones come first, and two are lightened. A ninth series has the first colour again, with another shape."""

SHAPES = ["circle", "square", "cross", "diamond", "triangle-up", "triangle-down", "triangle-right"]
"""One less than colours, so that the two repeat at different places: 56 series look different."""

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
        "axis": {**text, "gridColor": faint, "domainColor": ink, "tickColor": ink, "labelOverlap": True},
        "legend": {**text, "orient": "top", "labelLimit": 0, "symbolStrokeWidth": 2},
        "title": {"color": ink},
        "mark": {"color": COLOURS[ground][0]},
        "text": {"color": ink},
        "rule": {"color": ink},
        "range": {"category": COLOURS[ground]},
        "point": {"filled": True, "size": 60},
    }


def of_rows(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """Return a chart of a table. Altair copies lists again with every layer, and leaves a tuple as it is."""
    return alt.Chart(alt.Data(values=tuple(rows)))


def tips(*fields: str, numbers: str = "") -> list[alt.Tooltip]:
    """Return what a mark says when it is pointed at, with numbers in d3's format.

    Fields that are strings only cost Altair ten milliseconds each, to find out what they are.
    """
    return [alt.Tooltip(field, format=numbers) if numbers else alt.Tooltip(field) for field in fields]


HEIGHT = 320
"""Pixels of an ordinary figure; its width is that of its place."""


def threads_axis(counts: list[int], *, logarithmic: bool = False) -> alt.X:
    """Return the axis that all scaling figures share: a mark at every count that was measured."""
    scale = (
        alt.Scale(type="log", base=2, nice=False, padding=12)
        if logarithmic
        else alt.Scale(zero=False, nice=False, padding=12)
    )
    return alt.X("threads:Q", title="threads", scale=scale, axis=alt.Axis(values=counts, format="d"))


@dataclass(frozen=True)
class Channels:
    """How series are told apart. All three name their domain, so that Vega-Lite draws one legend and not three."""

    colour: alt.Color
    shape: alt.Shape
    dash: alt.StrokeDash


SOLID, DASHED = [1, 0], [6, 4]

LETTER, MARK = 7, 30
"""Pixels of a letter of a legend, and of what stands before and after its label."""

AXIS = 60
"""Pixels that an axis takes from the room of a legend."""


def legend(labels: list[str], **more: Any) -> alt.Legend:
    """Return a legend that breaks into lines where a figure is narrower than its labels."""
    wide = LETTER * max((len(label) for label in labels), default=1) + MARK
    # The width of what holds the figure, not its own: that is known only after the legend had its place. A picture
    # that is made without a page has no such thing, and its legend one line.
    room = f"(containerSize()[0] || {wide * len(labels) + AXIS}) - {AXIS}"
    return alt.Legend(columns=alt.ExprRef(f"max(1, floor(({room}) / {wide}))"), symbolOpacity=1, **more)


def channels(names: list[str], dashed: Collection[str] | None = None) -> Channels:
    """Return colour, shape and dash for these series: only ``dashed`` ones have one, or if that is None, all."""
    scale = alt.Scale(domain=names)
    dashes = alt.Scale(domain=names, range=[DASHED if name in (dashed or ()) else SOLID for name in names])
    # A dash around the mark of a legend is nothing but a ragged mark.
    shown = legend(names, symbolDash=SOLID)
    shapes = alt.Scale(domain=names, range=SHAPES)
    return Channels(
        alt.Color("series:N", title=None, scale=scale, legend=shown),
        alt.Shape("series:N", title=None, scale=shapes, legend=shown),
        alt.StrokeDash("series:N", title=None, scale=scale if dashed is None else dashes, legend=shown),
    )
