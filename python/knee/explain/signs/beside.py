"""How much one thread slows down while something else runs on the other cpus."""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, against, mean
from knee.explain.ledger.ledger import MACHINE, Ledger
from knee.stats.distributions import student_value
from knee.stats.intervals import LEVEL, Interval
from knee.store import Record

STREAM, PIRATE, BUSY = "stream beside", "pirate beside", "busy cores beside"
"""Names of the questions: other memory traffic, a smaller share of the cache, other cores that compute in registers."""


ENOUGH, FEW = 5, 3
"""From so many runs of one thread alone they tell how much its time varies, where fewer than these were made beside
others.
"""

SAFE = 1.5
"""Times of one thread beside others may vary so many times as much as those alone."""


def slower(found: Evidence, name: str) -> Mean | None:
    """Return the logarithm of one thread's CPU time beside it over that alone; None without that run."""
    cell = found.test(name)
    if cell is None:
        return None
    ratio = against(cell.cpu, found.base.cpu)
    made, alone = (np.log(each[np.isfinite(each)]) for each in (cell.cpu, found.base.cpu))
    if made.size >= FEW or alone.size < ENOUGH or not made.size:
        return ratio
    error = SAFE * float(alone.std(ddof=1) * np.sqrt(1 / made.size + 1 / alone.size))
    half = float(student_value((1 + LEVEL) / 2, alone.size - 1)) * error
    return Mean(ratio.value, Interval(ratio.value - half, ratio.value + half), int(made.size))


FELL = 0.5
"""Share of what other busy cores take that the clock must take, where it is the clock."""


def clock_beside(found: Evidence) -> Mean | None:
    """Return the logarithm of what a step of a chain of dependent operations takes beside busy cores, over that beside
    idle ones; None where no run tells. A lower clock makes it longer, while a core that is shared hardly does.
    """
    cell = found.test(BUSY)
    steps = [] if cell is None else [step for run in cell.runs if (step := _step(run.record)) is not None]
    return mean(np.log(steps)) if steps else None


def _step(record: Record) -> float | None:
    """Return the clock's step beside other programs, over that beside idle cores, of one run."""
    idle = record.get("validity", {}).get("clock_before_ns")
    busy = next((one.get("clock_ns") for one in record.get("beside", [])), None)
    return busy / idle if idle and busy else None


def shares_a_core(found: Evidence) -> bool:
    """Whether busy cores slow a thread down, and not by a lower clock: then cpus share a core.

    A hypervisor may put several of its cpus on one core, and show each as a core of its own.
    """
    busy, clock = slower(found, BUSY), clock_beside(found)
    return busy is not None and clock is not None and clock.value < FELL * busy.value


MUCH = 0.25
"""Share of what slows copies down that a falling clock must leave: programs that use memory may lower it further."""


def besides_clock(found: Evidence, book: Ledger) -> Part:
    """Return what slows copies down besides a clock that falls while other cores compute."""
    machine, busy = Part.of(book.value(MACHINE)), slower(found, BUSY)
    if busy is None:
        return machine
    left = machine.less(busy_alone(busy))
    return left if left.value > MUCH * machine.value else Part(0.0, 0.0, 0.0)


def took(found: Evidence) -> float:
    """Return what other busy cores take alone, in logarithms: whatever runs beside a thread keeps them busy as well."""
    busy = slower(found, BUSY)
    return 0.0 if busy is None else max(0.0, busy.value)


def busy_alone(busy: Mean) -> Part:
    """Return what other busy cores take, which is no gain. Where it is not known closely, nothing beside it is."""
    return Part(max(0.0, busy.value), busy.interval.low, busy.interval.high)
