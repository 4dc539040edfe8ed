"""Comparisons without assuming normal errors: the Hodges-Lehmann shift.

It uses one difference per block, in which the level of the block cancels. The shift is the median of all averages of
two differences; its interval inverts Wilcoxon's signed-rank test exactly, and so assumes symmetry but not normality.

Hodges, Lehmann, *Estimates of location based on rank tests*, Annals of Mathematical Statistics 1963.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from knee.stats.intervals import LEVEL, Array, Interval

FEW = 200
"""Number of differences up to which all averages are computed, and signed ranks counted exactly."""


@dataclass(frozen=True)
class Robust:
    """A shift in units of the differences. ``reached`` is the level of its interval: the smallest attainable one of at
    least 90 %.

    ``interval`` and ``reached`` are NaN with fewer than five blocks, where no interval of signed ranks reaches 90 %.
    """

    shift: float
    interval: Interval
    reached: float
    blocks: int

    def exponential(self) -> Robust:
        """Return a shift of natural logarithms as a ratio."""
        ends = Interval(float(np.exp(self.interval.low)), float(np.exp(self.interval.high)))
        return Robust(float(np.exp(self.shift)), ends, self.reached, self.blocks)


def robust(differences: Array) -> Robust:
    """Return the shift of differences, one per block, shape (blocks,).

    Examples
    --------
    >>> import numpy as np
    >>> found = robust(np.array([1.0, 2.0, 3.0, 4.0, 100.0]))
    >>> found.shift, found.interval.low, found.interval.high, found.reached
    (3.0, 1.0, 100.0, 0.9375)
    """
    n = int(differences.size)
    if not n:
        nothing = Interval(float("nan"), float("nan"))
        return Robust(float("nan"), nothing, float("nan"), 0)
    cut, reached = _cut(n)
    middle = (n * (n + 1) // 2 - 1) // 2, n * (n + 1) // 2 // 2
    ranks = [*middle, *(() if cut is None else (cut, n * (n + 1) // 2 - 1 - cut))]
    low, high, *bounds = _averages(differences, ranks)
    ends = Interval(*bounds) if bounds else Interval(float("nan"), float("nan"))
    return Robust((low + high) / 2, ends, reached, n)


def _averages(values: Array, ranks: list[int]) -> list[float]:
    """Return the averages of two values (or of a value with itself) with these ranks, counted from 0."""
    if values.size <= FEW:
        i, j = np.triu_indices(values.size)
        averages = np.sort((values[i] + values[j]) / 2)
        return [float(averages[rank]) for rank in ranks]
    ordered = np.sort(values)
    return [_ranked(ordered, rank) for rank in ranks]


def _ranked(ordered: Array, rank: int) -> float:
    """Return the average with this rank by bisection, without computing all averages."""
    low, high = float(ordered[0]), float(ordered[-1])
    own = np.arange(ordered.size)
    while low < (middle := low + (high - low) / 2) < high:
        partners = np.searchsorted(ordered, 2 * middle - ordered, side="right")
        below = int(np.maximum(partners - own, 0).sum())
        low, high = (low, middle) if below > rank else (middle, high)
    return high


@cache
def _cut(n: int) -> tuple[int | None, float]:
    """Return how many averages lie below the interval, and its level."""
    if n > FEW:
        return _nearly_cut(n)
    ways = np.ones(1)
    for rank in range(1, n + 1):
        longer = np.zeros(ways.size + rank)
        longer[: ways.size] += ways / 2
        longer[rank:] += ways / 2
        ways = longer
    below = np.cumsum(ways)  # P(signed-rank sum <= index)
    cut = int(np.searchsorted(below, (1 - LEVEL) / 2 + 1e-12, side="right")) - 1
    return (cut, float(1 - 2 * below[cut])) if cut >= 0 else (None, float("nan"))


def _nearly_cut(n: int) -> tuple[int, float]:
    """Return the same by the normal approximation of the sum of signed ranks."""
    mean, deviation = n * (n + 1) / 4, float(np.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    cut = int(np.floor(mean - 0.5 + deviation * float(special.ndtri((1 - LEVEL) / 2))))
    return cut, float(1 - 2 * special.ndtr((cut + 0.5 - mean) / deviation))
