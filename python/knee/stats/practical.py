"""Practical size: whether a difference matters, which neither its significance nor its share of the variation shows.

A factor that explains 8 % of the variation may make everything 20 % faster while another factor, such as the workload,
makes tenfold differences. So ratios of levels are compared with the smallest effect that the user declares.
"""

from __future__ import annotations

from typing import Literal

from knee.stats.intervals import Interval

SMALLEST = 0.05
"""The smallest effect that matters unless one is declared: 5 %."""

Size = Literal["matters", "equal", "cannot tell", "depends"]
"""``depends``: the answer for two levels differs between levels of another factor, so none holds on average."""


def size(ratio: Interval, smallest: float = SMALLEST) -> Size:
    """Judge the interval of a ratio.

    Parameters
    ----------
    ratio
        Dimensionless, both ends positive.
    smallest
        With 0.05, ratios from 1/1.05 to 1.05 are equal.

    Returns
    -------
    Size
        ``matters`` if the whole interval lies outside that range, ``equal`` if inside, ``cannot tell`` if it overlaps
        the border or is unknown.

    Examples
    --------
    >>> size(Interval(0.78, 0.82)), size(Interval(0.99, 1.01)), size(Interval(1.0, 1.2))
    ('matters', 'equal', 'cannot tell')
    """
    low, high = 1 / (1 + smallest), 1 + smallest
    if ratio.high < low or ratio.low > high:
        return "matters"
    return "equal" if low <= ratio.low and ratio.high <= high else "cannot tell"
