"""The stopping rule that a design declares beforehand, checked before each further block.

Only the width of the intervals and the time spent may end a study: stopping as soon as a difference is significant
would report differences that do not exist. Even an interval that was watched until it became narrow is partly narrow by
chance: it covers 86 % instead of 90 %. So once all intervals are narrow, :data:`MORE_BLOCKS` more blocks are made
without another look; then coverage is 89 to 90 % (simulated in ``python/tests/test_stopping.py``).

Hoefler, Belli, *Scientific benchmarking of parallel computing systems*, SC 2015, rule 5. Simons, *On the cost of not
knowing the variance when making a fixed-width confidence interval for the mean*, Annals of Mathematical Statistics 39,
1968 (further observations after a sequential rule).
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Mapping
from typing import Any

import numpy as np

from knee.stats.intervals import Array, ratio
from knee.store import Run, counts_cells, start_of

BLOCKS_FOR_A_WIDTH = 5
"""No interval counts as narrow before this many blocks."""

MORE_BLOCKS = 8
"""Blocks made after all intervals have become narrow."""

EARLIEST = BLOCKS_FOR_A_WIDTH + MORE_BLOCKS
"""Blocks after which narrow intervals may end a study at the earliest."""

BLOCKS_FOR_A_BUDGET = 2

PAUSE, PAUSE_S = 10, 10.0
"""A gap between two runs that exceeds this many median gaps plus this many seconds is a pause."""


def enough(runs: list[Run], design: dict[str, Any]) -> str | None:
    """Return why the study may stop; None when it needs a further block.

    Parameters
    ----------
    runs
        All runs of the complete blocks so far.
    design
        The design as declared: ``width`` as a share (0.05 for 5 %), ``budget_s`` in seconds, and ``at_least_s`` in
        seconds beside ``blocks``.
    """
    width, budget = design.get("width"), design.get("budget_s")
    made = max((run.spec["block"] for run in runs), default=0)
    if width is not None and made >= EARLIEST:
        times = _times(runs, made)
        narrow = narrow_after(times, made - MORE_BLOCKS, width)
        if narrow is not None:
            name, widest = _widest(times, made)
            said = f"every interval was within {100 * width:g} % after block {narrow}; {made - narrow} more were made"
            return f"{said}; the widest now, of {name}, is within {_percent(widest)}"
    least = design.get("at_least_s")
    if least is not None and made >= design.get("blocks", 0) and (took := own_s(runs)) >= least:
        return f"{made} blocks took {took:.3g} s of runs, and {least:g} s were asked for"
    if budget is not None and made >= BLOCKS_FOR_A_BUDGET:
        spent = _seconds(runs)
        again = spent[1:] if _counted_once(runs) else spent
        if sum(spent) + max(again) > budget:
            return f"{sum(spent):.0f} s of {budget:g} s are used, and one block takes up to {max(again):.0f} s"
    return None


def own_s(runs: list[Run]) -> float:
    """Return the seconds of the study's own runs, without those that answer questions."""
    return sum(run.record["wall_ns"] / 1e9 for run in runs if "test" not in run.spec)


def elapsed_s(runs: list[Run]) -> float:
    """Return the seconds that the runs took together, with the gaps between them but without pauses."""
    return sum(_seconds(runs))


def _counted_once(runs: list[Run]) -> bool:
    """Whether the first block alone has runs that count: they counted nothing, and further blocks take less time."""
    return len({run.spec["block"] for run in runs if counts_cells(run.spec)}) == 1


def _percent(log_width: float) -> str:
    return f"{100 * np.expm1(log_width):.1f} %"


def narrow_after(times: Mapping[str, Array], blocks: int, width: float) -> int | None:
    """Return the first block after which every interval was narrow; None if there is none yet.

    Parameters
    ----------
    times
        Seconds by cell and block, shape (blocks,), NaN where a run was bad; the key of a cell is its levels in JSON.
    blocks
        Number of blocks to look at.
    width
        Half the width of an interval, as a share of the ratio.
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
    """Return the cell with the widest interval, and half that width in logarithms.

    The interval is that of the ratio to the cell's base: the cell on the fewest threads with the same other levels, or
    the first cell if there is no other.
    """
    bases = _bases(list(times))
    widest = ("one cell", 0.0)
    for key, all_ in times.items():
        values, base = all_[:blocks], bases[key]
        if base != key or len(times) == 1:
            # A single cell has no base: its interval is that of its own mean.
            against = times[base][:blocks] if base != key else np.where(np.isfinite(values), 1.0, np.nan)
            ends = ratio(against, values).log()[1]
            half = (ends.high - ends.low) / 2
            # NaN, where blocks are missing, counts as infinitely wide.
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
    """Return how long each block took, with the gaps between runs.

    A gap much longer than the others is a pause before a resume, or a clock that was set forward, and counts as a usual
    gap. The runs stand in the order of the plan, since a clock may have been set back.
    """
    made = sorted(runs, key=lambda run: run.order)
    begun = [start_of(run.record).timestamp() for run in made]
    walls = [run.record["wall_ns"] / 1e9 for run in made]
    gaps = [max(0.0, later - one - wall) for (one, later), wall in zip(itertools.pairwise(begun), walls, strict=False)]
    # Without the longest gap: the only one there is may be a pause.
    usual = statistics.median(sorted(gaps)[:-1]) if len(gaps) > 1 else 0.0
    spent: dict[int, float] = {}
    for run, wall, gap in zip(made, walls, [0.0, *gaps], strict=True):
        block = run.spec["block"]
        spent[block] = spent.get(block, 0.0) + wall + (usual if gap > PAUSE * usual + PAUSE_S else gap)
    return list(spent.values())
