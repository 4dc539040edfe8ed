"""How sure the share of the variation is that a factor explains.

The share is SSx / SST. In samples of the same design F follows a noncentral F distribution; its noncentrality has an
exact interval: the values under which F is neither among the smallest nor the largest of its draws. SSx is expected to
be (noncentrality + df) times the error's variance. The interval of the share puts those ends in place of SSx and leaves
the rest of the variation as it is.

Steiger, *Beyond the F test*, Psychological Methods 9 (2004).
"""

from __future__ import annotations

import numpy as np
from scipy import special

from knee.stats.intervals import LEVEL, Interval
from knee.stats.linear.anova import Anova


def share_interval(table: Anova, factor: str, level: float = LEVEL) -> Interval:
    """Return the interval of a factor's share of the variation, in which interactions have no part.

    Both ends are NaN where nothing is left for the error.
    """
    source, error = table.of(factor), table.sources[-1]
    if not np.isfinite(source.f):
        return Interval(float("nan"), float("nan"))
    rest = table.sst - source.squares
    ends: list[float] = []
    certain: list[bool] = []
    for chance in ((1 + level) / 2, (1 - level) / 2):
        noncentrality = _noncentrality(source.f, source.freedom, error.freedom, chance)
        squares = (noncentrality + source.freedom) * error.mean_square
        ends.append(squares / (squares + rest))
        certain.append(noncentrality > 0)
    # What noise alone would give is the least that the share can be told from.
    return Interval(ends[0] if certain[0] else 0.0, ends[1])


def _noncentrality(f: float, freedom: int, left: int, chance: float) -> float:
    """Return the noncentrality under which a smaller F has this chance; 0 where it is smaller under none."""
    from scipy import optimize  # only here: it takes as long to import as all the rest of scipy

    def excess(noncentrality: float) -> float:
        return float(special.ncfdtr(freedom, left, noncentrality, f)) - chance

    if excess(0.0) <= 0:
        return 0.0
    high = freedom * f + 10.0
    while excess(high) > 0:
        high *= 2
    return float(optimize.brentq(excess, 0.0, high))
