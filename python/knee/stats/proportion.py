"""Intervals of a proportion."""

from __future__ import annotations

from knee.stats.distributions import proportion_ends
from knee.stats.intervals import LEVEL, Interval


def clopper_pearson(hits: int, trials: int, level: float = LEVEL) -> Interval:
    """Return the exact interval of a proportion; its coverage is at least the nominal level.

    Clopper, Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*, Biometrika 26,
    1934.

    Examples
    --------
    >>> found = clopper_pearson(0, 20)
    >>> found.low, round(found.high, 3)
    (0.0, 0.139)
    """
    return Interval(*proportion_ends(hits, trials, level))
