"""Speedups over time: one line for each series and thread count, studies in the order of their dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from knee.plots.style import HEIGHT, Chart, channels, of_rows, tips, with_intervals


def chart(rows: Sequence[dict[str, Any]]) -> Chart:
    """Return the figure.

    Parameters
    ----------
    rows
        One a study, series and thread count, studies by date: ``study`` (its label), ``series`` (with the thread
        count), ``threads``, ``speedup``, ``low``, ``high`` and ``change``.
    """
    studies = list(dict.fromkeys(row["study"] for row in rows))
    names = list(dict.fromkeys(row["series"] for row in rows))
    series, data = channels(names, ()), of_rows(rows)
    x = alt.X("study:N", title=None, sort=studies, axis=alt.Axis(labelAngle=-30, labelLimit=0, labelOverlap=False))
    # What other programs may have taken can leave an interval without an end worth drawing.
    top = 1.1 * max(max(row["speedup"], row["threads"]) for row in rows)
    scale = alt.Scale(domain=[0, top], nice=False)
    tooltip = [*tips("study:N", "series:N", "change:N"), *tips("speedup:Q", "low:Q", "high:Q", numbers=".3f")]
    layers = with_intervals(data, "speedup", x=x, scale=scale, series=series, tooltip=tooltip)
    return alt.layer(*layers).properties(width="container", height=HEIGHT)
