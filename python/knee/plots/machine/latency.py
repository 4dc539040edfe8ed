"""Latency of the machine's memory over working-set size: a step for each cache that is too small."""

from __future__ import annotations

from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import HEIGHT, Chart, channels, of_rows, tips

TITLE = "Latency of this machine's memory"
SEES = (
    "Each step up is a cache that is too small for the working set. Dotted lines are the cache sizes that the machine "
    "reports. "
    "The gap between base pages and huge pages is the TLB."
)


def make(study: StudyData) -> list[Figure]:
    """Return the figure, where latencies of several sizes were probed."""
    table = rows(study.memory)
    return [Figure("memory-latency", TITLE, SEES, chart(study.memory, table), table)] if table else []


def rows(memory: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the latency curve: one row for each size and page."""
    table = [
        {
            "series": f"{figure['at']['page']} pages",
            "bytes": int(figure["at"]["bytes"]),
            "latency ns": figure["value"],
            "low": figure["quartiles"][0],
            "high": figure["quartiles"][1],
            "doubts": "; ".join(figure.get("flags", [])),
        }
        for figure in memory.get("figures", [])
        if figure["probe"] == "latency" and "matrix" not in figure["at"]
    ]
    sizes = {row["bytes"] for row in table}
    return sorted(table, key=lambda row: (row["series"], row["bytes"])) if len(sizes) > 1 else []


def chart(memory: dict[str, Any], table: list[dict[str, Any]]) -> Chart:
    """Return the latency curve."""
    sizes = sorted({row["bytes"] for row in table})
    ticks = [size for size in sizes if size & (size - 1) == 0]
    label = "datum.value >= 1073741824 ? datum.value / 1073741824 + 'G' : datum.value >= 1048576 ? "
    label += "datum.value / 1048576 + 'M' : datum.value / 1024 + 'K'"
    x = alt.X(
        "bytes:Q",
        title="working set, bytes",
        scale=alt.Scale(type="log", base=2, nice=False, padding=12),
        axis=alt.Axis(values=ticks, labelExpr=label),
    )
    claimed = [{"cache": name, "bytes": size} for name, size in memory["claimed_caches"].items()]
    inside = [cache for cache in claimed if sizes[0] <= cache["bytes"] <= sizes[-1]]
    caches = of_rows(inside).encode(x=x)
    series = channels(list(dict.fromkeys(row["series"] for row in table)))
    known = of_rows(table)
    y = alt.Y("latency ns:Q", title="ns a load", scale=alt.Scale(type="log"))
    tooltip = [*tips("series:N", "bytes:Q"), alt.Tooltip("latency ns:Q", format=".2f"), *tips("doubts:N")]
    return alt.layer(
        caches.mark_rule(strokeDash=[2, 3], opacity=0.6),
        caches.mark_text(align="left", dx=4, y=8).encode(text=alt.Text("cache:N")),
        known.mark_line(point=True).encode(
            x=x, y=y, color=series.colour, shape=series.shape, strokeDash=series.dash, tooltip=tooltip
        ),
    ).properties(width="container", height=HEIGHT)
