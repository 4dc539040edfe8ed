"""Time of reads over the thread that owns the array, a curve for each reader: Kyrola's figures of Blacklight."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.machine.cells import Row, figures, numbers
from knee.plots.style import HEIGHT, Chart, channels, of_rows, tips, with_intervals
from knee.store import Run

TITLE = "Time to read each thread's array"
SEES = (
    "One curve for each reader, over the owner of the array: medians over runs, from the least to the most. A dip "
    "where reader and owner are one thread is memory of its own; a wider one is its node. Where all curves lie on each "
    "other, it does not matter who reads what."
)

CURVE = re.compile(r"time by owner, reader (\d{1,9})")
"""What a probe calls the numbers of a curve: nanoseconds of a cache line, one for each owner."""

TIME = "ns a line"


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each cell whose runs read the arrays of several owners."""
    return figures("owners", TITLE, SEES, study.runs, rows, chart)


def rows(runs: Sequence[Run]) -> list[Row]:
    """Return one row for each reader and owner of a cell; none where there is only one owner."""
    times: dict[tuple[int, int], list[float]] = defaultdict(list)
    for run in runs:
        for name, text in (run.record.get("facts") or {}).items():
            if found := CURVE.fullmatch(name):
                for owner, value in enumerate(numbers(text)):
                    times[int(found[1]), owner].append(value)
    table = [
        {
            "series": f"reader {reader}",
            "owner": owner,
            TIME: median(values),
            "low": min(values),
            "high": max(values),
            "runs": len(values),
        }
        for (reader, owner), values in sorted(times.items())
    ]
    return table if len({row["owner"] for row in table}) > 1 else []


def chart(table: list[Row]) -> Chart:
    """Return the curves of a cell."""
    owners = sorted({row["owner"] for row in table})
    # Every owner, or some sixteen of them that are whole steps apart.
    ticks = owners[:: max(1, len(owners) // 16)]
    x = alt.X(
        "owner:Q",
        title="thread that owns the array",
        scale=alt.Scale(zero=False, nice=False, padding=12),
        axis=alt.Axis(values=ticks, format="d"),
    )
    series = channels(list(dict.fromkeys(row["series"] for row in table)))
    tooltip = [*tips("series:N", "owner:Q"), *tips(f"{TIME}:Q", "low:Q", "high:Q", numbers=".3f")]
    layers = with_intervals(of_rows(table), TIME, x=x, scale=alt.Scale(zero=True), series=series, tooltip=tooltip)
    return alt.layer(*layers).properties(width="container", height=HEIGHT)
