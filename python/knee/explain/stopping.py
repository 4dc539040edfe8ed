"""Whether a study has said enough: the rule that its design declares beforehand, asked before each further block.

Only the width of intervals may end a study, and what it costs: to stop when a difference shows would show differences
that are none. Before :data:`BLOCKS_FOR_A_WIDTH` blocks an interval is narrow by luck too often.

Hoefler, Belli, *Scientific benchmarking of parallel computing systems*, SC 2015, rule 5.
"""

from __future__ import annotations

import itertools
import json
import statistics
from datetime import datetime
from typing import Any

import numpy as np

from knee.stats.intervals import Array, ratio
from knee.store import Run

BLOCKS_FOR_A_WIDTH = 5
BLOCKS_FOR_A_BUDGET = 2

PAUSE, PAUSE_S = 10, 10.0
"""Between two runs a time longer than so many median ones, and so many seconds, is a pause."""


def enough(runs: list[Run], design: dict[str, Any]) -> str | None:
    """Return why no further block is needed; None when one is.

    Parameters
    ----------
    runs
        All runs so far, of whole blocks.
    design
        The design as declared: ``width``, a share of one, and ``budget_s``, in seconds.
    """
    width, budget = design.get("width"), design.get("budget_s")
    made = max((run.spec["block"] for run in runs), default=0)
    if width is not None and made >= BLOCKS_FOR_A_WIDTH:
        name, widest = _widest(runs, made)
        if widest <= np.log1p(width):
            return f"every interval is within {100 * width:g} %, the widest, of {name}, within {_percent(widest)}"
    if budget is not None and made >= BLOCKS_FOR_A_BUDGET:
        spent = _seconds(runs)
        if sum(spent) + max(spent) > budget:
            return f"{sum(spent):.0f} s of {budget:g} s are spent, and a block takes up to {max(spent):.0f} s"
    return None


def _percent(log_width: float) -> str:
    return f"{100 * np.expm1(log_width):.1f} %"


def _widest(runs: list[Run], blocks: int) -> tuple[str, float]:
    """Return the cell whose ratio to its base is least known, with half its interval's width in logarithms.

    The base of a cell is the one on the fewest threads with its other levels; of a cell without one, the first cell.
    """
    times: dict[str, Array] = {}
    for run in runs:
        if not run.is_control:
            values = times.setdefault(_key(run.spec["cell"]), np.full(blocks, np.nan))
            values[run.spec["block"] - 1] = np.nan if run.bad else run.time_s
    bases = _bases(list(times))
    widest = ("one cell", 0.0)
    for key, values in times.items():
        base = bases[key]
        if base != key or len(times) == 1:
            # One cell alone has nothing but its own mean.
            against = times[base] if base != key else np.where(np.isfinite(values), 1.0, np.nan)
            ends = ratio(against, values).log()[1]
            half = (ends.high - ends.low) / 2
            # NaN, where blocks are missing, is as wide as can be.
            widest = max(widest, (_words(key), half if half == half else float("inf")), key=lambda one: one[1])
    return widest


def _bases(keys: list[str]) -> dict[str, str]:
    """Return the base of each cell."""
    cells = {key: json.loads(key) for key in keys}
    first = min(keys, key=lambda key: cells[key].get("threads", 1))
    alike: dict[str, list[str]] = {}
    for key, cell in cells.items():
        alike.setdefault(_key({name: level for name, level in cell.items() if name != "threads"}), []).append(key)
    bases: dict[str, str] = {}
    for members in alike.values():
        base = min(members, key=lambda key: cells[key].get("threads", 1))
        bases |= dict.fromkeys(members, base if len(members) > 1 else first)
    return bases


def _key(cell: dict[str, Any]) -> str:
    return json.dumps(cell, sort_keys=True)


def _words(key: str) -> str:
    return ", ".join(f"{name}={level}" for name, level in json.loads(key).items())


def _seconds(runs: list[Run]) -> list[float]:
    """Return how long each block took: its runs, and before each of them what it takes to go on from the one before.

    A pause, after which somebody resumed, is no measuring: a gap much longer than the others counts as their median.
    """
    begun = sorted((datetime.fromisoformat(run.record["start"]).timestamp(), run.order, run) for run in runs)
    walls = [run.record["wall_ns"] / 1e9 for _, _, run in begun]
    gaps = [
        max(0.0, later[0] - one[0] - wall) for (one, later), wall in zip(itertools.pairwise(begun), walls, strict=False)
    ]
    usual = statistics.median(gaps) if gaps else 0.0
    spent: dict[int, float] = {}
    for (_, _, run), wall, gap in zip(begun, walls, [0.0, *gaps], strict=True):
        block = run.spec["block"]
        spent[block] = spent.get(block, 0.0) + wall + (usual if gap > PAUSE * usual + PAUSE_S else gap)
    return list(spent.values())
