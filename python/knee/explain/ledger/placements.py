"""What the placement of threads costs, where copies would not do what the program does.

The program ran on equally many threads in every placement of a factorial (``knee.study.questions.placements``). The
value of a set of factors is the logarithm of the time with these at their second level, over that with all at their
first. What a factor costs depends on which others were changed before: its Shapley share is the mean over all orders,
and the shares add up to the whole; ``low_order`` and ``high_order`` say how much the order matters. An interaction is
named where its interval excludes 0.

Shapley, *A value for n-person games*, Contributions to the Theory of Games II, 1953.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean
from knee.stats.distributions import student_value
from knee.stats.intervals import LEVEL, Array, Interval, welch

FACTORS = (("one socket", "all sockets"), ("a core each", "siblings"), ("own memory", "interleaved memory"))
"""The factors, each with its two levels; the second one names it."""

BEGINS = "placement: "

PLACED = tuple(BEGINS + ", ".join(levels) for levels in product(*FACTORS))
"""Names of the questions, as run specs have them."""

Levels = frozenset[str]
"""The factors that are at their second level."""


@dataclass(frozen=True)
class Effect:
    """What one factor costs, in natural logarithms of the time."""

    factor: str
    """Its second level: ``all sockets``, ``siblings`` or ``interleaved memory``."""
    share: Mean
    """Its Shapley share."""
    low_order: float
    """The least that it costs in any order of the factors."""
    high_order: float
    """The most that it costs in any order."""


@dataclass(frozen=True)
class Placements:
    """The factorial of placements of one thread count."""

    threads: int
    """Threads in each placement."""
    effects: tuple[Effect, ...]
    interactions: tuple[tuple[str, Mean], ...]
    """Pairs of factors that cost together more or less than each alone, where the interval excludes 0."""

    @property
    def sentences(self) -> list[str]:
        """Say which factors act on each other."""
        return [
            f"{pair} cost {abs(together.value):.2f} {'more' if together.value > 0 else 'less'} "
            f"[{together.interval.low:+.2f}, {together.interval.high:+.2f}] together than each alone"
            for pair, together in self.interactions
        ]


def placements(found: Evidence) -> Placements | None:
    """Return the factorial of placements; None where it was not measured whole."""
    cells = {_levels(name): cell for name, cell in found.tests.items() if name.startswith(BEGINS)}
    factors = sorted({factor for levels in cells for factor in levels})
    if not factors or len(cells) != 2 ** len(factors):
        return None
    logs = {levels: np.log(cell.seconds[np.isfinite(cell.seconds)]) for levels, cell in cells.items()}
    threads = next(iter(cells.values())).runs[0].threads
    effects = [_effect(factor, factors, logs) for factor in factors]
    both = list(combinations(factors, 2))
    # Of several interactions that are none, one would be named by chance: their intervals hold together.
    level = 1 - (1 - LEVEL) / max(1, len(both))
    pairs = [(f"{a} and {b}", _interaction(a, b, factors, logs, level)) for a, b in both]
    return Placements(threads, tuple(effects), tuple(pair for pair in pairs if pair[1].interval.excludes(0)))


def _levels(name: str) -> Levels:
    return frozenset(name.removeprefix(BEGINS).split(", ")) - {first for first, _ in FACTORS}


def _effect(factor: str, factors: list[str], logs: Mapping[Levels, Array]) -> Effect:
    orders = list(permutations(factors))
    weights: dict[Levels, float] = dict.fromkeys(logs, 0.0)
    each: list[float] = []
    for order in orders:
        before = frozenset(order[: order.index(factor)])
        weights[before | {factor}] += 1 / len(orders)
        weights[before] -= 1 / len(orders)
        each.append(float(logs[before | {factor}].mean() - logs[before].mean()))
    return Effect(factor, _mean(weights, logs), min(each), max(each))


def _interaction(a: str, b: str, factors: list[str], logs: Mapping[Levels, Array], level: float) -> Mean:
    """Return what two factors cost together beyond what each costs alone, a mean over the levels of the others."""
    share = 1 / 2 ** (len(factors) - 2)
    weights = {levels: share * (1.0 if (a in levels) == (b in levels) else -1.0) for levels in logs}
    return _mean(weights, logs, level)


def _mean(weights: Mapping[Levels, float], logs: Mapping[Levels, Array], level: float = LEVEL) -> Mean:
    """Return a weighted sum of the cells' means, with Welch's interval."""
    value, error, freedom = welch([(weight, logs[levels]) for levels, weight in weights.items()])
    half = float(student_value((1 + level) / 2, freedom)) * error if np.isfinite(error) else np.nan
    return Mean(value, Interval(value - half, value + half), min(one.size for one in logs.values()))
