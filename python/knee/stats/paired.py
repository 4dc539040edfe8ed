"""Is B slower than A? Ratios of two alternatives, one verdict for each, and one for many together.

Where A and B ran in the same blocks, they are compared pair by pair; the order A B B A inside a block gives two pairs,
and a drift that is straight falls out of their mean. Where they did not, by Welch's method on logarithms. Either way an
interval is Student's, at any number of blocks, so that verdicts and p values never disagree.

Four words are possible, with d the smallest difference that matters:

- slower, faster: the 90 % interval excludes 1, so that each of the two comes up falsely 5 times in 100, and reaches
  beyond d;
- no difference larger than d: the interval lies within d (two one-sided tests);
- undecided: none of these.

Of many comparisons some are significant by chance; Holm's correction keeps the chance that any null one is called
slower at 5 %.

Welch, Biometrika 34, 1947. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6, 1979.
Kalibera, Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013 (ratios with intervals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.stats.distributions import student_beyond, student_value
from knee.stats.intervals import LEVEL, Array, Interval

SMALLEST = 0.03
"""The smallest difference that matters unless another is asked for: 3 % either way."""

ERROR = (1 - LEVEL) / 2
"""How often one comparison of equals may be called slower."""

Verdict = Literal["faster", "slower", "no difference", "undecided"]


@dataclass(frozen=True)
class Comparison:
    """Time of B over time of A with its 90 % interval, dimensionless.

    ``p_slower`` and ``p_faster`` are one-sided; NaN, as is the interval, where there are fewer than two values a side.
    ``values`` is the number of pairs, or of runs of the side that has fewer.
    """

    estimate: float
    interval: Interval
    p_slower: float
    p_faster: float
    values: int
    paired: bool

    def verdict(self, smallest: float = SMALLEST) -> Verdict:
        """Return what may be said, with that smallest difference that matters."""
        margin, low, high = 1 + smallest, self.interval.low, self.interval.high
        if low > 1 / margin and high < margin:
            return "no difference"
        if low > 1:
            return "slower"
        return "faster" if high < 1 else "undecided"


def paired(a: Array, b: Array) -> Comparison:
    """Compare times that were taken in pairs.

    Parameters
    ----------
    a, b
        Seconds, shape (pairs,); NaN where a run was bad, which takes its pair out.

    Examples
    --------
    >>> import numpy as np
    >>> found = paired(np.array([1.0, 1.1, 0.9]), np.array([1.2, 1.33, 1.08]))
    >>> round(found.estimate, 2), found.verdict()
    (1.2, 'slower')
    """
    logs = np.log(b) - np.log(a)
    logs = logs[np.isfinite(logs)]
    if logs.size < 2:
        return _unknown(logs, paired=True)
    error = float(logs.std(ddof=1)) / np.sqrt(logs.size)
    return _student(float(logs.mean()), error, logs.size - 1, int(logs.size), paired=True)


def unpaired(a: Array, b: Array) -> Comparison:
    """Compare times of two sessions, which share no blocks: Welch's interval of the difference of mean logarithms."""
    x, y = (np.log(times[np.isfinite(times)]) for times in (a, b))
    if min(x.size, y.size) < 2:
        return _unknown(np.array([y.mean() - x.mean()]) if min(x.size, y.size) else x[:0], paired=False)
    parts = np.array([x.var(ddof=1) / x.size, y.var(ddof=1) / y.size])
    whole = float(parts.sum())
    freedom = whole**2 / float((parts**2 / np.array([x.size - 1, y.size - 1])).sum()) if whole > 0 else 1.0
    mean = float(y.mean() - x.mean())
    return _student(mean, np.sqrt(whole), freedom, min(x.size, y.size), paired=False)


def _student(mean: float, error: float, freedom: float, values: int, *, paired: bool) -> Comparison:
    half = student_value((1 + LEVEL) / 2, freedom) * error
    # Without any scatter a difference is certain, and none is not.
    t = mean / error if error > 0 else float(np.sign(mean)) * np.inf if mean else 0.0
    ends = Interval(float(np.exp(mean - half)), float(np.exp(mean + half)))
    p = student_beyond(t, freedom)
    return Comparison(float(np.exp(mean)), ends, p, 1 - p, values, paired)


def _unknown(logs: Array, *, paired: bool) -> Comparison:
    nan = float("nan")
    estimate = float(np.exp(logs.mean())) if logs.size else nan
    return Comparison(estimate, Interval(nan, nan), nan, nan, int(logs.size), paired)


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p values; NaN, which is no test, stays NaN and counts for nothing.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    tests = sorted((value, place) for place, value in enumerate(p) if value == value)
    adjusted, largest = [float("nan")] * len(p), 0.0
    for rank, (value, place) in enumerate(tests):
        largest = max(largest, min(1.0, value * (len(tests) - rank)))
        adjusted[place] = largest
    return adjusted


def verdicts(comparisons: Sequence[Comparison], smallest: float = SMALLEST) -> list[Verdict]:
    """Return the verdict on each of many comparisons, of which none may be called different by chance."""
    slower, faster = (holm([getattr(one, side) for one in comparisons]) for side in ("p_slower", "p_faster"))
    words: list[Verdict] = []
    for one, p_slower, p_faster in zip(comparisons, slower, faster, strict=True):
        alone = one.verdict(smallest)
        # That no difference is larger needs no correction: it has to hold everywhere to be said of all.
        p = {"slower": p_slower, "faster": p_faster}.get(alone, 0.0)
        words.append(alone if p < ERROR + 1e-12 else "undecided")
    return words


def together(words: Sequence[Verdict]) -> Verdict:
    """Return the one verdict for many: slower if any is, faster if any is and none slower."""
    for word in ("slower", "faster"):
        if word in words:
            return word
    return "no difference" if words and all(one == "no difference" for one in words) else "undecided"
