"""Means over blocks, and ratios of means, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Array, Interval, combined, t_interval


@dataclass(frozen=True)
class Mean:
    """The mean of one value per block, with its interval."""

    value: float
    interval: Interval
    blocks: int


def against(values: Array, others: Array) -> Mean:
    """Return the logarithm of a ratio of geometric means; the runs of both may be in different blocks."""
    logs, reference = (np.log(each[np.isfinite(each)]) for each in (values, others))
    value, ends = combined(logs, [(-1.0, reference)])
    return Mean(value, ends, min(logs.size, reference.size))


def mean(values: Array) -> Mean:
    """Return the mean over the blocks that have a value."""
    known = values[np.isfinite(values)]
    return Mean(float(known.mean()) if known.size else np.nan, t_interval(known), int(known.size))


def over(values: Array, others: Array) -> Mean:
    """Return a ratio of means, which may be near 0; the runs of both may be in different blocks.

    The interval is that of the linearised ratio, by Welch's method.
    """
    upper, lower = (each[np.isfinite(each)] for each in (values, others))
    if not upper.size or not lower.size:
        return Mean(np.nan, Interval(np.nan, np.nan), 0)
    ratio = float(upper.mean() / lower.mean())
    _, ends = combined(upper / lower.mean(), [(-ratio, lower / lower.mean())])
    return Mean(ratio, ends.shifted(ratio), min(upper.size, lower.size))
