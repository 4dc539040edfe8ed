"""The ledger by phase: how much of the loss each marked phase holds, and which of them scale.

The loss of the whole run is M = ln(x / y) with x = n·T(n) and y = b·T(b) thread-seconds. It is divided among the
phases by the thread-seconds that each takes more than in the base, x_p - y_p. Divided by the logarithmic mean
L(x, y) = (x - y) / ln(x / y) they add up to M in every block, whatever their sizes::

    M = sum over p of (x_p - y_p) / L(x, y)

So do the two halves of a phase, its CPU time and its idle time. What no phase covers is a part of its own.

Ang, *Decomposition analysis for policymaking in energy: which is the preferred method?*, Energy Policy 32, 2004 (the
logarithmic mean, whose parts leave no rest).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from knee.explain.disturbance import taken
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.naming import LEAST
from knee.explain.phases.marked import Marked, holders, marked
from knee.explain.scaling.series import Series
from knee.stats.intervals import Array, Interval, Ratio, ratio
from knee.stats.paired import allowing, paired

Answer = Literal["scales", "scales in part", "gains nothing", "cannot tell"]


@dataclass(frozen=True)
class Phase:
    """One phase at one thread count. Parts of the loss are natural logarithms, NaN where phases run side by side."""

    series: str
    threads: int
    base: int
    name: str
    share: Mean
    """Its share of the run's wall time."""
    base_share: Mean
    """Its share in the base."""
    part: Mean
    """What it adds to the loss of the run; the parts of all phases add up to it."""
    cpu: Mean
    """What of that is CPU time; NaN where the records have the CPU time of some threads only."""
    speedup: Ratio
    """Its speedup over the base, for the same work."""
    answer: Answer

    @property
    def sentence(self) -> str:
        """Say how it scales, and how much of the time it takes."""
        ends = self.speedup.interval
        gain = self.speedup.estimate
        much = "" if gain != gain else f" ({gain:.2f}x [{ends.low:.2f}, {ends.high:.2f}])"
        says = f"{self.name} {self.answer}"
        if self.answer == "cannot tell":
            says = f"cannot tell whether {self.name} scales"
        return f"{says}{much}: at {self.threads} threads it is {100 * self.share.value:.0f} % of the time"


def phases(series: Series) -> list[Phase]:
    """Return the phases of every thread count but the base, those with the largest shares of the time first.

    A rehearsal has none: its phases take virtual time, and its runs take that of the simulator.
    """
    if any(run.rehearsed for run in series.runs):
        return []
    found: list[Phase] = []
    for point in series.curve.points:
        if point.threads != series.curve.base:
            found += sorted(_at(series, point.threads), key=lambda one: -one.share.value)
    return found


def _at(series: Series, n: int) -> list[Phase]:
    """Return the phases at one thread count; none where the program marks none."""
    b = series.curve.base
    runs = {count: [run for run in series.by_threads[count] if run.bad is None] for count in (b, n)}
    both = [*runs[b], *runs[n]]
    if not any(run.record["phases"] for run in both):
        return []
    inside, blocks = holders(both), max(run.spec["block"] for run in both)
    one, many = (marked(runs[count], inside, count, blocks) for count in (b, n))
    work = n / b if series.weak else 1.0
    return [_phase(series, n, name, one, many, work) for name in dict.fromkeys([*one.wall, *many.wall])]


def _phase(series: Series, n: int, name: str, one: Marked, many: Marked, work: float) -> Phase:
    b, nothing = series.curve.base, np.zeros_like(one.run_s)
    weight = logarithmic_mean(n * many.run_s / work, b * one.run_s)
    before, after = (side.wall.get(name, 0 * side.run_s) for side in (one, many))
    cpu = nothing * np.nan
    if one.cpu and many.cpu:
        cpu = (many.cpu.get(name, 0 * many.run_s) / work - one.cpu.get(name, 0 * one.run_s)) / weight
    part = (n * after / work - b * before) / weight if one.whole and many.whole else nothing * np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        whole, left = np.where(before > 0, before, np.nan), np.where(after > 0, after / work, np.nan)
        gained = ratio(whole, left)
    taken_of = [_taken(series, count, each) for count, each in ((n, after), (b, before))]
    if any(each.any() for each in taken_of):
        gained = replace(gained, interval=allowing(paired, left, whole, *taken_of).interval)
    share, base_share = (mean(side.wall.get(name, 0 * side.run_s) / side.run_s) for side in (many, one))
    answer = answer_of(gained.interval, n / b)
    return Phase(series.name, n, b, name, share, base_share, mean(part), mean(cpu), gained, answer)


def _taken(series: Series, threads: int, seconds: Array) -> Array:
    """Return the largest share of a phase's time that other programs may have cost, by block.

    All that they took of a run may lie in the phase.
    """
    shares = np.zeros_like(seconds)
    for run in series.by_threads[threads]:
        block = run.spec["block"] - 1
        if run.bad is None and seconds[block] > 0:
            shares[block] = taken(run, series.cpus, of_s=float(seconds[block]))
    return shares


def logarithmic_mean(x: Array, y: Array) -> Array:
    """Return (x - y) / ln(x / y), which is x where both are equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.isclose(x, y, rtol=1e-9), x, (x - y) / np.log(x / y))


def answer_of(speedup: Interval, ideal: float) -> Answer:
    """Say whether a phase scales.

    Parameters
    ----------
    speedup
        Interval of its speedup; NaN if unknown.
    ideal
        Speedup with perfect scaling. What may be up to 5 % below is said to scale; what may be up to 5 % above 1, and
        is not above that, gains nothing.
    """
    if speedup.low >= ideal * np.exp(-LEAST):
        return "scales"
    if speedup.high <= np.exp(LEAST):
        return "gains nothing"
    if speedup.low > 1 and speedup.high < ideal:
        return "scales in part"
    return "cannot tell"
