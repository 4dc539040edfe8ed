"""Growing CPU time.

What it sees
    CPU time grows with the thread count while the run time does not fall: the cpus are busy without any gain. Four
    causes have this symptom; further signs distinguish them.
Why the curve bends
    Threads duplicate work (a lazy runtime evaluates one thunk twice), spin (wait without sleeping), pass cache lines
    back and forth (true or false sharing), or share hardware that slows all of them down.
How to test it
    Run copies of the one-thread program side by side (``--copies``): they use the same machine but share neither work
    nor cache lines. Run all threads on one cpu: they share the work, but no cache line moves between cores. Count
    instructions: they grow with duplicated work and with spinning, not with slower execution.
How to move it
    Duplicated work: in GHC, build with ``-feager-blackholing``. Spinning: use locks that sleep. Cache lines: pad data
    that different threads write to.

The symptom alone names no cause. If copies do not slow each other down, the machine is not the cause, but that is all
it shows: copies share no cache lines either. So a cause is named only when the signs exclude all others, and one of
them is an intervention: a run that changes one thing. Otherwise the finding lists the causes that remain possible and
the run that would decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knee.explain.causes.cause import Finding

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series
    from knee.stats.intervals import Ratio
    from knee.stats.paired import Comparison
    from knee.stats.scaling.curve import Point

INFLATION = math.log(1.5)
"""CPU time must have grown by at least half: smaller growth has many causes."""

NO_GAIN = 1.10
"""The run time has not fallen when the speedup's interval, allowing for other programs, ends below this."""

SHARE = 0.25
"""A ratio that grows by less than this share of the growth in CPU time (in logarithms) explains none of it; one that
grows by more than one minus this share explains all of it.
"""

WORK, SPINNING = "duplicated work", "spinning"
LINES, MACHINE = "shared cache lines", "a slower machine"
CAUSES = (WORK, SPINNING, LINES, MACHINE)

NAMED: dict[tuple[str, ...], tuple[str, str, str]] = {
    (WORK, SPINNING): (
        "duplicated work or spinning",
        "let waiting threads sleep: if CPU time falls to that of 1 thread they were spinning, else they duplicate work",
        "look for work that every thread repeats (GHC: build with -feager-blackholing), and for locks that spin",
    ),
    (LINES,): (
        "sharing of cache lines",
        "pad the data that threads write to: if CPU time still grows, the sharing is true sharing",
        "put data that different threads write to on separate cache lines",
    ),
    (MACHINE,): (
        "shared hardware",
        "run copies with other placements: if they are as slow on cores that share less, sharing is not the cause",
        "find a placement in which copies do not slow each other down",
    ),
}
"""Causes that may be named, each with the run that would refute it and the remedy. Without counts of the work,
duplicated work and spinning cannot be distinguished.
"""


@dataclass(frozen=True)
class Sign:
    """An observation, and the causes that it excludes."""

    says: str
    excludes: tuple[str, ...]
    intervention: bool


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count that fits the cpus, or None."""
    fitting = [point for point in series.curve.points if 1 < point.threads <= series.cpus]
    if not fitting or series.curve.base != 1:
        return None
    point = fitting[-1]
    growth, inflation = point.cpu.log()
    # Other programs may be why the run time does not fall, so they are allowed for.
    if not (inflation.low > INFLATION and series.against(point.threads, 1).interval.low > 1 / NO_GAIN):
        return None
    return _finding(series, point, _signs(series, point.threads, growth))


def _signs(series: Series, n: int, growth: float) -> list[Sign]:
    """Return the signs that the study's other runs give."""
    signs = [_copies(series, n, growth), _instructions(series, n, growth), _one_cpu(series, n, growth)]
    return [sign for sign in signs if sign is not None]


def _copies(series: Series, n: int, growth: float) -> Sign | None:
    """Return the sign of the copies, allowing for other programs; None without copies."""
    if n not in series.copies:
        return None
    over_one = series.copies_over_one(n)
    says = f"{n} copies of the one-thread program, run side by side, take {_shown(over_one)} times as long as one"
    says += ", allowing for other programs" if over_one.bounds else ""
    ends, little, most = over_one.interval, math.exp(SHARE * growth), math.exp((1 - SHARE) * growth)
    if ends.high <= little:
        return Sign(says, (MACHINE,), True)
    if ends.low >= most:
        return Sign(says, (WORK, SPINNING, LINES), True)
    return Sign(f"{says}: shared hardware is part of the cause" if ends.low > little else says, (), True)


def _instructions(series: Series, n: int, growth: float) -> Sign | None:
    counted = series.counted("instructions", n)
    says = f"instructions at {n} threads over instructions at 1: {_shown(counted)}"
    return _grown(says, counted, growth, along=(LINES, MACHINE), not_along=(WORK, SPINNING), intervention=False)


def _one_cpu(series: Series, n: int, growth: float) -> Sign | None:
    cpu = series.one_cpu.get(n)
    if cpu is None:
        return None
    says = f"CPU time of {n} threads on one cpu over that of 1: {_shown(cpu)}"
    # If it does not grow, threads may still duplicate work when they run at the same time.
    return _grown(says, cpu, growth, along=(LINES, MACHINE), not_along=(), intervention=True)


def _grown(
    says: str, ratio: Ratio, growth: float, *, along: tuple[str, ...], not_along: tuple[str, ...], intervention: bool
) -> Sign | None:
    """Return the sign of a ratio: what it excludes if it grows with CPU time, and if it does not."""
    if ratio.blocks < 2:
        return None
    ends = ratio.log()[1]
    excludes = along if ends.low >= (1 - SHARE) * growth else not_along if ends.high <= SHARE * growth else ()
    return Sign(says, excludes, intervention)


def _finding(series: Series, point: Point, signs: list[Sign]) -> Finding:
    """Return the cause if the signs leave one that may be named, otherwise the causes that remain possible."""
    n = point.threads
    observed = f"CPU time grows {point.cpu.estimate:.2f}x from 1 to {n} threads, but the run time does not fall"
    excluded = {cause for sign in signs for cause in sign.excludes}
    # Signs that exclude every cause contradict each other.
    left = tuple(cause for cause in CAUSES if cause not in excluded) or CAUSES
    named = NAMED.get(left) if any(sign.intervention and sign.excludes for sign in signs) else None
    cause, refute, remedy = named or ("growing CPU time", _decides(left, n), "first find out which of them it is")
    return Finding(
        series=series.name,
        cause=cause,
        says=f"{observed}: {_listed(left)}",
        signs=(
            f"CPU time at {n} threads over CPU time at 1: {_shown(point.cpu)}",
            f"speedup at {n} threads: {_shown(point.speedup)}, with {point.busy:.2f} cpus busy on average",
            *(sign.says for sign in signs),
        ),
        refute=refute,
        remedy=remedy,
        left=() if named else left,
    )


def _decides(left: tuple[str, ...], n: int) -> str:
    """Return the run that would decide among the remaining causes."""
    if MACHINE in left:
        return (
            f"{n} copies of the one-thread program on a quiet machine (`--copies`): if they do not slow each other "
            "down, the cause is in the program"
        )
    return (
        f"{n} threads on one cpu (`--bind set --factor placement=cores-close,0`): if CPU time grows there too, the "
        "cause is duplicated work or spinning"
    )


def _listed(causes: tuple[str, ...]) -> str:
    return causes[0] if len(causes) == 1 else f"{', '.join(causes[:-1])}, or {causes[-1]}"


def _shown(ratio: Ratio | Comparison) -> str:
    return f"{ratio.estimate:.2f} [{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]"
