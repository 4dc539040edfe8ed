"""The three answers to "is it slower?": equal, faster or slower, cannot tell.

A test that finds no difference has not shown that there is none: the interval may be too wide to see one. So *equal*
has to be shown as well, by two one-sided tests: the whole 90 % interval of the ratio lies within the smallest
difference that matters. Where the interval neither excludes 1 nor lies within that margin, the data cannot tell, and
nothing follows from them.

Schuirmann, *A comparison of the two one-sided tests procedure and the power approach*, J. Pharmacokinet. Biopharm. 15,
1987.
"""

from __future__ import annotations

from typing import Literal

from knee.stats.intervals import LEVEL, Interval

MARGIN = 0.03
"""The smallest difference of times that matters unless another is asked for: 3 % either way."""

ERROR = (1 - LEVEL) / 2
"""How often equals may be called slower; as often they may be called faster."""

Answer = Literal["equal", "faster", "slower", "cannot tell"]


def answer(ratio: Interval, margin: float = MARGIN) -> Answer:
    """Say what an interval shows of a time over another time.

    Parameters
    ----------
    ratio
        Interval of the time in question over the time it is compared with; NaN where it is not known.
    margin
        0.03 takes ratios from 1/1.03 to 1.03 for equal.

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
