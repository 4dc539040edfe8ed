"""The bootstrap over blocks for curves: what the means might have been, had other blocks been measured.

A block is drawn whole, so that its T1 goes with its other times. Blocks get random weights instead of being drawn and
left out (the multiplier bootstrap), and the spread is widened by Student's factor for so few of them. For a mean the
result is Student's t interval; the plain bootstrap would cover 78 to 88 % below ten blocks where 90 % are promised.

Mammen, *Bootstrap and wild bootstrap for high dimensional linear models*, Annals of Statistics 21, 1993.
"""

from __future__ import annotations

import numpy as np

from knee.stats.intervals import LEVEL, Array, Interval

RESAMPLES = 1000


def means(values: Array) -> Array:
    """Return the mean over blocks of every column of (blocks, points); NaN stands for a bad run."""
    return np.nanmean(values, axis=0)


def resampled(values: Array, seed: int = 1, number: int = RESAMPLES) -> Array:
    """Return resampled means of every column, shape (number, points).

    Parameters
    ----------
    values
        One row a block, one column a point of the curve; NaN where a run was bad. Every column has two values at least;
        the spread is widened for the one that has fewest.
    seed
        Of the weights.
    number
        Of resampled curves.
    """
    blocks = values.shape[0]
    draw = np.random.default_rng(seed)
    counted = np.isfinite(values).sum(axis=0)
    apart = np.where(np.isfinite(values), values - means(values), 0.0)
    freedom = int(counted.min()) - 1
    widened = np.sqrt(freedom / draw.chisquare(freedom, number))
    weights = draw.standard_normal((number, blocks)) * widened[:, None]
    return means(values) + weights @ (apart / np.sqrt(counted * (counted - 1)))


def interval(values: Array, level: float = LEVEL) -> Interval:
    """Return the percentiles between which that share of resampled values lies."""
    # The nearest value and none between two: the peak of a curve that has none is infinite.
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return Interval(float(low), float(high))
