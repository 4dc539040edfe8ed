"""The slope of a curve on log-log axes: 1 is proportional growth, 0 is level, -1 halves when threads double.

Each block has a line of its own, by least squares through its points, so that what is peculiar to a block (its run on
one thread, its clock) moves that block's slope and no other; blocks are then what an interval rests on.
"""

from __future__ import annotations

import numpy as np

from knee.stats.distributions import Array


def slopes(counts: Array, values: Array) -> Array:
    """Return the log-log slope of every block.

    Parameters
    ----------
    counts
        Thread counts, at least two, shape (counts,).
    values
        Positive values, one row a block, shape (blocks, counts); NaN where a run was bad.

    Returns
    -------
    Array
        Shape (blocks,); NaN where a block lacks a point: a line through fewer would be that of another range.

    Examples
    --------
    >>> slopes(np.array([1.0, 2.0, 4.0]), np.array([[8.0, 4.0, 2.0], [8.0, np.nan, 2.0]])).tolist()
    [-1.0, nan]
    """
    x = np.log(counts) - np.log(counts).mean()
    return np.log(values) @ x / float(x @ x)
