"""A figure of a report: a chart with its words and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knee.plots.style import Chart


@dataclass(frozen=True)
class Figure:
    """A chart with its words and its numbers. ``group`` joins figures that a reader switches between."""

    name: str
    title: str
    sees: str
    chart: Chart
    rows: list[dict[str, Any]]
    group: str = ""
    choice: str = ""
