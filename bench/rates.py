"""Error rates of knee's statistics: false alarms, detection and coverage in simulated studies.

    python bench/rates.py [TRIALS]

Simulated studies are those of the tests. Every rate is printed with its Clopper-Pearson 90 % interval; "plain" analyses
the same studies without allowing for blocks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import test_block_errors  # noqa: E402 -- they are modules of the tests
import test_intervals  # noqa: E402
import test_residuals  # noqa: E402
import test_stopping  # noqa: E402
import test_variation  # noqa: E402

from knee.stats.distributions import student_beyond  # noqa: E402
from knee.stats.linear.anova import anova  # noqa: E402
from knee.stats.linear.least_squares import fit  # noqa: E402
from knee.stats.proportion import clopper_pearson  # noqa: E402

Rate = tuple[str, float]
"""What was counted, and its share of all trials."""

WHOSE = {"each": "each level", "one": "one level", "along": "levels, more from one to the next"}


def drifts(trials: int) -> Iterator[Rate]:
    """Drift in studies with 1 % noise, with and without variation between blocks, and with and without a drift."""
    yield "drift found without any, blocks vary by 3 %, plain", old_drift(trials) / trials
    for cells, blocks in ((6, 5), (12, 3), (1, 12)):
        for mood in (0.0, 0.03, 0.1):
            found = test_residuals.found(trials, cells, blocks, mood=mood)
            what = f"{blocks} blocks of {cells}, blocks vary by {100 * mood:g} %"
            yield f"drift found without any, {what}", found / trials
    for mood, rise in ((0.0, 0.05), (0.0, 0.1), (0.03, 0.1), (0.03, 0.2)):
        found = test_residuals.found(trials, 6, 5, mood=mood, rise=rise)
        yield f"drift of {100 * rise:g} % found, 5 blocks of 6, blocks vary by {100 * mood:g} %", found / trials


def old_drift(trials: int) -> int:
    """Return how many drifts a slope over running order finds at 1 % if only the means of cells are removed."""
    random, many = np.random.default_rng(1), 0
    for _ in range(trials):
        values, order, cells, _ = test_residuals.study(random, 6, 5, mood=0.03)
        left, apart = (column - (np.bincount(cells, column) / 5)[cells] for column in (np.log(values), order))
        slope = apart @ left / (apart @ apart)
        error = np.sqrt(((left - slope * apart) ** 2).sum() / 23 / (apart @ apart))
        many += 2 * student_beyond(abs(slope) / error, 23) < 0.01
    return many


def effects(trials: int) -> Iterator[Rate]:
    """F of a factor without effect at a nominal 10 %, if blocks favour some of its levels."""
    random, design = np.random.default_rng(1), test_block_errors.design_of(2, 3, 5)
    many = sum(
        anova(fit(test_block_errors.moody(random, design, 2.0), design)).of("A").significant for _ in range(trials)
    )
    yield "F significant without effect, 2 levels, blocks favour each level, plain", many / trials
    for a, blocks in ((2, 5), (4, 8), (6, 5)):
        for kind, mood in (("each", 0.0), ("each", 2.0), ("one", 3.0), ("along", 3.0)):
            many = test_block_errors.rejected(a, 3, blocks, trials, mood=mood, kind=kind)
            words = f"blocks favour {WHOSE[kind]}" if mood else "blocks favour no level"
            yield f"F significant without effect, {a} levels, {blocks} blocks, {words}", many / trials
    many = test_block_errors.rejected(2, 3, 5, trials, mood=1.0, effect=4.0)
    yield "effect of four times the noise found, 2 levels, 5 blocks, blocks vary as much as the noise", many / trials


def intervals(trials: int) -> Iterator[Rate]:
    """Coverage of the interval of a ratio, nominally 90 %."""
    for noise in (test_intervals.normal, test_intervals.skewed):
        for blocks in (5, 20, 50):
            yield f"ratio covered, {noise.__name__}, {blocks} blocks", test_intervals.covered(noise, blocks, trials)


def widths(trials: int) -> Iterator[Rate]:
    """Coverage of the interval of a ratio in a study that stopped at a width of 5 %."""
    for spread in (0.025, 0.05, 0.075, 0.1, 0.125, 0.15):
        share = float(test_stopping.covered(spread, 2, trials)[0])
        yield f"ratio covered after --width 5%, {100 * spread:g} % noise", share


def crossings(trials: int) -> Iterator[Rate]:
    """Two levels reported to depend on a factor with four levels, five blocks, 3 % noise."""
    for crossing in (0.0, 0.04, 0.2):
        many = test_variation.dependent(crossing, 4, 5, trials)
        yield f"reported to depend, true difference {100 * crossing:g} % in both directions", many / trials


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"| {trials} trials each | rate | 90 % interval |\n|---|---|---|")
    for part in (drifts, effects, intervals, widths, crossings):
        for what, share in part(trials):
            ends = clopper_pearson(round(share * trials), trials)
            print(f"| {what} | {100 * share:.1f} % | [{100 * ends.low:.1f}, {100 * ends.high:.1f}] |", flush=True)


if __name__ == "__main__":
    main()
