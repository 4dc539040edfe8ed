"""Efficiency over thread counts: speedup over threads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import HEIGHT, Chart, channels, of_rows, threads_axis, tips, with_intervals
from knee.stats.scaling.curve import Curve

TITLE = "Efficiency"
SEES = "Speedup over threads: at 1 every thread is fully used, at 0.5 half of their time is lost."


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where any series has more than one thread count."""
    if not study.scales:
        return []
    return [Figure("efficiency", TITLE, SEES, chart(study.curves, study.counterfactuals), rows(study.curves))]


def rows(curves: dict[str, Curve]) -> list[dict[str, Any]]:
    """Return the figure's table: one row a point."""
    return [
        {
            "series": name,
            "threads": point.threads,
            "efficiency": point.efficiency,
            "low": point.efficiency_interval.low,
            "high": point.efficiency_interval.high,
            "Karp-Flatt": point.karp_flatt,
        }
        for name, curve in curves.items()
        for point in curve.points
    ]


def chart(curves: dict[str, Curve], dashed: Collection[str] = ()) -> Chart:
    """Return the figure, with ``dashed`` series dashed."""
    counts = sorted({point.threads for curve in curves.values() for point in curve.points})
    data = of_rows(rows(curves))
    x, series = threads_axis(counts), channels([*curves], dashed)
    full = of_rows([{"one": 1.0}]).mark_rule(strokeDash=[2, 3], color="#888888").encode(y=alt.Y("one:Q"))
    tooltip = [*tips("series:N", "threads:Q"), *tips("efficiency:Q", numbers=".3f")]
    layers = with_intervals(data, "efficiency", x=x, scale=alt.Scale(zero=True), series=series, tooltip=tooltip)
    return alt.layer(full, *layers).properties(width="container", height=HEIGHT)
