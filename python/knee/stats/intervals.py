"""Ratios of two cells with intervals.

Below twenty blocks the interval is Student's t on the mean of the blocks' log ratios: percentiles of a bootstrap cover
too little there when 90 % are promised (shown by simulation in ``python/tests/test_intervals.py``). From twenty blocks
on it is the bootstrap over blocks. Both are always computed, so that a reader can see whether they agree.

From four hundred blocks on nothing is resampled. What the bootstrap adds to Student's t is the skewness of the mean,
which moves an end by (z² - 1) / 6 · skewness / sqrt(blocks) standard errors, 0.03 of one for a skewness of 2; while the
ends of four thousand resamples are themselves uncertain by that much.

Georges, Buytaert, Eeckhout, *Statistically rigorous Java performance evaluation*, OOPSLA 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from knee.stats.distributions import Array, student_value

LEVEL = 0.90
"""Confidence level of every interval."""

BLOCKS_FOR_BOOTSTRAP = 20
BLOCKS_FOR_NONE = 400
RESAMPLES = 4000


@dataclass(frozen=True)
class Interval:
    """Both ends; NaN where there are too few blocks for one."""

    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Whether the value lies outside. An interval that is not known excludes nothing."""
        return bool(self.low > value or self.high < value)


@dataclass(frozen=True)
class Ratio:
    """A ratio of geometric means over blocks, dimensionless.

    ``interval`` is the one to quote; ``t`` and ``bootstrap`` are the two candidates.
    """

    estimate: float
    interval: Interval
    t: Interval
    bootstrap: Interval
    blocks: int

    def log(self) -> tuple[float, Interval]:
        """Return the natural logarithm of the ratio and of its interval."""
        ends = Interval(float(np.log(self.interval.low)), float(np.log(self.interval.high)))
        return float(np.log(self.estimate)), ends


def ratio(numerator: Array, denominator: Array, seed: int = 1) -> Ratio:
    """Return the ratio of two cells that were measured in the same blocks.

    Parameters
    ----------
    numerator, denominator
        Positive values, one per block, shape (blocks,); NaN where a run was bad. A block counts when both are there.
    seed
        Of the bootstrap's resampling.

    Examples
    --------
    >>> import numpy as np
    >>> r = ratio(np.array([2.0, 2.2, 1.8]), np.array([1.0, 1.1, 0.9]))
    >>> round(r.estimate, 6), round(r.interval.low, 6), round(r.interval.high, 6)
    (2.0, 2.0, 2.0)
    """
    logs = np.log(numerator) - np.log(denominator)
    logs = logs[np.isfinite(logs)]
    if logs.size == 0:
        nothing = Interval(np.nan, np.nan)
        return Ratio(np.nan, nothing, nothing, nothing, 0)
    t, bootstrap = _exp(t_interval(logs)), _exp(bootstrap_interval(logs, seed))
    chosen = t if logs.size < BLOCKS_FOR_BOOTSTRAP else bootstrap
    return Ratio(float(np.exp(logs.mean())), chosen, t, bootstrap, int(logs.size))


def mean_interval(values: Array, seed: int = 1) -> Interval:
    """Return the interval to quote for the mean of one value per block."""
    return t_interval(values) if values.size < BLOCKS_FOR_BOOTSTRAP else bootstrap_interval(values, seed)


def t_interval(values: Array, level: float = LEVEL) -> Interval:
    """Return Student's interval for the mean; NaN for fewer than two values."""
    if values.size < 2:
        return Interval(np.nan, np.nan)
    half = float(student_value((1 + level) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
    mean = float(values.mean())
    return Interval(mean - half, mean + half)


def bootstrap_interval(values: Array, seed: int, level: float = LEVEL) -> Interval:
    """Return the percentile interval of the mean over resampled blocks; NaN for fewer than two values."""
    if values.size < 2 or values.size >= BLOCKS_FOR_NONE:
        return t_interval(values, level)
    means = _weights(values.size, seed) @ values
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


@lru_cache(maxsize=8)
def _weights(blocks: int, seed: int) -> Array:
    """Return how much each block counts in each resample, shape (resamples, blocks): a study asks for few numbers."""
    drawn = np.random.default_rng(seed).integers(0, blocks, (RESAMPLES, blocks))
    places = drawn + blocks * np.arange(RESAMPLES)[:, None]
    return np.bincount(places.ravel(), minlength=RESAMPLES * blocks).reshape(RESAMPLES, blocks) / blocks


def _exp(interval: Interval) -> Interval:
    return Interval(float(np.exp(interval.low)), float(np.exp(interval.high)))
