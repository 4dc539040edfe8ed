"""What a series comes to: which counts are faster and which to use, its knee, and the law that describes it.

Counts above the cpus are drawn and marked, and enter none of these: threads that take turns belong to no law. The law
and the knee are numbers of the curve and name no cause; with fewer than six thread counts there is neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from knee.explain.scaling.series import Series
from knee.stats.intervals import Interval
from knee.stats.scaling.decision import Decision, decide
from knee.stats.scaling.knee import Knee, find_knee
from knee.stats.scaling.laws import Choice, Fit, choose

ANYTHING = 10
"""A speedup between two ends that are more than so many times apart is not worth two numbers."""


@dataclass(frozen=True)
class ScalingSummary:
    """What is said of a series as a curve.

    ``decision`` takes the times as they were measured; ``careful`` allows for all that others may have taken from them.
    Both are None where fewer than two counts within the cpus have two good runs.
    """

    law: Choice
    knee: Knee
    decision: Decision | None
    careful: Decision | None

    @property
    def disturbed(self) -> bool:
        """Whether what others may have taken reaches the answer, or leaves of the speedup next to nothing."""
        if self.decision is None:
            return False
        if self.careful is None or self.careful.answer != self.decision.answer:
            return True
        return buried(self.decision.speedup.interval, self.careful.speedup.interval)


def buried(seen: Interval, allowing: Interval) -> bool:
    """Whether what others may have taken leaves next to nothing of a ratio, which was known better as measured.

    Where the times alone scatter that much, others are not what keeps one from telling.
    """
    return allowing.high / allowing.low > ANYTHING >= seen.high / seen.low


def summarize(series: Series) -> ScalingSummary:
    """Return what a series comes to; every block is compared with its own T1."""
    times = {n: series.seconds(n) for n in series.fitting}
    decision = decide(times)
    careful = decide(times, {n: series.taken(n) for n in times})
    counts = np.array([float(n) for n in times])
    base = times.get(series.curve.base)
    if base is None:
        log_speedup = np.empty((0, 0))
    else:
        log_speedup = np.array([np.log(base) - np.log(values) for values in times.values()]).T
    knee = _agreeing(find_knee(counts, log_speedup), decision, series.fitting)
    return ScalingSummary(choose(counts, log_speedup, scaled=series.weak), knee, decision, careful)


def _agreeing(knee: Knee, decision: Decision | None, counts: Sequence[int]) -> Knee:
    """Return the knee, or why none is claimed beside what is said of the counts."""
    if knee.verdict != "knee" or decision is None:
        return knee
    if decision.above:
        return replace(knee, verdict="undecided", why=f"T({decision.base}) is in doubt: efficiency is above 100 %")
    if not decision.gains:
        return replace(knee, verdict="undecided", why=f"no count is shown to be faster than {decision.base}")
    if decision.use is not None and any(decision.use < n <= knee.interval.low for n in counts):
        return replace(knee, verdict="undecided", why=f"{decision.use} threads are as good as more")
    return knee


def law_words(summary: ScalingSummary) -> str:
    """Say which law describes the curve, with its parameters."""
    best, closest = summary.law.best, summary.law.closest
    if best is None:
        said = f"cannot tell: {summary.law.why}"
        return said if closest is None else f"{said}; {_fit_words(closest)}"
    return f"{_fit_words(best)}; {summary.law.open}" if summary.law.open else _fit_words(best)


def _fit_words(fit: Fit) -> str:
    return ", ".join([fit.law, *(f"{one.name} = {_number(one.value, one.interval)}" for one in fit.parameters)])


def knee_words(summary: ScalingSummary) -> str:
    """Say where the knee is, or why nowhere."""
    if summary.knee.verdict == "knee":
        return f"{_number(summary.knee.threads, summary.knee.interval)} threads"
    return {"none": "none within the counts measured", "undecided": "cannot tell"}[summary.knee.verdict] + (
        f": {summary.knee.why}"
    )


def _number(value: float, ends: Interval) -> str:
    return f"{value:.3g} [{ends.low:.3g}, {ends.high:.3g}]"
