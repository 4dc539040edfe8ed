"""Whether a study has said enough: the rule that its design declares beforehand, asked before each further block.

Only the width of intervals may end a study, and what it costs: to stop when a difference shows would show differences
that are none. An interval that was waited for until it was narrow is narrow by luck, too: of 90 % promised it covers
86. So when all are narrow, :data:`MORE_BLOCKS` more are made without looking again, whose scatter nobody chose; then it
covers 89 to 90 (simulated in ``python/tests/test_stopping.py``).

Hoefler, Belli, *Scientific benchmarking of parallel computing systems*, SC 2015, rule 5. Simons, *On the cost of not
knowing the variance when making a fixed-width confidence interval for the mean*, Annals of Mathematical Statistics 39,
1968 (further observations after a sequential rule).
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np

from knee.stats.intervals import Array, ratio
from knee.store import Run

BLOCKS_FOR_A_WIDTH = 5
"""Before so many blocks no interval counts as narrow."""

MORE_BLOCKS = 8
"""Blocks that are made after all intervals were narrow."""

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
    if width is not None and made >= BLOCKS_FOR_A_WIDTH + MORE_BLOCKS:
        times = _times(runs, made)
        narrow = narrow_after(times, made - MORE_BLOCKS, width)
        if narrow is not None:
            name, widest = _widest(times, made)
            said = (
                f"every interval was within {100 * width:g} % after block {narrow}, and {made - narrow} more were made"
            )
            return f"{said}; the widest, of {name}, is within {_percent(widest)}"
    if budget is not None and made >= BLOCKS_FOR_A_BUDGET:
        spent = _seconds(runs)
        if sum(spent) + max(spent) > budget:
            return f"{sum(spent):.0f} s of {budget:g} s are spent, and a block takes up to {max(spent):.0f} s"
    return None


def _percent(log_width: float) -> str:
    return f"{100 * np.expm1(log_width):.1f} %"


def narrow_after(times: Mapping[str, Array], blocks: int, width: float) -> int | None:
    """Return the first number of blocks after which every interval was narrow; None when it was after none so far.

    Parameters
    ----------
    times
        Seconds of each cell, by block, shape (blocks,); NaN where a run was bad. A cell's levels are in JSON.
    blocks
        How many of them to look at.
    width
        Half of an interval as a share of the ratio.
    """
    looks = range(BLOCKS_FOR_A_WIDTH, blocks + 1)
    return next((after for after in looks if _widest(times, after)[1] <= np.log1p(width)), None)


def _times(runs: list[Run], blocks: int) -> dict[str, Array]:
    times: dict[str, Array] = {}
    for run in runs:
        if not run.is_control:
            values = times.setdefault(_key(run.spec["cell"]), np.full(blocks, np.nan))
            values[run.spec["block"] - 1] = np.nan if run.bad else run.time_s
    return times


def _widest(times: Mapping[str, Array], blocks: int) -> tuple[str, float]:
    """Return the cell whose ratio to its base is least known, with half its interval's width in logarithms.

    The base of a cell is the one on the fewest threads with its other levels; of a cell without one, the first cell.
    """
    bases = _bases(list(times))
    widest = ("one cell", 0.0)
    for key, all_ in times.items():
        values, base = all_[:blocks], bases[key]
        if base != key or len(times) == 1:
            # One cell alone has nothing but its own mean.
            against = times[base][:blocks] if base != key else np.where(np.isfinite(values), 1.0, np.nan)
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
