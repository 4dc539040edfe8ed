"""Growing CPU time.

What it sees
    CPU time grows with the threads while the run time does not fall: the cpus are busy, and nothing comes of it. Four
    causes do that, and further signs tell them apart.
Why the curve bends
    Threads do the same work again (a lazy runtime that evaluates one thunk twice), wait for each other without
    sleeping (spinning), pass cache lines to and fro (true or false sharing), or are slowed down by the machine.
How to test it
    Copies of the one-thread program side by side (``--copies``) meet the same machine and share neither work nor cache
    lines. All threads on one cpu share the work, and no cache line travels. Instructions grow with work that is done
    again and with spinning, not with slower ones.
How to move it
    Work done twice: in GHC, build with ``-feager-blackholing``. Spinning: locks that sleep. Cache lines: pad what
    different threads write to.

The first sign alone names nothing. That copies run freely shows that the machine is not the cause, and no more: cache
lines that threads share cost nothing there either. So a cause is named only where another sign excludes the others,
and one of the signs is an intervention: a run that changes one thing. Else the finding says what is left, and which
run would decide.
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
"""CPU time must have grown by half at least: less than that has many causes."""

NO_GAIN = 1.10
"""Run time has not fallen when the interval of the speedup ends below this, other programs allowed for."""

SHARE = 0.25
"""What explains less than this part of the growth, in logarithms, explains none of it; what leaves less, all of it."""

WORK, SPINNING = "duplicated work", "spinning"
LINES, MACHINE = "shared cache lines", "a slower machine"
CAUSES = (WORK, SPINNING, LINES, MACHINE)

NAMED: dict[tuple[str, ...], tuple[str, str, str]] = {
    (WORK, SPINNING): (
        "duplicated work or spinning",
        "waiting that sleeps: if CPU time falls to that of 1 thread, it was spinning; else work is done twice",
        "look for work done once per thread (GHC: build with -feager-blackholing), and for locks that spin",
    ),
    (LINES,): (
        "sharing of cache lines",
        "padding: if CPU time still grows when what threads write to is padded, the lines are truly shared",
        "give what different threads write to a cache line each",
    ),
    (MACHINE,): (
        "shared hardware",
        "copies with other placements: if they are as slow on cores that share less, sharing is not the cause",
        "see which placement lets the copies run freely",
    ),
}
"""What may be named, with the run that would refute it and the remedy. Without counts of the work the first two look
alike.
"""


@dataclass(frozen=True)
class Sign:
    """Something seen, and the causes that it excludes."""

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
    # What others took may be why the run time does not fall.
    if not (inflation.low > INFLATION and series.against(point.threads, 1).interval.low > 1 / NO_GAIN):
        return None
    return _finding(series, point, _signs(series, point.threads, growth))


def _signs(series: Series, n: int, growth: float) -> list[Sign]:
    """Return what the study's other runs say of the causes."""
    signs = [_copies(series, n, growth), _instructions(series, n, growth), _one_cpu(series, n, growth)]
    return [sign for sign in signs if sign is not None]


def _copies(series: Series, n: int, growth: float) -> Sign | None:
    """Return what copies say: whatever others may have taken from them, or that this decides nothing."""
    if n not in series.copies:
        return None
    over_one = series.copies_over_one(n)
    says = f"{n} copies of the one-thread program side by side take {_shown(over_one)} times as long as one"
    says += ", other programs allowed for" if over_one.bounds else ""
    ends, little, most = over_one.interval, math.exp(SHARE * growth), math.exp((1 - SHARE) * growth)
    if ends.high <= little:
        return Sign(says, (MACHINE,), True)
    if ends.low >= most:
        return Sign(says, (WORK, SPINNING, LINES), True)
    return Sign(f"{says}: the machine has a part in it" if ends.low > little else says, (), True)


def _instructions(series: Series, n: int, growth: float) -> Sign | None:
    counted = series.counted("instructions", n)
    says = f"instructions at {n} threads over instructions at 1: {_shown(counted)}"
    return _grown(says, counted, growth, along=(LINES, MACHINE), not_along=(WORK, SPINNING), intervention=False)


def _one_cpu(series: Series, n: int, growth: float) -> Sign | None:
    cpu = series.one_cpu.get(n)
    if cpu is None:
        return None
    says = f"CPU time of {n} threads on one cpu over that of 1: {_shown(cpu)}"
    # Where it does not grow, threads may still race for the same work when they run at once.
    return _grown(says, cpu, growth, along=(LINES, MACHINE), not_along=(), intervention=True)


def _grown(
    says: str, ratio: Ratio, growth: float, *, along: tuple[str, ...], not_along: tuple[str, ...], intervention: bool
) -> Sign | None:
    """Return what it excludes that a ratio grows along with CPU time, or that it does not; None without an interval."""
    if ratio.blocks < 2:
        return None
    ends = ratio.log()[1]
    excludes = along if ends.low >= (1 - SHARE) * growth else not_along if ends.high <= SHARE * growth else ()
    return Sign(says, excludes, intervention)


def _finding(series: Series, point: Point, signs: list[Sign]) -> Finding:
    """Return the cause where the signs leave one that may be named, else what they leave."""
    n = point.threads
    observed = f"CPU time grows {point.cpu.estimate:.2f}x from 1 to {n} threads and nothing is gained"
    excluded = {cause for sign in signs for cause in sign.excludes}
    # Signs that leave nothing contradict each other.
    left = tuple(cause for cause in CAUSES if cause not in excluded) or CAUSES
    named = NAMED.get(left) if any(sign.intervention and sign.excludes for sign in signs) else None
    cause, refute, remedy = named or ("growing CPU time", _decides(left, n), "find out first which of them it is")
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
    """Say which run would decide among what is left."""
    if MACHINE in left:
        return f"{n} copies of the one-thread program on calm cpus (`--copies`): if they run freely, it is the program"
    return (
        f"{n} threads on one cpu (`--bind set --factor placement=cores-close,0`): CPU time that grows there as well is "
        "duplicated work or spinning"
    )


def _listed(causes: tuple[str, ...]) -> str:
    return causes[0] if len(causes) == 1 else f"{', '.join(causes[:-1])}, or {causes[-1]}"


def _shown(ratio: Ratio | Comparison) -> str:
    return f"{ratio.estimate:.2f} [{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]"
