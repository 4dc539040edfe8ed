"""Ratios of two cells with intervals: Student's t on the mean log ratio of blocks, for any number of blocks.

``python/tests/test_intervals.py`` shows by simulation that it has its nominal coverage from 5 to 50 blocks, with normal
and with moderately skewed logarithms. The percentile bootstrap over blocks does not: instead of 90 % it covers 79 %
with five blocks, 87 % with twenty, and never more than Student's t.

Student, *The probable error of a mean*, Biometrika 6, 1908. Georges, Buytaert, Eeckhout, *Statistically rigorous Java
performance evaluation*, OOPSLA 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import Array, student_value

LEVEL = 0.90
"""Confidence level of every interval."""


@dataclass(frozen=True)
class Interval:
    """Both ends of an interval; NaN if there are too few blocks."""

    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Whether the value lies outside. An unknown interval excludes nothing."""
        return bool(self.low > value or self.high < value)

    def shifted(self, by: float) -> Interval:
        """Return the interval around another centre."""
        return Interval(self.low + by, self.high + by)


@dataclass(frozen=True)
class Ratio:
    """A dimensionless ratio of geometric means over blocks, with its interval."""

    estimate: float
    interval: Interval
    blocks: int

    def log(self) -> tuple[float, Interval]:
        """Return the natural logarithm of the ratio and of its interval."""
        ends = Interval(float(np.log(self.interval.low)), float(np.log(self.interval.high)))
        return float(np.log(self.estimate)), ends


def ratio(numerator: Array, denominator: Array, level: float = LEVEL) -> Ratio:
    """Return the ratio of two cells that were measured in the same blocks.

    Parameters
    ----------
    numerator, denominator
        Positive values, one per block, shape (blocks,); NaN where a run was bad. A block counts if both are known.
    level
        Confidence level of the interval.

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
        return Ratio(np.nan, Interval(np.nan, np.nan), 0)
    ends = t_interval(logs, level)
    within = Interval(float(np.exp(ends.low)), float(np.exp(ends.high)))
    return Ratio(float(np.exp(logs.mean())), within, int(logs.size))


def t_interval(values: Array, level: float = LEVEL) -> Interval:
    """Return Student's interval for the mean of one value per block; NaN for fewer than two values."""
    if values.size < 2:
        return Interval(np.nan, np.nan)
    half = float(student_value((1 + level) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
    mean = float(values.mean())
    return Interval(mean - half, mean + half)


def combined(own: Array, others: Sequence[tuple[float, Array]], level: float = LEVEL) -> tuple[float, Interval]:
    """Return a sum of means of independent samples of different sizes, with Welch's interval.

    Parameters
    ----------
    own
        The first sample, without NaN; its mean counts once.
    others
        Further samples, without NaN, each with the factor by which its mean counts.
    level
        Confidence level of the interval.

    Notes
    -----
    Welch, *The generalization of 'Student's' problem when several different population variances are involved*,
    Biometrika 34, 1947; degrees of freedom by Satterthwaite's approximation.

    Examples
    --------
    >>> import numpy as np
    >>> value, ends = combined(np.array([1.0, 2.0, 3.0]), [(-1.0, np.array([1.0, 1.5]))])
    >>> round(value, 3), round(ends.low, 2), round(ends.high, 2)
    (0.75, -0.82, 2.32)
    """
    value, error, freedom = welch([(1.0, own), *others])
    if error != error:
        return value, Interval(np.nan, np.nan)
    half = float(student_value((1 + level) / 2, freedom) * error) if error > 0 else 0.0
    return value, Interval(value - half, value + half)


def welch(samples: Sequence[tuple[float, Array]]) -> tuple[float, float, float]:
    """Return a sum of means of independent samples, its standard error, and the degrees of freedom of that.

    Parameters
    ----------
    samples
        Samples without NaN, each with the factor by which its mean counts. The error is NaN if one has fewer than two
        values, and the sum if one has none.
    """
    counting = [(factor, sample) for factor, sample in samples if factor]
    value = float(sum(factor * sample.mean() for factor, sample in counting if sample.size))
    if any(sample.size < 2 for _, sample in counting):
        return value if all(sample.size for _, sample in counting) else np.nan, np.nan, np.nan
    squares = [(factor**2 * float(sample.var(ddof=1)) / sample.size, sample.size - 1) for factor, sample in counting]
    variance = sum(square for square, _ in squares)
    if variance <= 0:
        return value, 0.0, 1.0
    freedom = variance**2 / sum(square**2 / degrees for square, degrees in squares if square > 0)
    return value, float(np.sqrt(variance)), freedom
