"""One busy cpu.

What it sees
    Several threads were requested, but never more than one cpu was busy, and the run time did not fall.
Why the curve bends
    A lock lets only one thread compute at a time (Python's global interpreter lock), or one thread gets all the work:
    the program ignores its thread count, or its input is too small to be divided.
How to test it
    Run processes instead of threads, which share no lock. Look at CPU use over time: with a lock threads take turns;
    otherwise all but one thread never compute.
How to move it
    A lock: hold it for a shorter time, or use processes. One thread with all the work: pass the thread count to the
    program.

The symptom alone names no cause, since both causes have it, so the finding lists both and the run that would decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from knee.explain.causes.cause import Finding

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series

ONE = (0.90, 1.05)
"""Range of the average number of busy cpus that counts as one. Below it the program mostly waits."""

NO_GAIN = 1.10
"""The run time has not fallen when the speedup's interval, allowing for other programs, ends below this."""

LEFT = ("a lock that lets one thread compute at a time", "one thread that gets all the work")


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count that fits the cpus, or None."""
    more = [point for point in series.curve.points if 1 < point.threads <= series.cpus]
    if not more or series.curve.base != 1:
        return None
    busiest, n = max(point.busy for point in more), more[-1].threads
    # Written so that unknown values (NaN) make the comparison false.
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
        refute="run processes instead of threads: if they are faster, it is a lock; if not, only one thread gets work",
        remedy="first find out which of them it is",
        left=LEFT,
    )
