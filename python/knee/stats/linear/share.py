"""The interval of the share of the variation that a factor explains.

The share is SSx / SST. The square root of SSx is the length of the vector of the factor's effects, so it has the error
of one effect: its interval is Student's t on that length, with the error that the factor is tested against; for two
levels that is the interval of their difference. If F is not significant at 5 %, the length may be 0. Noise alone adds
one mean square of the error per degree of freedom. The interval of the share is computed from these ends in place of
SSx, with the rest of the variation unchanged. ``python/tests/test_share.py`` simulates it.
"""

from __future__ import annotations

import numpy as np

from knee.stats.distributions import fisher_value, student_value
from knee.stats.intervals import LEVEL, Interval
from knee.stats.linear.anova import Anova


def share_interval(table: Anova, factor: str, level: float = LEVEL) -> Interval:
    """Return the interval of a factor's share of the variation, without its interactions.

    Both ends are NaN without degrees of freedom for the error.
    """
    source = table.of(factor)
    error = source.against
    if not np.isfinite(source.f):
        return Interval(float("nan"), float("nan"))
    chance = (1 + level) / 2
    # As in the table: both degrees of freedom are fewer where the levels do not have the same variance.
    above, below = source.freedom * error.sphericity, error.freedom * error.sphericity
    half = student_value(chance, below)
    # SSx without the noise orthogonal to the effects, in mean squares of the error.
    length = float(np.sqrt(max(source.f * source.freedom - (source.freedom - 1), 0.0)))
    certain = source.f > fisher_value(chance, above, below) and length > half
    rest = table.sst - source.squares
    low, high = ((end**2 + source.freedom) * error.mean_square for end in (length - half, length + half))
    # A share below what noise alone explains cannot be distinguished from 0.
    return Interval(low / (low + rest) if certain else 0.0, high / (high + rest))
