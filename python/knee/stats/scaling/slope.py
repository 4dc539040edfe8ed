"""The slope of a curve on log-log axes: 1 is proportional growth, 0 is level, -1 halves when threads double.

The bend is how much the slope changes half-way: 0 on a straight line.

Lines are fitted to each block by least squares, so that a peculiarity of a block (its run on one thread, its clock)
affects only that block's number; the interval is then over blocks.
"""

from __future__ import annotations

import numpy as np

from knee.stats.distributions import Array


def slopes(counts: Array, values: Array) -> Array:
    """Return the log-log slope of each block.

    Parameters
    ----------
    counts
        Thread counts, at least two, shape (counts,).
    values
        Positive values, one row per block, shape (blocks, counts); NaN where a run was bad.

    Returns
    -------
    Array
        Shape (blocks,); NaN if a point of the block is missing, since fewer points would cover another range.

    Examples
    --------
    >>> slopes(np.array([1.0, 2.0, 4.0]), np.array([[8.0, 4.0, 2.0], [8.0, np.nan, 2.0]])).round(9).tolist()
    [-1.0, nan]
    """
    x = np.log(counts) - np.log(counts).mean()
    return np.log(values) @ x / float(x @ x)


def bends(counts: Array, values: Array) -> Array:
    """Return the bend of each block: the slope above the middle of the range less the slope below it.

    Both slopes are those of two lines that meet in the middle, on the logarithmic axis (the geometric mean of the
    smallest and the largest count), fitted together. A straight line has the bend 0.

    Parameters
    ----------
    counts
        Thread counts, at least three, in ascending order, shape (counts,).
    values
        Positive values, one row per block, shape (blocks, counts); NaN where a run was bad.

    Returns
    -------
    Array
        Shape (blocks,); NaN if a point of the block is missing.

    Examples
    --------
    >>> found = bends(np.array([1.0, 2.0, 4.0]), np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 2.0]]))
    >>> (found.round(9) + 0.0).tolist()  # Some processors find -0.0.
    [0.0, -1.0]
    """
    x = np.log(counts) - np.log(counts[[0, -1]]).mean()
    lines = np.stack([np.ones_like(x), x, np.maximum(x, 0)], axis=1)
    return np.log(values) @ np.linalg.pinv(lines)[2]
