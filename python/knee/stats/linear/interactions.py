"""Interactions: the mean response at every pair of levels of two factors, for an interaction plot."""

from __future__ import annotations

from dataclasses import dataclass

from knee.stats.linear.anova import Anova
from knee.stats.linear.comparisons import Mean, means
from knee.stats.linear.least_squares import Estimate, Fit
from knee.stats.linear.transform import original, original_interval

MOST = 3
"""Number of pairs of factors shown: those whose interactions explain the most."""


@dataclass(frozen=True)
class Interaction:
    """Two factors, and the mean response at their levels, averaged over other factors, in units of the response.

    ``share`` is the share of the variation that the interaction explains, ``p`` the p value of its F test.
    """

    factors: tuple[str, str]
    share: float
    p: float
    means: list[Mean]


def interactions(fitted: Fit, table: Anova, scale: str) -> list[Interaction]:
    """Return the interactions of two factors in a fitted model; those that explain the most come first."""
    block = fitted.design.block
    rows = [row for row in table.sources if len(row.term) == 2 and not (block and block.name in row.term)]
    pairs: list[Interaction] = []
    for row in sorted(rows, key=lambda one: -one.squares)[:MOST]:
        first, second = row.term
        at = [Mean(one.levels, in_units(one.mean, scale)) for one in means(fitted, row.term)]
        pairs.append(Interaction((first, second), row.share, row.p, at))
    return pairs


def in_units(one: Estimate, scale: str) -> Estimate:
    """Transform an estimate back into units of the response; its error stays on the scale of the model."""
    return Estimate(original(one.value, scale), one.error, original_interval(one.interval, scale))
