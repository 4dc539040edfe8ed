"""How sure the share of the variation is that a factor explains.

The share is SSx / SST. The root of SSx is the length of the factor's effects, so it scatters as one of them does: its
interval is Student's t on that length, with the error that the factor is tested against; for two levels that is the
interval of their difference. Where F does not exceed what noise makes in 5 of 100 studies, the length may be 0. Noise
alone adds one mean square of the error for each degree of freedom. The interval of the share puts those ends in place
of SSx and leaves the rest of the variation as it is. ``python/tests/test_share.py`` simulates it.
"""

from __future__ import annotations

import numpy as np

from knee.stats.distributions import fisher_value, student_value
from knee.stats.intervals import LEVEL, Interval
from knee.stats.linear.anova import Anova


def share_interval(table: Anova, factor: str, level: float = LEVEL) -> Interval:
    """Return the interval of a factor's share of the variation, in which interactions have no part.

    Both ends are NaN where nothing is left for the error.
    """
    source = table.of(factor)
    error = source.against
    if not np.isfinite(source.f):
        return Interval(float("nan"), float("nan"))
    chance = (1 + level) / 2
    half = student_value(chance, error.freedom)
    # What is left of SSx without the noise across the direction of the effects, in mean squares of the error.
    length = float(np.sqrt(max(source.f * source.freedom - (source.freedom - 1), 0.0)))
    certain = source.f > fisher_value(chance, source.freedom, error.freedom) and length > half
    rest = table.sst - source.squares
    low, high = ((end**2 + source.freedom) * error.mean_square for end in (length - half, length + half))
    # What noise alone would give is the least that the share can be told from.
    return Interval(low / (low + rest) if certain else 0.0, high / (high + rest))
