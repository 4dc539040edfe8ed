"""Duplicated work.

What it sees
    CPU time grows with the threads while the run time does not fall: the cpus are busy, and nothing comes of it.
Why the curve bends
    Threads do the same work again (a lazy runtime that evaluates one thunk twice), or wait for each other without
    sleeping.
How to test it
    Run that many one-thread copies side by side: when each of them stays as fast as alone, the machine is not what
    slows the program down.
How to move it
    In GHC, build with ``-feager-blackholing``; elsewhere look for locks that spin and for work done once per thread.

Without hardware counters slower memory raises CPU time as well, so the finding asks for more than that: the added
CPU time must eat up the added threads. Memory that saturates slows threads down; it very rarely leaves a second one
with nothing at all, and knee never names memory from CPU time alone.
"""

from __future__ import annotations

import math

from knee.explain.cause import Finding
from knee.explain.series import Series
from knee.stats.contrasts import log

INFLATION = math.log(1.5)
"""CPU time must have grown by half at least: less than that has many fathers."""

NO_GAIN = 1.10
"""Run time has not fallen when the interval of the speedup ends below this."""


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count that fits the cpus, or None."""
    fitting = [point for point in series.curve.points if 1 < point.threads <= series.cpus]
    if not fitting or series.curve.base != 1:
        return None
    point = fitting[-1]
    _, inflation = log(point.cpu)
    stalled = point.speedup.interval.high < NO_GAIN
    if not (inflation.low > INFLATION and stalled):
        return None
    low, high = point.cpu.interval.low, point.cpu.interval.high
    ends = point.speedup.interval
    return Finding(
        series=series.name,
        cause="duplicated work",
        says=(
            f"CPU time grows {point.cpu.estimate:.2f}x from 1 to {point.threads} threads while the run time does not "
            "fall: threads do work again, or wait without sleeping"
        ),
        signs=(
            f"CPU time at {point.threads} threads over CPU time at 1: {point.cpu.estimate:.2f} [{low:.2f}, {high:.2f}]",
            f"speedup at {point.threads} threads: {point.speedup.estimate:.2f} [{ends.low:.2f}, {ends.high:.2f}]",
            f"{point.busy:.2f} cpus were busy on average, so the added threads did run",
        ),
        refute=(
            f"{point.threads} copies of the one-thread program side by side: if each is as slow as this run, the "
            "machine is the cause and not the program"
        ),
        remedy="GHC: build with -feager-blackholing. Elsewhere: locks that spin, and work done once per thread.",
    )
