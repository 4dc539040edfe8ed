"""Intervals of a proportion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.stats.distributions import proportion_ends, student_value
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


def over_runs(hits: Sequence[int], trials: Sequence[int], level: float = LEVEL) -> Interval:
    """Return the interval of a proportion whose trials come in runs, which may differ by more than chance makes them.

    It is that of Clopper and Pearson, of as many trials as tell as much when they are independent. Of a single run it
    is as if they were.

    Korn, Graubard, *Confidence intervals for proportions with small expected number of positive counts estimated from
    survey data*, Survey Methodology 24, 1998.

    Parameters
    ----------
    hits, trials
        Numbers of each run.

    Examples
    --------
    >>> alike, unlike = over_runs([50, 50, 50], [100, 100, 100]), over_runs([90, 50, 10], [100, 100, 100])
    >>> (round(alike.low, 2), round(alike.high, 2)), (round(unlike.low, 2), round(unlike.high, 2))
    ((0.41, 0.59), (0.01, 0.99))
    """
    made = [(hit, of) for hit, of in zip(hits, trials, strict=True) if of > 0]
    found, of = (np.array([one[at] for one in made], dtype=float) for at in (0, 1))
    many, whole = len(made), float(of.sum())
    share = float(found.sum()) / whole if whole else 0.0
    if many < 2 or not 0 < share < 1:
        return Interval(*proportion_ends(float(found.sum()), whole, level))
    # The variance of a ratio of means over runs, over that of independent trials.
    between = many / (many - 1) * float(((found - share * of) ** 2).sum()) / whole
    design = max(1.0, between / (share * (1 - share)))
    at = (1 + level) / 2
    effective = whole / design * (student_value(at, whole - 1) / student_value(at, many - 1)) ** 2
    return Interval(*proportion_ends(share * effective, effective, level))
