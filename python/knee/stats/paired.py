"""Is B slower than A? Ratios of two alternatives, one answer for each, and one for many together.

Where A and B ran in the same blocks, they are compared pair by pair; the order A B B A inside a block gives two pairs,
and a drift that is straight falls out of their mean. Where they did not, by Welch's method on logarithms, with an
interval that is widened by what two sessions differ by (:mod:`knee.stats.sessions`). Intervals are Student's at any
number of blocks, so that answers and p values never disagree. What they show is one of the three answers of
:mod:`knee.stats.answers`.

Of many comparisons some are significant by chance; Holm's correction keeps the chance that any null one is called
slower at 5 %. What two sessions differ by is one unknown for all comparisons, so it is no matter of how many they are:
the correction is made for each of its values, and the corrected p values are averaged.

Welch, Biometrika 34, 1947. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6, 1979.
Kalibera, Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013 (ratios with intervals).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from knee.stats.answers import ERROR, MARGIN, Answer, answer
from knee.stats.blocks_needed import blocks_needed
from knee.stats.intervals import Array, Interval
from knee.stats.sessions import beyond, half_width, offsets


@dataclass(frozen=True)
class Comparison:
    """Time of B over time of A with its 90 % interval, dimensionless.

    ``p_slower`` and ``p_faster`` are one-sided; NaN, as is the interval, where there are fewer than two values a side.
    ``values`` is the number of pairs, or of runs of the side that has fewer; ``error`` the standard error of the mean
    log ratio by scatter alone, with ``freedom`` degrees; ``spread`` what two sessions were taken to differ by, 0 where
    A and B share their blocks.
    """

    estimate: float
    interval: Interval
    p_slower: float
    p_faster: float
    values: int
    error: float
    freedom: float
    spread: float = 0.0
    bounds: tuple[Comparison, Comparison] | None = None
    """B over A with all that others may have taken from B given back, and with all that they may have taken from A."""

    def answer(self, margin: float = MARGIN) -> Answer:
        """Return what may be said, with that smallest difference that matters."""
        return answer(self.interval, margin)

    def taken(self) -> float:
        """Return by how much others may have changed the ratio, from one end to the other: 0.1 for 10 %."""
        return self.bounds[1].estimate / self.bounds[0].estimate - 1 if self.bounds else 0.0

    def more_blocks(self, margin: float = MARGIN, tests: int = 1) -> int | None:
        """Return about how many more blocks would tell, one of so many tests; None where a thousand would not."""
        deviation = self.error * float(np.sqrt(self.values))
        spread = float(np.log1p(self.spread))
        return blocks_needed(float(np.log(self.estimate)), deviation, self.values, margin, tests=tests, spread=spread)


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
    >>> round(found.estimate, 2), found.answer()
    (1.2, 'slower')
    """
    logs = np.log(b) - np.log(a)
    logs = logs[np.isfinite(logs)]
    if logs.size < 2:
        return _unknown(logs)
    error = float(logs.std(ddof=1)) / float(np.sqrt(logs.size))
    return _student(float(logs.mean()), error, logs.size - 1, int(logs.size))


def unpaired(a: Array, b: Array, spread: float = 0.0) -> Comparison:
    """Compare times of two sessions, which share no blocks: Welch's method on the difference of mean logarithms.

    Parameters
    ----------
    a, b
        Seconds, shape (runs,) each; NaN where a run was bad.
    spread
        Standard deviation of what two sessions of one program differ by, as a share; 0 where both are one session.
    """
    x, y = (np.log(times[np.isfinite(times)]) for times in (a, b))
    if min(x.size, y.size) < 2:
        return _unknown(np.array([y.mean() - x.mean()]) if min(x.size, y.size) else x[:0], spread)
    parts = np.array([x.var(ddof=1) / x.size, y.var(ddof=1) / y.size])
    whole = float(parts.sum())
    freedom = whole**2 / float((parts**2 / np.array([x.size - 1, y.size - 1])).sum()) if whole > 0 else 1.0
    return _student(float(y.mean() - x.mean()), float(np.sqrt(whole)), freedom, min(x.size, y.size), spread)


