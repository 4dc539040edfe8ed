"""Practical size: whether a difference matters, which neither its significance nor its share of the variation says.

A factor that explains 8 % of the variation may make everything 20 % faster when another factor, such as the workload,
makes tenfold differences. So ratios of levels are held against the smallest effect that the reader declared.
"""

from __future__ import annotations

from typing import Literal

from knee.stats.intervals import Interval

SMALLEST = 0.05
"""The smallest effect that matters unless one is declared: 5 %."""

Size = Literal["matters", "equal", "cannot tell", "depends"]
"""Of two levels, the last one: it is another answer at other levels of another factor, and none on average."""


def size(ratio: Interval, smallest: float = SMALLEST) -> Size:
    """Judge the interval of a ratio.

    Parameters
    ----------
    ratio
        Dimensionless, both ends positive.
    smallest
        0.05 takes ratios from 1/1.05 to 1.05 for equal.

    Returns
    -------
    Size
        ``matters`` when the whole interval lies outside that range, ``equal`` when inside, ``cannot tell`` when it has
        a part of both or there is none.

    Examples
    --------
    >>> size(Interval(0.78, 0.82)), size(Interval(0.99, 1.01)), size(Interval(1.0, 1.2))
    ('matters', 'equal', 'cannot tell')
    """
    low, high = 1 / (1 + smallest), 1 + smallest
    if ratio.high < low or ratio.low > high:
        return "matters"
    return "equal" if low <= ratio.low and ratio.high <= high else "cannot tell"
