"""What the machine's memory does: the latency curve with its knees, and squares of whoever was probed against whom."""

from __future__ import annotations

from typing import Any

import altair as alt

from knee.plots.style import HEIGHT, Chart, channels, of_rows, tips

CURVE_SEES = (
    "Each step up is a cache that no longer holds what is read. Dotted lines are the sizes that the machine claims. "
    "What base pages take beyond huge ones is the TLB."
)
SQUARES_SEES = (
    "Squares of one colour are equally near to each other; a border between colours is a border in the machine."
)

SQUARES = {
    "core-to-core": ("first", "second"),
    "latency": ("reader_node", "memory_node"),
    "bandwidth": ("reader_node", "memory_node"),
}
"""Probes whose figures span a square, and the two conditions that do."""


def curve_rows(memory: dict[str, Any]) -> list[dict[str, Any]]:
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
        for figure in memory["figures"]
        if figure["probe"] == "latency" and "matrix" not in figure["at"]
    ]
    sizes = {row["bytes"] for row in table}
    return sorted(table, key=lambda row: (row["series"], row["bytes"])) if len(sizes) > 1 else []


def curve(memory: dict[str, Any], table: list[dict[str, Any]]) -> Chart:
    """Return the latency curve."""
    sizes = sorted({row["bytes"] for row in table})
    ticks = [size for size in sizes if size & (size - 1) == 0]
    label = "datum.value >= 1073741824 ? datum.value / 1073741824 + 'G' : datum.value >= 1048576 ? "
    label += "datum.value / 1048576 + 'M' : datum.value / 1024 + 'K'"
    x = alt.X(
        "bytes:Q",
        title="bytes that are read",
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


def square_rows(memory: dict[str, Any], probe: str) -> list[dict[str, Any]]:
    """Return the squares of a probe: one row for each pair; none where there is only one."""
    rows, columns = SQUARES[probe]
    table = [
        {
            rows: int(figure["at"][rows]),
            columns: int(figure["at"][columns]),
            "value": figure["value"],
            "unit": figure["unit"],
            "doubts": "; ".join(figure.get("flags", [])),
        }
        for figure in memory["figures"]
        if figure["probe"] == probe
        and (rows == "first" or "matrix" in figure["at"])
        and figure["at"][rows].isdigit()
        and figure["at"][columns].isdigit()
    ]
    return table if len({(row[rows], row[columns]) for row in table}) > 1 else []


def squares(table: list[dict[str, Any]], probe: str) -> Chart:
    """Return a heat map of a probe's squares."""
    rows, columns = SQUARES[probe]
    unit = table[0]["unit"]
    base = of_rows(table).encode(
        x=alt.X(f"{columns}:O", title=columns.replace("_", " ")), y=alt.Y(f"{rows}:O", title=rows.replace("_", " "))
    )
    colour = alt.Color("value:Q", title=unit, scale=alt.Scale(scheme="viridis", zero=False))
    tooltip = [*tips(f"{rows}:O", f"{columns}:O"), alt.Tooltip("value:Q", format=".1f"), *tips("unit:N", "doubts:N")]
    count = len({row[rows] for row in table})
    return (
        base.mark_rect()
        .encode(color=colour, tooltip=tooltip)
        .properties(width="container", height=max(80, min(600, 36 * count)))
    )
