"""Two levels of a factor compared at each level of another one, where their average over it would mislead.

Where an interaction crosses, one level is faster here and slower there, and the average of both is about 1: "equal"
would be said of levels that are never equal. So two levels *depend* on another factor when they are equal on average
and differ by more than the smallest effect at some of its levels, or differ by more than that either way. The intervals
at all levels of the other factor hold together (Bonferroni's), so that many levels make no difference more likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.stats.block_means import over_combinations
from knee.stats.intervals import LEVEL, Array, Ratio, ratio
from knee.stats.linear.design import Codes, Factor
from knee.stats.practical import Size, size


@dataclass(frozen=True)
class Inside:
    """First level over second at a level of another factor; intervals of all levels of that factor hold together."""

    partner: str
    level: str
    ratio: Ratio


def depends(differences: Array, partners: Sequence[tuple[Factor, Codes]], alone: Size, smallest: float) -> list[Inside]:
    """Return two levels compared inside the factor that they depend on most; nothing where they depend on none.

    Parameters
    ----------
    differences
        Of their mean logarithms, shape (blocks, combinations of all other levels); NaN where a run is missing.
    partners
        The other factors, each with the number of its level in each combination, shape (combinations,).
    alone
        How large their ratio is on average.
    smallest
        The smallest effect that matters.
    """
    crossing = [inside for partner in partners if _crosses(inside := _inside(differences, *partner), alone, smallest)]
    return max(crossing, key=_spread) if crossing else []


def _inside(differences: Array, partner: Factor, codes: Codes) -> list[Inside]:
    level = 1 - (1 - LEVEL) / len(partner.levels)
    made: list[Inside] = []
    for code, name in enumerate(partner.levels):
        own = over_combinations(differences[:, codes == code])
        made.append(Inside(partner.name, name, ratio(np.exp(own), np.ones(own.size), level)))
    return made


def _crosses(inside: list[Inside], alone: Size, smallest: float) -> bool:
    slower = {one.ratio.estimate > 1 for one in inside if size(one.ratio.interval, smallest) == "matters"}
    return len(slower) == 2 or (alone == "equal" and len(slower) == 1)


def _spread(inside: list[Inside]) -> float:
    known = np.log([one.ratio.estimate for one in inside if one.ratio.blocks])
    return float(np.ptp(known))
