"""Interactions: the mean response at every pair of levels of two factors, for a picture in which lines are parallel or
not.
"""

from __future__ import annotations

from dataclasses import dataclass

from knee.stats.linear.anova import Anova
from knee.stats.linear.comparisons import Mean, means
from knee.stats.linear.least_squares import Estimate, Fit
from knee.stats.linear.transform import original, original_interval

MOST = 3
"""Pairs of factors that are looked at: with three factors all, with more those whose interactions explain most."""


@dataclass(frozen=True)
class Interaction:
    """Two factors, and the mean response at their levels with the others averaged over, in the response's own units.

    ``share`` is what the interaction explains of the variation, ``p`` the chance that noise alone explains as much.
    """

    factors: tuple[str, str]
    share: float
    p: float
    means: list[Mean]


def interactions(fitted: Fit, table: Anova, scale: str) -> list[Interaction]:
    """Return the interactions of two factors in a fitted model, those first that explain most."""
    block = fitted.design.block
    rows = [row for row in table.sources if len(row.term) == 2 and not (block and block.name in row.term)]
    pairs: list[Interaction] = []
    for row in sorted(rows, key=lambda one: -one.squares)[:MOST]:
        first, second = row.term
        at = [Mean(one.levels, in_units(one.mean, scale)) for one in means(fitted, row.term)]
        pairs.append(Interaction((first, second), row.share, row.p, at))
    return pairs


def in_units(one: Estimate, scale: str) -> Estimate:
    """Turn an estimate back; its error stays on the scale of the model."""
    return Estimate(original(one.value, scale), one.error, original_interval(one.interval, scale))
