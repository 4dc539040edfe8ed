"""The runs of one side by cell: their times by block, and the name of each cell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from knee.explain.disturbance import taken
from knee.explain.scaling.series import cell_words
from knee.stats.intervals import Array
from knee.stats.paired import Times
from knee.store import Level, Run


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its name, its runs, their machine, and the version of knee that planned them."""

    name: str
    runs: list[Run]
    machine: dict[str, Any]
    version: str | None


@dataclass(frozen=True)
class CellTimes(Times):
    """The runs of a cell by block, shape (blocks,)."""

    cell: dict[str, Level]


def times(side: Side, blocks: int, without: str) -> dict[str, CellTimes]:
    """Return the cells of a side by key, ordered by threads; ``without`` is the factor whose levels are compared."""
    cells: dict[str, CellTimes] = {}
    allowed = len(side.machine.get("allowed", {}).get("cpus", []))
    for run in sorted(side.runs, key=lambda run: (str(run.spec["cell"].get("placement")), run.threads)):
        if run.is_control:
            continue
        cell = {name: level for name, level in run.spec["cell"].items() if name != without}
        one = cells.setdefault(key_of(cell), CellTimes(np.full(blocks, np.nan), np.zeros(blocks), cell))
        if run.bad is None:
            one.seconds[run.spec["block"] - 1] = run.time_s
            one.taken[run.spec["block"] - 1] = taken(run, allowed)
    return cells


def names(cells: dict[str, CellTimes]) -> dict[str, str]:
    """Name each cell by the factors that vary."""
    levels: dict[str, set[str]] = {}
    for cell in (one.cell for one in cells.values()):
        for name, level in cell.items():
            levels.setdefault(name, set()).add(str(level))
    varying = [name for name, known in levels.items() if len(known) > 1] or ["threads"]
    return {key: _words(one.cell, [n for n in varying if n in one.cell] or [*one.cell]) for key, one in cells.items()}


def _words(cell: dict[str, Level], names: list[str]) -> str:
    # If no other factor varies, each side is a single cell.
    return cell_words(cell, names) or "all runs"


def mean(times: Array) -> float:
    """Return the geometric mean of the good runs; NaN without any."""
    good = times[np.isfinite(times)]
    return float(np.exp(np.log(good).mean())) if good.size else float("nan")


def key_of(cell: dict[str, Level]) -> str:
    """Return a text that is equal for equal levels."""
    return json.dumps(cell, sort_keys=True)
