"""How often threads wait for each other, against all threads on one cpu.

A lock is passed on hundreds or thousands of times a second, and on one cpu hardly ever: no thread runs while another
one holds it. Threads that wait because one of them has more to do, or works alone, go to sleep as often on one cpu; so
does a thread that hands out the work of others, which is left out where records of context switches tell of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import FEWEST, ONE_CPU, Evidence
from knee.explain.evidence.means import Mean, against, mean
from knee.stats.intervals import Array, combined

PASSED = 2.0
"""A lock is passed on this many times as often as on one cpu, at least."""

PASSED_AT_ONE = 1.25
"""The same where several threads were seen to wait at one futex. Of a lock that is held for as long as a thread's turn
on a cpu, holders lose the cpu to others, which then wait for it on one cpu, too.
"""

MOSTLY = 0.5
"""Share of the runs, at the least, in which that was seen."""

OFTEN = 100.0
"""Waits in a second of run time; fewer cost nothing, whatever they are."""

SETTINGS = ("allocator", "page faults", "garbage collection")
"""Causes whose changed setting can take waits away."""

FEWER = 0.3
"""Longer turns take away at least this share of the waits, where they are for the interpreter."""

SOME = np.log(0.9)
"""A setting that takes waits away leaves at most this share of them, as a logarithm."""

SPIN = r"lib(jemalloc|tcmalloc|mimalloc)"
"""Allocators whose locks spin before they sleep."""

SURE = 0.1
"""Share of all waits that must be left to tell."""

LOADED = r"libc\.so|libc-2|ld-musl"
"""The library whose allocator another one can replace; musl's is in its loader."""

FEW = 3.0
"""Waits that say nothing, in a whole run."""


@dataclass(frozen=True)
class Waits:
    """How often threads went to sleep, a second, and how that compares with all threads on one cpu."""

    rate: Mean
    ratio: Mean
    """Natural logarithm of the number of waits over that on one cpu."""
    beyond: float
    """Low end of how many waits there are beyond twice those on one cpu."""
    at_one: bool
    """Whether several threads were seen to wait at one futex, without a time limit."""

    @property
    def more(self) -> bool:
        """Whether threads surely wait more often than on one cpu, however seldom that is.

        A few waits on one cpu vary by factors from run to run, and so does the ratio, while all of them are few.
        """
        least = PASSED_AT_ONE if self.at_one else PASSED
        return bool(self.ratio.interval.low > np.log(least)) or self.beyond > 0

    @property
    def passed_on(self) -> bool | None:
        """Whether threads wait for each other; None if it cannot be told."""
        if self.rate.value < OFTEN:
            return False
        if not np.isfinite(self.ratio.interval.low):
            return None
        if self.more:
            return True
        return False if self.ratio.interval.high < np.log(PASSED) else None


def waits(found: Evidence) -> Waits | None:
    """Return how often threads wait; None without the run on one cpu."""
    return _of(found, found.many)


def own_waits(found: Evidence) -> Waits | None:
    """Return how often threads wait for each other in the program itself; None without the run on one cpu.

    An interpreter's longer turns change only how often it is passed on.
    """
    return _of(found, own_cell(found))


def own_cell(found: Evidence) -> Cell:
    """Return the runs in which threads wait for each other in the program itself: those with the changed setting that
    takes most waits away, if one surely does. That is another allocator, memory that is kept, or a larger heap.
    """
    changed = [cell for name in SETTINGS if fewer(found, name) and (cell := found.setting(name)) is not None]
    return min((found.many, *changed), key=lambda cell: mean(cell.sleeps).value)


def waits_with(found: Evidence, cause: str) -> Waits | None:
    """Return how often threads wait with the changed setting that tests a cause; None without it."""
    changed = found.setting(cause)
    return None if changed is None else _of(found, changed)


def longer_turns(found: Evidence) -> bool | None:
    """Whether an interpreter's longer turns make threads wait for each other less often; None if it cannot be told.

    Waits that another setting takes away are not counted.
    """
    turns = found.setting("interpreter lock")
    if turns is None:
        return None
    every = mean(found.many.sleeps).value
    own = min((mean(cell.sleeps).value for cell in _changed(found)), default=every)
    if not own > SURE * every:
        # What is left of many counts has their error.
        return None
    counts, longer = (cell.sleeps[np.isfinite(cell.sleeps)] for cell in (found.many, turns))
    fewer = combined(counts, [(-1.0, longer)])[1]
    return True if fewer.low > FEWER * own else False if fewer.high < FEWER * own else None


def fewer(found: Evidence, cause: str) -> bool:
    """Whether the changed setting that tests a cause surely takes waits away."""
    changed = found.setting(cause)
    return changed is not None and against(changed.sleeps + 1, found.many.sleeps + 1).interval.high < SOME


def share_left(found: Evidence, cause: str) -> float | None:
    """Return which share of the waits the changed setting that tests a cause leaves; None without it."""
    changed = found.setting(cause)
    return None if changed is None else float(np.exp(against(changed.sleeps + 1, found.many.sleeps + 1).value))


def _changed(found: Evidence) -> list[Cell]:
    return [cell for cause in SETTINGS if (cell := found.setting(cause)) is not None]


def _of(found: Evidence, cell: Cell) -> Waits | None:
    one_cpu = found.test(ONE_CPU)
    if one_cpu is None:
        return None
    watched = found.watched if cell is found.many else cell
    if all(np.isfinite(one.own_sleeps).sum() >= FEWEST for one in (watched, one_cpu)):
        # Others, such as one that hands out the work, sleep as often on one cpu.
        return _compared((watched.own_sleeps, one_cpu.own_sleeps, watched.seconds), at_one=_at_one(cell))
    # The waits of the base are none for other threads.
    before = mean(found.base.sleeps).value
    return _compared((cell.sleeps - before, one_cpu.sleeps - before, cell.seconds), at_one=_at_one(cell))


def _at_one(cell: Cell) -> bool:
    """Whether several threads were seen to wait at one futex in most runs, and at none with a time limit."""
    hottest = [run.record.get("futex", {}).get("hottest", []) for run in cell.runs]
    limits = [{one["timed"] > 0 for one in each if one["threads"] > 1} for each in hottest]
    return limits.count({False}) > MOSTLY * len(limits)


def _compared(counts: tuple[Array, Array, Array], *, at_one: bool) -> Waits:
    """Compare counts with all threads, and with all on one cpu, in runs of the first that take so many seconds."""
    many, one_cpu, seconds = counts
    # There are a few more each, so that there is always a ratio. Runs of questions may be in other blocks, so means are
    # compared.
    every, few = (np.maximum(0.0, each) + FEW for each in (many, one_cpu))
    known, other = (each[np.isfinite(each)] for each in (every, few))
    return Waits(mean(every / seconds), against(every, few), combined(known, [(-PASSED, other)])[1].low, at_one)
