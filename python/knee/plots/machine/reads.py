"""Time of successive reads of one array, by its owner and by another thread: Kyrola's test of ownership."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from statistics import median

import altair as alt

from knee.plots.figure import Figure, StudyData
from knee.plots.machine.cells import Row, figures, numbers
from knee.plots.style import HEIGHT, Chart, of_rows, tips
from knee.store import Run

TITLE = "Time of each read of one array"
SEES = (
    "A owns the array, B is another thread: medians over runs, from the least to the most. Where the reads of B take "
    "longer, the array may lie in memory that is far from B; where the second of two reads by one thread is faster, "
    "pages or lines may have come to it."
)

STEP = re.compile(r"time, step (\d{1,9} \w+)")
"""What the probe calls the time of a read: its number, and who reads."""

TIME = "time, ms"


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each cell whose runs read one array several times."""
    return figures("reads", TITLE, SEES, study.runs, rows, chart)


def rows(runs: Sequence[Run]) -> list[Row]:
    """Return one row for each read of a cell's runs."""
    times: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for name, text in (run.record.get("facts") or {}).items():
            if found := STEP.fullmatch(name):
                times[found[1]] += numbers(text)
    return [
        {"read": step, TIME: median(values), "low": min(values), "high": max(values), "runs": len(values)}
        for step, values in sorted(times.items(), key=lambda one: int(one[0].split()[0]))
        if values
    ]


def chart(table: list[Row]) -> Chart:
    """Return the reads of a cell, one after the other."""
    x = alt.X("read:N", title="read, and who reads", sort=None, axis=alt.Axis(labelAngle=0))
    y, scale = f"{TIME}:Q", alt.Scale(zero=True)
    base = of_rows(table).encode(x=x)
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=scale, title=TIME), y2=alt.Y2("high:Q")),
        base.mark_line(strokeDash=[3, 3], strokeWidth=1, opacity=0.8).encode(y=alt.Y(y, scale=scale)),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=alt.Y(y, scale=scale), tooltip=[*tips("read:N"), *tips(y, "low:Q", "high:Q", numbers=".3f")]
        ),
    ).properties(width="container", height=HEIGHT)
