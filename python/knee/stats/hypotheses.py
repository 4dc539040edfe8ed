"""Tests on residuals: rank correlation, equal variances, and normality.

``scipy.stats`` has all of them but is slow to import; ``test_hypotheses.py`` compares results with it.

Spearman, *The proof and measurement of association between two things*, American Journal of Psychology 15, 1904.
Brown, Forsythe, *Robust tests for the equality of variances*, JASA 69, 1974. Royston, *Remark AS R94: a remark on
algorithm AS 181, the W-test for normality*, Applied Statistics 44, 1995.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import Array, fisher_beyond, normal_beyond, normal_values, student_beyond


@dataclass(frozen=True)
class Tested:
    """A test statistic and its p value."""

    statistic: float
    p: float


def correlation(x: Array, y: Array) -> Tested:
    """Return Pearson's correlation of two arrays of shape (runs,), and its p value."""
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    freedom = x.size - 2
    if abs(r) == 1.0:
        return Tested(r, 0.0)
    return Tested(r, 2 * student_beyond(abs(r) * np.sqrt(freedom / ((1 - r) * (1 + r))), freedom))


def rank_correlation(x: Array, y: Array) -> Tested:
    """Return Spearman's correlation, which is that of the ranks."""
    return correlation(ranks(x), ranks(y))


def ranks(values: Array) -> Array:
    """Return the rank of each value, from 1; equal values share their mean rank."""
    _, where, many = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(many)
    return (last - (many - 1) / 2)[where]


def equal_spreads(groups: Sequence[Array]) -> Tested:
    """Return Brown and Forsythe's F, a test of equal variances by distances from the median."""
    apart = [np.abs(group - np.median(group)) for group in groups]
    everything = np.concatenate(apart)
    between = sum(part.size * (part.mean() - everything.mean()) ** 2 for part in apart)
    inside = sum(float(((part - part.mean()) ** 2).sum()) for part in apart)
    above, below = len(apart) - 1, everything.size - len(apart)
    f = float(between / above / (inside / below))
    return Tested(f, fisher_beyond(f, above, below))


def normality(values: Array) -> Tested:
    """Return Shapiro and Wilk's W of at least three values, not all equal."""
    ordered = np.sort(values) - np.median(values)
    weights = _weights(values.size)
    w = min(1.0, float((weights @ ordered) ** 2 / ((ordered - ordered.mean()) ** 2).sum()))
    return Tested(w, _chance(w, values.size))


LAST = (0.0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056)
BEFORE_LAST = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
FEW_LIMIT, FEW_MEAN = (-2.273, 0.459), (0.5440, -0.39978, 0.025054, -6.714e-4)
FEW_SPREAD = (1.3822, -0.77857, 0.062767, -0.0020322)
MANY_MEAN, MANY_SPREAD = (-1.5861, -0.31082, -0.083751, 0.0038915), (-0.4803, -0.082676, 0.0030302)
"""Royston's polynomials, in ascending powers: for the two largest weights in 1/sqrt(n), and for the mean and spread of
the normal transform of 1 - W, in n up to eleven values and in ln(n) above.
"""


def _weights(n: int) -> Array:
    """Return the weights of the ordered values, shape (n,)."""
    if n == 3:
        return np.array([-(0.5**0.5), 0.0, 0.5**0.5])
    scores = normal_values((np.arange(1, n + 1, dtype=np.float64) - 0.375) / (n + 0.25))
    length, root = float((scores**2).sum()), 1 / np.sqrt(n)
    last = _polynomial(LAST, root) + scores[-1] / np.sqrt(length)
    ends, rest = np.array([last]), length - 2 * scores[-1] ** 2
    if n > 5:
        before = _polynomial(BEFORE_LAST, root) + scores[-2] / np.sqrt(length)
        ends, rest = np.array([before, last]), rest - 2 * scores[-2] ** 2
    weights = scores / np.sqrt(rest / (1 - 2 * (ends**2).sum()))
    weights[-ends.size :], weights[: ends.size] = ends, -ends[::-1]
    return weights


def _chance(w: float, n: int) -> float:
    if n == 3:
        return max(0.0, float(6 / np.pi * (np.arcsin(np.sqrt(w)) - np.arcsin(np.sqrt(0.75)))))
    if w == 1.0:
        return 1.0
    y, logs = float(np.log1p(-w)), float(np.log(n))
    if n <= 11:
        limit = _polynomial(FEW_LIMIT, n)
        if y >= limit:
            return 0.0
        mean, spread, y = _polynomial(FEW_MEAN, n), np.exp(_polynomial(FEW_SPREAD, n)), -np.log(limit - y)
    else:
        mean, spread = _polynomial(MANY_MEAN, logs), np.exp(_polynomial(MANY_SPREAD, logs))
    return normal_beyond(float((y - mean) / spread))


def _polynomial(coefficients: Sequence[float], at: float) -> float:
    return float(np.polynomial.polynomial.polyval(at, np.array(coefficients)))
