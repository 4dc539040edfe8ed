"""The knee of a curve.

The knee is a change point: on log-log axes the speedup is described by two straight lines that meet, the first with a
slope near 1 (full speedup), the second with a slope below one half. A curve that bends gradually has a knee too: where
two lines describe it best over the measured counts. The join is found exactly, not on a grid: it is where the lines
cross between two neighbouring counts, or one of the counts.

Hudson, *Fitting segmented curves whose join points have to be estimated*, JASA 61, 1966.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Array, Interval
from knee.stats.scaling.laws import COUNTS_FOR_A_LAW, too_few
from knee.stats.scaling.resampling import interval, means, resampled

PAYS = 0.75
"""The first slope counts as near 1 when its interval reaches this."""

FLAT = 0.5
"""A slope below this is beyond the knee: doubling the threads brings less than half of the ideal gain."""

DROP_LEVEL = 0.98
"""Level of the interval of the last slope; wider than usual, since the join was chosen to make that slope small."""


@dataclass(frozen=True)
class Knee:
    """Where a curve bends. ``verdict`` is ``knee``, ``none`` (within the measured counts), or ``undecided``.

    ``threads`` and ``interval`` are where the two lines meet, ``slopes`` are their slopes; NaN without a knee.
    """

    verdict: str
    why: str
    threads: float
    interval: Interval
    slopes: tuple[float, float]


def find_knee(counts: Array, log_speedup: Array, seed: int = 1) -> Knee:
    """Return the knee of a curve.

    Parameters
    ----------
    counts
        Thread counts in ascending order, shape (points,).
    log_speedup
        Natural logarithms, shape (blocks, points); NaN where a run was bad. Each block is relative to its own T1, with
        which it is resampled.
    seed
        Of the bootstrap.

    Examples
    --------
    >>> n = np.array([1.0, 2, 4, 8, 16, 32])
    >>> noise = 0.001 * np.array([[1, -1, 1, -1, 1, -1], [-1, 1, 1, -1, -1, 1], [1, 1, -1, -1, 1, 1]])
    >>> found = find_knee(n, np.log(np.minimum(n, 8)) + noise)
    >>> found.verdict, round(found.threads, 1)
    ('knee', 8.0)
    """
    measured = np.isfinite(log_speedup).sum(axis=0) > 1
    x, logs = np.log(counts[measured]), log_speedup[:, measured]
    if x.size < COUNTS_FOR_A_LAW:
        return _nowhere("undecided", too_few(x.size))
    curves = np.vstack([means(logs), resampled(logs, seed)])
    joins, first, last = two_lines(x, curves)
    where, ends = float(np.exp(joins[0])), interval(joins[1:])
    bounds = Interval(float(np.exp(ends.low)), float(np.exp(ends.high)))
    if interval(last[1:], DROP_LEVEL).high < FLAT:
        if interval(first[1:]).high < PAYS:
            return _nowhere("undecided", f"no part has a slope near 1: the first has {first[0]:.2f}")
        return Knee("knee", "two lines meet there", where, bounds, (float(first[0]), float(last[0])))
    end = _slope(x, curves, x >= x[-1] - np.log(2) - 1e-9)
    if interval(end[1:], DROP_LEVEL).low > FLAT:
        return _nowhere("none", f"speedup still grows at {counts[measured][-1]:.0f} threads")
    return _nowhere("undecided", "the intervals do not show whether speedup still grows")


def _nowhere(verdict: str, why: str) -> Knee:
    nan = float("nan")
    return Knee(verdict, why, nan, Interval(nan, nan), (nan, nan))


def two_lines(x: Array, curves: Array) -> tuple[Array, Array, Array]:
    """Return the join and both slopes of the two connected lines that fit each curve best, shape (curves,) each.

    Parameters
    ----------
    x
        Shape (points,), ascending. Each line has at least two points, one of which may be the join.
    curves
        Shape (curves, points).
    """
    best = np.full((4, len(curves)), np.inf)
    for split in range(2, x.size - 1):
        candidate = _crossing(x, curves, split)
        best = np.where(candidate[3] < best[3], candidate, best)
    for knot in x[1:-1]:
        candidate = _at(x, curves, float(knot))
        best = np.where(candidate[3] < best[3], candidate, best)
    return best[0], best[1], best[2]


def _crossing(x: Array, curves: Array, split: int) -> Array:
    """Fit two separate lines; they are a candidate if they cross between the last point of one and the first of the
    other.
    """
    left, right = _line(x[:split], curves[:, :split]), _line(x[split:], curves[:, split:])
    with np.errstate(divide="ignore", invalid="ignore"):
        join = (right[0] - left[0]) / (left[1] - right[1])
    inside = (join >= x[split - 1]) & (join <= x[split])
    return np.array([join, left[1], right[1], np.where(inside, left[2] + right[2], np.inf)])


def _line(x: Array, curves: Array) -> tuple[Array, Array, Array]:
    """Return intercept, slope and residual sum of squares."""
    across = x - x.mean()
    level = curves.mean(axis=1)
    slope = curves @ across / (across**2).sum()
    left = curves - level[:, None] - slope[:, None] * across
    return level - slope * x.mean(), slope, (left**2).sum(axis=1)


def _at(x: Array, curves: Array, knot: float) -> Array:
    """Fit two lines that meet at a measured point."""
    design = np.stack([np.ones(x.size), np.minimum(x, knot), np.maximum(x - knot, 0.0)], axis=1)
    coefficients = curves @ np.linalg.pinv(design).T
    left = curves - coefficients @ design.T
    return np.array([np.full(len(curves), knot), coefficients[:, 1], coefficients[:, 2], (left**2).sum(axis=1)])


def _slope(x: Array, curves: Array, part: Array) -> Array:
    chosen = np.flatnonzero(part) if np.count_nonzero(part) > 1 else np.arange(x.size - 2, x.size)
    return _line(x[chosen], curves[:, chosen])[1]
