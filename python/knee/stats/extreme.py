"""The least (or the largest) of several means with an interval: what holds at every one of them holds at the worst.

That a curve lies above another one at every thread count is an intersection of statements. It needs no correction: when
each count's own 95 % limit lies above a bound, so does the least of the means, and this is false 5 times in 100 at most
(the intersection-union test). That it fails at *some* count is a union, which is easier met by chance the more counts
there are: on that side each limit has its share of the 5 % (Bonferroni's, the first step of Holm's, which is all
that *at least one* takes). So the interval holds the least mean at least 90 times in 100, whatever the counts have in
common. It is wide where several means lie close together, and Student's own where there is one.

Berger, *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24, 1982.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import Array
from knee.stats.intervals import LEVEL, Interval, t_interval


@dataclass(frozen=True)
class Extreme:
    """The least of several means, its interval, and which of them it is."""

    estimate: float
    interval: Interval
    place: int


def least(groups: list[Array]) -> Extreme:
    """Return the least mean.

    Parameters
    ----------
    groups
        The values of each mean, one per block, shape (blocks,); at least one group, of two values or more each.

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
    """Return the largest mean: the least of what is turned around."""
    mirrored = least([-values for values in groups])
    return Extreme(-mirrored.estimate, Interval(-mirrored.interval.high, -mirrored.interval.low), mirrored.place)
