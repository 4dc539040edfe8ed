"""How figures look: Okabe and Ito's colours, told apart by shape and dash as well, on a light or a dark ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

COLOURS: dict[str, list[str]] = {
    "light": ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"],
    "dark": ["#56B4E9", "#E69F00", "#2FC79A", "#CC79A7", "#F0E442", "#F2854A", "#BBBBBB"],
}
"""Okabe and Ito, *Color universal design*: safe for all common kinds of colour blindness. On the dark ground the
brighter ones come first, and two are lightened."""

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
        "legend": {**text, "orient": "top", "labelLimit": 240, "symbolStrokeWidth": 2},
        "title": {"color": ink},
        "text": {"color": ink},
        "rule": {"color": ink},
        "range": {"category": COLOURS[ground]},
        "point": {"filled": True, "size": 60},
    }


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


def channels(names: list[str]) -> Channels:
    """Return colour, shape and dash for these series."""
    scale = alt.Scale(domain=names)
    return Channels(
        alt.Color("series:N", title=None, scale=scale, legend=alt.Legend(symbolOpacity=1)),
        alt.Shape("series:N", title=None, scale=scale),
        alt.StrokeDash("series:N", title=None, scale=scale),
    )
