"""How many blocks are needed to tell whether two times are equal or one is slower.

The mean after k more blocks is unknown, but its distribution is not: Student's t around the current mean with scale s
sqrt(k / (n (n + k))), where s is the standard deviation of the n blocks so far; and that of k blocks of a new study,
which does not have those so far, with scale s sqrt(1 / n + 1 / k). The result is the smallest k for which the new
interval excludes 1, or lies within the margin, in 90 of 100 such outcomes. Taking the current mean as the true one
would be too optimistic, since means that just missed an answer are mostly too far from 1. In simulations this number
decided 60 to 100 of 100 open comparisons, fewest when times were truly equal (``python/tests/test_blocks_needed.py``).

O'Hagan, Stevens, Campbell, *Assurance in clinical trial design*, Pharmaceutical Statistics 4, 2005 (assurance: the
probability of an answer, averaged over the uncertainty). Hahn, Meeker, *Statistical Intervals*, 1991 (prediction of a
future mean).
"""

from __future__ import annotations

import math

from knee.stats.answers import ERROR, MARGIN
from knee.stats.distributions import student_beyond, student_value

ASSURANCE = 0.90
"""Required probability of an answer after the additional blocks."""

MOST = 1000
"""No larger number of blocks is recommended, since no study makes as many."""


def blocks_needed(
    mean: float, deviation: float, blocks: int, margin: float = MARGIN,
    *, tests: int = 1, spread: float = 0.0, new_study: bool = False,
) -> int | None:  # fmt: skip
    """Return about how many more blocks would decide an open comparison, or how many of a new study.

    Parameters
    ----------
    mean, deviation
        Mean log ratio, and the standard deviation of the log ratios of blocks.
    blocks
        Number of blocks so far.
    margin
        The smallest difference that matters: with 0.03, ratios from 1/1.03 to 1.03 are equal.
    tests
        Number of comparisons that share the false-alarm rate.
    spread
        Standard deviation, in logarithms, of the difference between two sessions; more blocks do not reduce it.
    new_study
        Whether they are those of a new study, without the blocks so far.

    Returns
    -------
    int or None
        None if there are fewer than two blocks, or more than a thousand would be needed.

    Examples
    --------
    >>> blocks_needed(0.0, 0.19, 5, margin=0.10)
    31
    >>> blocks_needed(0.0, 0.19, 5, margin=0.10, new_study=True)
    35
    """
    if blocks < 2 or not math.isfinite(mean) or not math.isfinite(deviation):
        return None

    def enough(more: int) -> bool:
        kept = 0 if new_study else blocks
        scale = deviation * math.sqrt(1 / blocks + (1 / more if new_study else -1 / (blocks + more)))
        return _chance(mean, deviation, blocks, kept + more, scale, math.log1p(margin), tests, spread) >= ASSURANCE

    # An interval takes two.
    high = 2 if new_study else 1
    while not enough(high):
        high *= 2
        if high > 2 * MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high if high <= MOST else None


def _chance(
    mean: float, deviation: float, blocks: int, whole: int, scale: float, margin: float, tests: int, spread: float
) -> float:
    """Return the probability that the interval over ``whole`` blocks gives an answer.

    Their mean has Student's t distribution of ``scale`` around that of the blocks so far; ``margin`` is in logarithms.
    """

    def half(error: float) -> float:
        own = student_value(1 - error, whole - 1) * deviation / math.sqrt(whole)
        return math.hypot(own, spread * student_value(1 - ERROR, math.inf)) if spread else own

    # It does if the mean lies at least `far` from 0, or within `near`.
    far, near = half(ERROR / tests), margin - half(ERROR)
    if far <= near:
        return 1.0
    if deviation == 0:
        # Without scatter more blocks change nothing: what is open, the two sessions leave open.
        return 1.0 if abs(mean) >= far or abs(mean) <= near else 0.0

    def above(value: float) -> float:
        return student_beyond((value - mean) / scale, blocks - 1)

    return above(far) + 1 - above(-far) + max(0.0, above(-near) - above(near))
