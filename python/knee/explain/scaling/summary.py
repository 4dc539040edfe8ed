"""What a series comes to: the law that describes it, its knee, and the thread count to use.

The law and the knee are numbers of the curve. Neither names a cause, and with fewer than six thread counts there is
neither; the thread count to use is a direct comparison, and needs no law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.scaling.series import Series
from knee.stats.intervals import Interval
from knee.stats.scaling.knee import Knee, Recommendation, find_knee, recommend
from knee.stats.scaling.laws import Choice, Fit, choose


@dataclass(frozen=True)
class ScalingSummary:
    """What is said of a series as a curve. ``use`` is None where no count has two good runs."""

    law: Choice
    knee: Knee
    use: Recommendation | None


def summarize(series: Series) -> ScalingSummary:
    """Return what a series comes to; every block is compared with its own T1."""
    times = {point.threads: series.seconds(point.threads) for point in series.curve.points}
    counts = np.array([float(n) for n in times])
    log_speedup = np.array([np.log(times[series.curve.base]) - np.log(values) for values in times.values()]).T
    return ScalingSummary(
        choose(counts, log_speedup, scaled=series.weak), find_knee(counts, log_speedup), recommend(times)
    )


def law_words(summary: ScalingSummary) -> str:
    """Say which law describes the curve, with its parameters."""
    best, closest = summary.law.best, summary.law.closest
    if best is None:
        said = f"undecided: {summary.law.why}"
        return said if closest is None else f"{said}; {_fit_words(closest)}"
    return f"{_fit_words(best)}; {summary.law.open}" if summary.law.open else _fit_words(best)


def _fit_words(fit: Fit) -> str:
    return ", ".join([fit.law, *(f"{one.name} = {_number(one.value, one.interval)}" for one in fit.parameters)])


def knee_words(summary: ScalingSummary) -> str:
    """Say where the knee is, or why nowhere."""
    if summary.knee.verdict == "knee":
        return f"{_number(summary.knee.threads, summary.knee.interval)} threads"
    return {"none": "none within the counts measured", "undecided": "undecided"}[summary.knee.verdict] + (
        f": {summary.knee.why}"
    )


SHARES = {1 / 2: "half", 1 / 3: "a third", 1 / 4: "a quarter"}


def use_words(summary: ScalingSummary) -> str | None:
    """Say which thread count to use and why; None where the data do not carry it."""
    use = summary.use
    if use is None or not use.decided:
        return None
    if use.threads == use.best:
        return f"use n = {use.threads}: the best of the counts measured"
    share = SHARES.get(use.threads / use.best, f"{100 * use.threads / use.best:.0f} %")
    said = f"use n = {use.threads}: within 3 % of the best, with {share} of its {use.best} threads"
    return f"{said}; {use.open[0]} may do as well, for all that the intervals say" if use.open else said


def _number(value: float, ends: Interval) -> str:
    return f"{value:.3g} [{ends.low:.3g}, {ends.high:.3g}]"
