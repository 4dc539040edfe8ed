"""Time of reads over the thread that owns the array, a curve for each reader: Kyrola's figures of Blacklight."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import altair as alt

from knee.plots.figure import Figure, StudyData
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

Row = dict[str, Any]


def make(study: StudyData) -> list[Figure]:
    """Return a figure for each cell whose runs read the arrays of several owners."""
    cells = by_cell(study.runs, rows)
    files = file_names("owners", [name for name, _ in cells])
    return [
        Figure(file, TITLE, SEES, chart(table), table, "owners", name)
        for file, (name, table) in zip(files, cells, strict=True)
    ]


def by_cell(runs: Sequence[Run], rows_of: Callable[[Sequence[Run]], list[Row]]) -> list[tuple[str, list[Row]]]:
    """Return the name and the table of each cell whose good runs have one, in the order of their names."""
    cells: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if run.bad is None and not run.is_control:
            cells[json.dumps(run.cell)].append(run)
    tables = {cell: table for cell, members in cells.items() if (table := rows_of(members))}
    names = choices([json.loads(cell) for cell in tables])
    # The order of the runs is random.
    return sorted(zip(names, tables.values(), strict=True), key=lambda one: one[0])


def file_names(kind: str, names: Sequence[str]) -> list[str]:
    """Return a name for each figure of a kind: of letters and digits, and no two the same."""
    plain = [re.sub(r"[^A-Za-z0-9]+", "-", name) for name in names]
    return [f"{kind}-{one}" + (f"-{number + 1}" if plain.count(one) > 1 else "") for number, one in enumerate(plain)]


def choices(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Return a name for each cell: the levels of the factors that have several."""
    varying = [name for name in (cells[0] if cells else {}) if len({str(cell.get(name)) for cell in cells}) > 1]
    return [", ".join(str(cell.get(name)) for name in varying) or "all" for cell in cells]


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


def numbers(text: str) -> list[float]:
    """Return the numbers of a fact; none where one of its words is no number."""
    try:
        found = list(map(float, text.split()))
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []


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