def allowing(
    compare: Callable[[Array, Array], Comparison], a: Array, b: Array, taken_a: Array, taken_b: Array
) -> Comparison:
    """Compare times, and allow for what others may have taken from either side.

    Parameters
    ----------
    compare
        :func:`paired`, or :func:`unpaired`.
    a, b
        Seconds, as it takes them.
    taken_a, taken_b
        The largest share of each time that others may have cost, of the same shapes.

    Returns
    -------
    Comparison
        B over A as measured; its interval and its tests hold for all times between ``T (1 - taken)`` and ``T``.
    """
    seen = compare(a, b)
    if not taken_a.any() and not taken_b.any():
        return seen
    least, most = compare(a, b * (1 - taken_b)), compare(a * (1 - taken_a), b)
    ends = Interval(least.interval.low, most.interval.high)
    return replace(seen, interval=ends, p_slower=least.p_slower, p_faster=most.p_faster, bounds=(least, most))


def _student(mean: float, error: float, freedom: float, values: int, spread: float = 0.0) -> Comparison:
    half = half_width(error, freedom, spread)
    ends = Interval(float(np.exp(mean - half)), float(np.exp(mean + half)))
    p = float(beyond(mean - offsets(spread), error, freedom).mean())
    return Comparison(float(np.exp(mean)), ends, p, 1 - p, values, error, freedom, spread)


def _unknown(logs: Array, spread: float = 0.0) -> Comparison:
    nan = float("nan")
    estimate = float(np.exp(logs.mean())) if logs.size else nan
    return Comparison(estimate, Interval(nan, nan), nan, nan, int(logs.size), nan, nan, spread)


def holm(p: Array) -> Array:
    """Return Holm's adjusted p values; NaN, which is no test, stays NaN and counts for nothing.

    Parameters
    ----------
    p
        Shape (tests, ...): one p value a test, or several, each of which is adjusted with its like of the other tests.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=0)
    tests = np.isfinite(p).sum(axis=0)
    ranks = np.arange(len(p)).reshape(-1, *[1] * (p.ndim - 1))
    # NaN comes last, so it is in nobody's largest so far.
    stepped = np.maximum.accumulate(np.minimum(1.0, np.take_along_axis(p, order, 0) * (tests - ranks)), axis=0)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, stepped, 0)
    return adjusted


def answers(comparisons: Sequence[Comparison], margin: float = MARGIN) -> list[Answer]:
    """Return the answer to each of many comparisons of the same two sides, of which chance may make none differ."""
    words: list[Answer] = []
    for one, p_slower, p_faster in zip(comparisons, *map(list, _adjusted(comparisons)), strict=True):
        alone = one.answer(margin)
        # That times are equal needs no correction: it has to hold everywhere to be said of all.
        p = {"slower": p_slower, "faster": p_faster}.get(alone, 0.0)
        words.append(alone if p < ERROR + 1e-12 else "cannot tell")
    return words


def _adjusted(comparisons: Sequence[Comparison]) -> Array:
    """Return p values that B is slower, and that it is faster, by Holm's correction; shape (2, comparisons)."""
    sides = np.array([_tails(one) for one in comparisons])
    return np.array([holm(sides[:, side]).mean(axis=1) for side in (0, 1)]) if len(sides) else np.empty((2, 0))


def _tails(one: Comparison) -> Array:
    """Return both p values for each value of what two sessions differ by, shape (2, values)."""
    if one.spread == 0:
        return np.array([[one.p_slower], [one.p_faster]])
    least, most = one.bounds or (one, one)
    slower, faster = (beyond(np.log(of.estimate) - offsets(of.spread), of.error, of.freedom) for of in (least, most))
    return np.array([slower, 1 - faster])


def together(words: Sequence[Answer]) -> Answer:
    """Return the one answer for many: slower if any is, faster if any is and none slower."""
    for word in ("slower", "faster"):
        if word in words:
            return word
    return "equal" if words and all(one == "equal" for one in words) else "cannot tell"
