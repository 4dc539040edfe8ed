"""Figures of what probes report in their facts, one for each cell: shared by all of these figures."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from knee.plots.figure import Figure
from knee.plots.style import Chart
from knee.store import Run

Row = dict[str, Any]


def figures(
    kind: str,
    title: str,
    sees: str,
    runs: Sequence[Run],
    rows: Callable[[Sequence[Run]], list[Row]],
    chart: Callable[[list[Row]], Chart],
) -> list[Figure]:
    """Return a figure for each cell whose good runs have rows; ``kind`` begins the names of all."""
    cells = by_cell(runs, rows)
    files = file_names(kind, [name for name, _ in cells])
    return [
        Figure(file, title, sees, chart(table), table, kind, name)
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


def choices(cells: Sequence[dict[str, Any]]) -> list[str]:
    """Return a name for each cell: the levels of the factors that have several."""
    varying = [name for name in (cells[0] if cells else {}) if len({str(cell.get(name)) for cell in cells}) > 1]
    return [", ".join(str(cell.get(name)) for name in varying) or "all" for cell in cells]


def file_names(kind: str, names: Sequence[str]) -> list[str]:
    """Return a name for each figure of a kind: of letters and digits, and no two the same."""
    plain = [re.sub(r"[^A-Za-z0-9]+", "-", name) for name in names]
    return [f"{kind}-{one}" + (f"-{number + 1}" if plain.count(one) > 1 else "") for number, one in enumerate(plain)]


def numbers(text: str) -> list[float]:
    """Return the numbers of a fact; none where one of its words is no number."""
    try:
        found = list(map(float, text.split()))
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []
