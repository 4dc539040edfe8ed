"""Compares two times of one study: equal, faster or slower, cannot tell.

Speedups of two levels (two builds, two runtimes) can be compared only if their one-thread times are equal: a slow base
makes any speedup look good.
"""

from __future__ import annotations

from dataclasses import dataclass

from knee.stats.answers import MARGIN, Answer, answer
from knee.stats.intervals import Array, Ratio, ratio


@dataclass(frozen=True)
class Equivalence:
    """The answer for the first time, and the ratio with its interval that it is based on."""

    answer: Answer
    ratio: Ratio


def equivalence(first: Array, second: Array, margin: float = MARGIN) -> Equivalence:
    """Return whether two times are equal, or the first is faster or slower.

    Parameters
    ----------
    first, second
        Seconds in the same blocks, shape (blocks,); NaN where a run was bad.
    margin
        The share of the time by which they may differ.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([1.0, 1.01, 0.99, 1.0])
    >>> [equivalence(a * by, np.roll(a, 1)).answer for by in (1.0, 1.016, 1.2)]
    ['equal', 'cannot tell', 'slower']
    """
    compared = ratio(first, second)
    return Equivalence(answer(compared.interval, margin), compared)
