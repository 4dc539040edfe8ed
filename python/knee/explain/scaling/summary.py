"""Summary of a series: which thread counts are faster, which to use, the knee, and the scaling law.

Thread counts above the number of cpus are drawn and marked but left out here, since no law holds for threads that take
turns. The law and the knee describe the curve and name no cause; with fewer than six thread counts there is neither.
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
"""An interval whose ends differ by more than this factor is not worth printing."""


@dataclass(frozen=True)
class ScalingSummary:
    """The summary of one series.

    ``decision`` uses the measured times; ``careful`` allows for other programs. Both are None when fewer than two
    thread counts within the cpus have two good runs.
    """

    law: Choice
    knee: Knee
    decision: Decision | None
    careful: Decision | None

    @property
    def disturbed(self) -> bool:
        """Whether other programs may have changed the answer, or leave almost nothing known of the speedup."""
        if self.decision is None:
            return False
        if self.careful is None or self.careful.answer != self.decision.answer:
            return True
        return buried(self.decision.speedup.interval, self.careful.speedup.interval)


def buried(seen: Interval, allowing: Interval) -> bool:
    """Whether allowing for other programs leaves almost nothing known of a ratio that was measured well.

    If the times alone vary that much, other programs are not the reason.
    """
    return allowing.high / allowing.low > ANYTHING >= seen.high / seen.low


def summarize(series: Series) -> ScalingSummary:
    """Return the summary of a series; every block is compared with its own T1."""
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
    """Return the knee, or the reason why none is claimed if it would contradict the decision."""
    if knee.verdict != "knee" or decision is None:
        return knee
    if decision.above:
        return replace(knee, verdict="undecided", why=f"T({decision.base}) is in doubt: efficiency is above 100 %")
    if not decision.gains:
        return replace(knee, verdict="undecided", why=f"no count is shown to be faster than {decision.base}")
    if decision.use is not None and any(decision.use < n <= knee.interval.low for n in counts):
        return replace(knee, verdict="undecided", why=f"more than {decision.use} threads give no measurable gain")
    return knee


def law_words(summary: ScalingSummary) -> str:
    """Return the law of a curve and its parameters, in words."""
    best, closest = summary.law.best, summary.law.closest
    if best is None:
        said = f"cannot tell: {summary.law.why}"
        return said if closest is None else f"{said}; {_fit_words(closest)}"
    return f"{_fit_words(best)}; {summary.law.open}" if summary.law.open else _fit_words(best)


def _fit_words(fit: Fit) -> str:
    return ", ".join([fit.law, *(f"{one.name} = {_number(one.value, one.interval)}" for one in fit.parameters)])


def knee_words(summary: ScalingSummary) -> str:
    """Return where the knee is, or why there is none, in words."""
    if summary.knee.verdict == "knee":
        return f"{_number(summary.knee.threads, summary.knee.interval)} threads"
    return {"none": "none within the counts measured", "undecided": "cannot tell"}[summary.knee.verdict] + (
        f": {summary.knee.why}"
    )


def _number(value: float, ends: Interval) -> str:
    return f"{value:.3g} [{ends.low:.3g}, {ends.high:.3g}]"
