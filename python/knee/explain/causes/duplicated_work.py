"""Duplicated work.

What it sees
    CPU time grows with the threads while the run time does not fall: the cpus are busy, and nothing comes of it. And
    that many copies of the one-thread program, side by side on the same cpus, are hardly slower than one alone.
Why the curve bends
    Threads do the same work again (a lazy runtime that evaluates one thunk twice), or wait for each other without
    sleeping.
How to test it
    Run the copies: when each of them is as slow as the threads are, the machine is the cause and not the program.
How to move it
    In GHC, build with ``-feager-blackholing``; elsewhere look for locks that spin and for work done once per thread.

The first sign alone names nothing: slower memory, a shared core and a slower clock raise CPU time as well. The copies
meet all three, and share no work that could be done twice. Without them (``knee study --copies``) knee says what it
saw, and what that leaves open.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from knee.explain.causes.cause import Finding

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series
    from knee.stats.intervals import Ratio
    from knee.stats.scaling.curve import Point

INFLATION = math.log(1.5)
"""CPU time must have grown by half at least: less than that has many causes."""

NO_GAIN = 1.10
"""Run time has not fallen when the interval of the speedup ends below this."""

SHARE = 0.25
"""Copies are hardly slower when they explain less than this part of the growth, in logarithms."""


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count that fits the cpus, or None."""
    fitting = [point for point in series.curve.points if 1 < point.threads <= series.cpus]
    if not fitting or series.curve.base != 1:
        return None
    point = fitting[-1]
    growth, inflation = point.cpu.log()
    ends = point.speedup.interval
    if not (inflation.low > INFLATION and ends.high < NO_GAIN):
        return None
    return _finding(series, point, growth)


def _finding(series: Series, point: Point, growth: float) -> Finding:
    """Return duplicated work where copies show that the machine is not the cause, else what that leaves open."""
    n, copies = point.threads, series.copies.get(point.threads)
    observed = f"CPU time grows {point.cpu.estimate:.2f}x from 1 to {n} threads while the run time does not fall"
    signs = (
        f"CPU time at {n} threads over CPU time at 1: {_shown(point.cpu)}",
        f"speedup at {n} threads: {_shown(point.speedup)}, with {point.busy:.2f} cpus busy on average",
    )
    if copies is None or copies.blocks < 2:
        return Finding(
            series=series.name,
            cause="growing CPU time",
            says=f"{observed}: work done twice, waiting without sleeping, or a machine that slows them down",
            signs=signs,
            refute=f"{n} copies of the one-thread program side by side (`--copies`) tell the program from the machine",
            remedy="find out first which of them it is",
        )
    signs += (f"{n} copies of the one-thread program side by side take {_shown(copies)} times as long as one",)
    if copies.log()[1].high > SHARE * growth:
        return Finding(
            series=series.name,
            cause="growing CPU time",
            says=f"{observed}, and copies side by side slow each other down as well: the machine has a part in it",
            signs=signs,
            refute="copies with other placements: whether they slow down on cores that share less",
            remedy="see which placement lets the copies run freely",
        )
    return Finding(
        series=series.name,
        cause="duplicated work",
        says=f"{observed}, though copies side by side run freely: threads do work twice, or wait without sleeping",
        signs=signs,
        refute="counting instructions: if they do not grow with CPU time, the threads were slowed down after all",
        remedy="GHC: build with -feager-blackholing. Elsewhere: locks that spin, and work done once per thread.",
    )


def _shown(ratio: Ratio) -> str:
    return f"{ratio.estimate:.2f} [{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]"
