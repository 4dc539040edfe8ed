"""How figures look: Okabe and Ito's colours, told apart by shape and dash as well, on a light or a dark ground."""

from __future__ import annotations

from typing import Any, Literal

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"]
"""Okabe and Ito, *Color universal design*; safe for all common kinds of colour blindness."""

Ground = Literal["light", "dark"]


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
        "range": {"category": COLOURS},
        "point": {"filled": True, "size": 60},
    }


HEIGHT = 320
"""Pixels of an ordinary figure; its width is that of its place."""
