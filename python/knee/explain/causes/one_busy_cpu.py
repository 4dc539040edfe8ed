"""One busy cpu.

What it sees
    More threads were asked for, one cpu was busy all the time and no more than one, and the run time did not fall.
Why the curve bends
    A lock that all threads need lets one of them compute at a time (Python's global interpreter lock), or one thread
    gets all the work: the program does not read its thread count, or its input is too small to be shared.
How to test it
    Run processes instead of threads: they share no lock. Look at CPU use over time: with a lock threads take turns,
    without one the others never compute.
How to move it
    A lock: hold it for less, or use processes. One thread with all the work: pass the thread count on to the program.

The sign alone names nothing, because both causes show it, so the finding says what is left and which run would decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from knee.explain.causes.cause import Finding

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series

ONE = (0.90, 1.05)
"""Busy cpus on average, at the count of most of them, that are one. Below that the program mostly waits."""

NO_GAIN = 1.10
"""Run time has not fallen when the interval of the speedup ends below this, other programs allowed for."""

LEFT = ("a lock that lets one thread compute at a time", "one thread that gets all the work")


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count that fits the cpus, or None."""
    more = [point for point in series.curve.points if 1 < point.threads <= series.cpus]
    if not more or series.curve.base != 1:
        return None
    busiest, n = max(point.busy for point in more), more[-1].threads
    # Written this way round, the comparisons are false for what is not known.
    if not (ONE[0] <= busiest <= ONE[1] and series.against(n, 1).interval.low > 1 / NO_GAIN):
        return None
    speedup, ends = more[-1].speedup, more[-1].speedup.interval
    return Finding(
        series=series.name,
        cause="one busy cpu",
        says=f"threads never kept more than one cpu busy (at most {busiest:.2f}): {LEFT[0]}, or {LEFT[1]}",
        signs=(
            *(f"{point.busy:.2f} cpus busy on average with {point.threads} threads" for point in more),
            f"speedup with {n} threads: {speedup.estimate:.2f} [{ends.low:.2f}, {ends.high:.2f}]",
        ),
        refute="processes instead of threads: if they are faster, it is a lock; if not, only one thread gets work",
        remedy="find out first which of them it is",
        left=LEFT,
    )
