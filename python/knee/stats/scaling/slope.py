"""The slope of a curve on log-log axes: 1 is proportional growth, 0 is level, -1 halves when threads double.

A line is fitted to each block by least squares, so that a peculiarity of a block (its run on one thread, its clock)
affects only that block's slope; the interval is then over blocks.
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
    >>> slopes(np.array([1.0, 2.0, 4.0]), np.array([[8.0, 4.0, 2.0], [8.0, np.nan, 2.0]])).tolist()
    [-1.0, nan]
    """
    x = np.log(counts) - np.log(counts).mean()
    return np.log(values) @ x / float(x @ x)
