"""Compares two levels of a factor at each level of another factor, where their average would mislead.

In a crossover interaction one level is faster at some levels of another factor and slower at others, so the average
ratio is about 1, and the levels would be called equal although they never are. So two levels *depend* on another factor
if they are equal on average but differ by more than the smallest effect at one of its levels, or if they differ by more
than that in both directions. The intervals at all levels of the other factor hold together (Bonferroni), so that many
levels do not raise the false-alarm rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.explain.factorial.apart import Apart
from knee.stats.intervals import LEVEL, Interval, Ratio
from knee.stats.linear.design import Codes, Factor
from knee.stats.practical import Size, size


@dataclass(frozen=True)
class Inside:
    """The ratio of two levels at one level of another factor; the intervals at all of its levels hold together."""

    partner: str
    level: str
    ratio: Ratio
    held: Interval
    """The interval of the ratio whatever other programs took."""


def depends(apart: Apart, partners: Sequence[tuple[Factor, Codes]], alone: Size, smallest: float) -> list[Inside]:
    """Return the comparison of two levels at each level of the factor that they depend on most; empty if there is none.

    Parameters
    ----------
    apart
        How far the two levels are apart.
    partners
        The other factors, each with the number of its level in each combination, shape (combinations,).
    alone
        The size of their average ratio.
    smallest
        The smallest effect that matters.
    """
    crossing = [inside for partner in partners if _crosses(inside := _inside(apart, *partner), alone, smallest)]
    return max(crossing, key=_spread) if crossing else []


def _inside(apart: Apart, partner: Factor, codes: Codes) -> list[Inside]:
    level = 1 - (1 - LEVEL) / len(partner.levels)
    return [
        Inside(partner.name, name, *apart.among(codes == code).ratio(level)) for code, name in enumerate(partner.levels)
    ]


def _crosses(inside: list[Inside], alone: Size, smallest: float) -> bool:
    slower = {one.ratio.estimate > 1 for one in inside if size(one.held, smallest) == "matters"}
    return len(slower) == 2 or (alone == "equal" and len(slower) == 1)


def _spread(inside: list[Inside]) -> float:
    known = np.log([one.ratio.estimate for one in inside if one.ratio.blocks])
    return float(np.ptp(known))
