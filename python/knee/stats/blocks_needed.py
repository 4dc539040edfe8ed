"""How many more blocks would tell whether two times are equal or one is slower.

The mean that more blocks will give is not known, but how it scatters is: after k more of them it lies around today's
mean by Student's t with a scale of s sqrt(k / (n (n + k))), where n blocks have a standard deviation of s. The answer
is the least k with which an interval of that study excludes 1, or lies within the margin, in 90 of 100 such outcomes.
To take today's mean for the truth instead would promise too much: means that just missed an answer are mostly too far
from 1. In simulations 60 to 100 of 100 open comparisons were decided by as many, least often where times were truly
equal (``python/tests/test_blocks_needed.py``).

O'Hagan, Stevens, Campbell, *Assurance in clinical trial design*, Pharmaceutical Statistics 4, 2005 (the chance of an
answer, averaged over what the data leave open). Hahn, Meeker, *Statistical Intervals*, 1991 (a mean to come).
"""

from __future__ import annotations

import math

from knee.stats.answers import ERROR, MARGIN
from knee.stats.distributions import student_beyond, student_value

ASSURANCE = 0.90
"""How likely an answer has to be after so many more blocks."""

MOST = 1000
"""More blocks than this are not advised: no study makes as many."""


def blocks_needed(
    mean: float, deviation: float, blocks: int, margin: float = MARGIN, *, tests: int = 1, spread: float = 0.0
) -> int | None:
    """Return about how many more blocks would decide a comparison that is open.

    Parameters
    ----------
    mean, deviation
        Mean log ratio, and the standard deviation of the log ratios of blocks.
    blocks
        How many there are.
    margin
        The smallest difference that matters: 0.03 takes ratios from 1/1.03 to 1.03 for equal.
    tests
        How many comparisons share the chance of a false alarm.
    spread
        Standard deviation, in logarithms, of what two sessions differ by: no block makes that part of the interval
        narrower.

    Returns
    -------
    int or None
        None where fewer than two blocks say how much they scatter, or more than a thousand would be needed.

    Examples
    --------
    >>> blocks_needed(0.0, 0.19, 5, margin=0.10)
    31
    """
    if blocks < 2 or not math.isfinite(mean) or not math.isfinite(deviation):
        return None

    def enough(more: int) -> bool:
        return _chance(mean, deviation, blocks, more, math.log1p(margin), tests, spread) >= ASSURANCE

    high = 1
    while not enough(high):
        high *= 2
        if high > 2 * MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if high <= MOST else None


def _chance(mean: float, deviation: float, blocks: int, more: int, margin: float, tests: int, spread: float) -> float:
    """Return the chance that the interval over all blocks tells; ``margin`` is in logarithms."""
    whole = blocks + more

    def half(error: float) -> float:
        own = student_value(1 - error, whole - 1) * deviation / math.sqrt(whole)
        return math.hypot(own, spread * student_value(1 - ERROR, math.inf)) if spread else own

    # It tells when the mean is as far from 1 as this, or as near as that.
    far, near = half(ERROR / tests), margin - half(ERROR)
    if far <= near:
        return 1.0
    scale = deviation * math.sqrt(more / (blocks * whole))

    def above(value: float) -> float:
        return student_beyond((value - mean) / scale, blocks - 1)

    return above(far) + 1 - above(-far) + max(0.0, above(-near) - above(near))
