"""The smallest or the largest of several means, with an interval.

That one curve lies above another at *every* thread count is an intersection of statements and needs no correction: if
the 95 % limit of each count lies above a bound, so does the smallest mean, and that is wrong in at most 5 of 100 cases
(intersection-union test). That it fails at *some* count is a union, which chance produces more often the more counts
there are; so on that side the 5 % are divided among the counts (Bonferroni, the first step of Holm, is enough for *at
least one*). The interval therefore covers the smallest mean in at least 90 of 100 cases, even if the counts depend on
each other. It is wide if several means are close together, and it is Student's interval if there is only one.

Berger, *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24, 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import Array
from knee.stats.intervals import LEVEL, Interval, t_interval


@dataclass(frozen=True)
class Extreme:
    """The smallest or largest of several means, its interval, and its index."""

    estimate: float
    interval: Interval
    place: int


def least(groups: list[Array]) -> Extreme:
    """Return the smallest mean.

    Parameters
    ----------
    groups
        The values behind each mean, one per block, shape (blocks,); at least one group, each of at least two values.

    Examples
    --------
    >>> worst = least([np.array([1.0, 1.2]), np.array([3.0, 3.2])])
    >>> round(worst.estimate, 2), worst.place
    (1.1, 0)
    """
    means = [float(values.mean()) for values in groups]
    tail = (1 - LEVEL) / 2
    low = min(t_interval(values).low for values in groups)
    high = min(t_interval(values, 1 - 2 * tail / len(groups)).high for values in groups)
    return Extreme(min(means), Interval(low, high), int(np.argmin(means)))


def largest(groups: list[Array]) -> Extreme:
    """Return the largest mean, as the smallest of the negated values."""
    mirrored = least([-values for values in groups])
    return Extreme(-mirrored.estimate, Interval(-mirrored.interval.high, -mirrored.interval.low), mirrored.place)
