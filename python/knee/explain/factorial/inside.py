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

from knee.stats.intervals import LEVEL, Array, Ratio, ratio
from knee.stats.linear.design import Codes, Factor
from knee.stats.practical import Size, size
from knee.stats.robust import whole


@dataclass(frozen=True)
class Inside:
    """First level over second at a level of another factor; intervals of all levels of that factor hold together."""

    partner: str
    level: str
    ratio: Ratio


def by_level(logs: Array, factor: Factor, rest: Codes, blocks: Codes) -> Array:
    """Return mean logarithms, shape (levels, combinations of all other levels, blocks); NaN where there is no run.

    Parameters
    ----------
    logs
        Logarithms of a response, shape (runs,).
    factor
        The one whose levels are told apart.
    rest, blocks
        The number of each run's combination of all other levels, and its block, shape (runs,).
    """
    _, block = np.unique(blocks, return_inverse=True)
    shape = (len(factor.levels), int(rest.max()) + 1, int(block.max()) + 1)
    place = np.ravel_multi_index((factor.codes, rest, block), shape)
    many = np.bincount(place, minlength=int(np.prod(shape)))
    sums = np.bincount(place, logs, many.size)
    return np.where(many > 0, sums / np.maximum(many, 1), np.nan).reshape(shape)


def depends(differences: Array, partners: Sequence[tuple[Factor, Codes]], alone: Size, smallest: float) -> list[Inside]:
    """Return two levels compared inside the factor that they depend on most; nothing where they depend on none.

    Parameters
    ----------
    differences
        Of their mean logarithms, shape (combinations of all other levels, blocks); NaN where a run is missing.
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
        table = differences[codes == code].T
        rows, columns = whole(np.isfinite(table))
        own = table[np.ix_(rows, columns)].mean(axis=1) if columns.any() else np.empty(0)
        made.append(Inside(partner.name, name, ratio(np.exp(own), np.ones(own.size), level)))
    return made


def _crosses(inside: list[Inside], alone: Size, smallest: float) -> bool:
    slower = {one.ratio.estimate > 1 for one in inside if size(one.ratio.interval, smallest) == "matters"}
    return len(slower) == 2 or (alone == "equal" and len(slower) == 1)


def _spread(inside: list[Inside]) -> float:
    known = np.log([one.ratio.estimate for one in inside if one.ratio.blocks])
    return float(np.ptp(known))
