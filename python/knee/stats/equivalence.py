"""Equivalence of two times: shown to be about the same, shown to differ, or neither.

That a test finds no difference does not show that there is none. Two one-sided tests do: both times are equivalent when
the 90 % interval of their ratio lies within the margin. Speedups of two levels (two builds, two runtimes) can be read
side by side only where their one-thread times are equivalent: a slow base makes any speedup look well.

Schuirmann, *A comparison of the two one-sided tests procedure and the power approach*, J. Pharmacokinet. Biopharm. 15,
1987.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knee.stats.intervals import Array, Ratio, ratio

MARGIN = 0.03
"""Times are as good as the same when they differ by less than this, either way."""

Answer = Literal["equivalent", "different", "undecided"]


@dataclass(frozen=True)
class Equivalence:
    """The answer, and the ratio with the interval that it rests on."""

    answer: Answer
    ratio: Ratio


def equivalence(first: Array, second: Array, margin: float = MARGIN) -> Equivalence:
    """Return whether two times are equivalent.

    Parameters
    ----------
    first, second
        Seconds in the same blocks, shape (blocks,); NaN where a run was bad.
    margin
        Part of the time by which they may differ.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([1.0, 1.01, 0.99, 1.0])
    >>> [equivalence(a, np.roll(a, 1) * by).answer for by in (1.0, 1.016, 1.2)]
    ['equivalent', 'undecided', 'different']
    """
    compared = ratio(first, second)
    ends = compared.interval
    if ends.low > 1 / (1 + margin) and ends.high < 1 + margin:
        return Equivalence("equivalent", compared)
    return Equivalence("different" if ends.excludes(1.0) else "undecided", compared)
