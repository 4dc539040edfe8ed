"""The three answers to "is it slower?": equal, faster or slower, cannot tell.

A test that finds no difference does not show that there is none: the interval may be too wide. So *equal* must be shown
as well, by two one-sided tests: the whole 90 % interval of the ratio lies within the smallest difference that matters.
If the interval neither excludes 1 nor lies within that margin, the answer is *cannot tell*.

Schuirmann, *A comparison of the two one-sided tests procedure and the power approach*, J. Pharmacokinet. Biopharm. 15,
1987.
"""

from __future__ import annotations

from typing import Literal

from knee.stats.intervals import LEVEL, Interval

MARGIN = 0.03
"""The smallest difference of times that matters unless another is asked for: 3 % either way."""

ERROR = (1 - LEVEL) / 2
"""Rate at which equal times may be called slower; likewise faster."""

Answer = Literal["equal", "faster", "slower", "cannot tell"]


def answer(ratio: Interval, margin: float = MARGIN) -> Answer:
    """Return the answer that an interval of a ratio of times gives.

    Parameters
    ----------
    ratio
        Interval of a time over the time that it is compared with; NaN if unknown.
    margin
        With 0.03, ratios from 1/1.03 to 1.03 are equal.

    Examples
    --------
    >>> [answer(Interval(*ends)) for ends in ((0.98, 1.02), (1.01, 1.2), (0.8, 0.9), (0.9, 1.6))]
    ['equal', 'slower', 'faster', 'cannot tell']
    """
    if ratio.low > 1 / (1 + margin) and ratio.high < 1 + margin:
        return "equal"
    if ratio.low > 1:
        return "slower"
    return "faster" if ratio.high < 1 else "cannot tell"
