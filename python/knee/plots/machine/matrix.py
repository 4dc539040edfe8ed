"""Matrices of the machine's memory: latency or bandwidth of each pair of cpus or nodes."""

from __future__ import annotations

from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.style import Chart, of_rows, tips

TITLE = "This machine's memory"
SEES = "Pairs of one colour are equally near to each other; a border between colours is a border in the machine."

CONDITIONS = {
    "core-to-core": ("first", "second"),
    "latency": ("reader_node", "memory_node"),
    "bandwidth": ("reader_node", "memory_node"),
}
"""Probes whose results span a matrix, and the two conditions that do."""


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each of those probes that has several pairs."""
    made: list[Figure] = []
    for probe in CONDITIONS:
        table = rows(study.memory, probe)
        if table:
            made.append(Figure(f"memory-{probe}-squares", f"{TITLE}: {probe}", SEES, chart(table, probe), table))
    return made


def rows(memory: dict[str, Any], probe: str) -> list[dict[str, Any]]:
    """Return the matrix of a probe: one row for each pair; none where there is only one."""
    down, along = CONDITIONS[probe]
    table = [
        {
            down: int(figure["at"][down]),
            along: int(figure["at"][along]),
            "value": figure["value"],
            "unit": figure["unit"],
            "doubts": "; ".join(figure.get("flags", [])),
        }
        for figure in memory.get("figures", [])
        if figure["probe"] == probe
        and (down == "first" or "matrix" in figure["at"])
        and figure["at"][down].isdigit()
        and figure["at"][along].isdigit()
    ]
    return table if len({(row[down], row[along]) for row in table}) > 1 else []


def chart(table: list[dict[str, Any]], probe: str) -> Chart:
    """Return a heat map of a probe's matrix."""
    down, along = CONDITIONS[probe]
    unit = table[0]["unit"]
    base = of_rows(table).encode(
        x=alt.X(f"{along}:O", title=along.replace("_", " ")), y=alt.Y(f"{down}:O", title=down.replace("_", " "))
    )
    colour = alt.Color("value:Q", title=unit, scale=alt.Scale(scheme="viridis", zero=False))
    tooltip = [*tips(f"{down}:O", f"{along}:O"), alt.Tooltip("value:Q", format=".1f"), *tips("unit:N", "doubts:N")]
    count = len({row[down] for row in table})
    return (
        base.mark_rect()
        .encode(color=colour, tooltip=tooltip)
        .properties(width="container", height=max(80, min(600, 36 * count)))
    )
