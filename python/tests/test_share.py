"""The interval of a share of the variation covers the true share."""

import numpy as np
import pytest
from scipy import stats

from knee.stats.linear.anova import anova
from knee.stats.linear.block_errors import by_blocks
from knee.stats.linear.design import Design, Factor
from knee.stats.linear.least_squares import fit
from knee.stats.linear.share import share_interval


def table(rng: np.random.Generator, gap: float, repeats: int):
    """Two factors with two and four levels; the levels of the first differ by this many standard deviations."""
    first = np.tile(np.repeat([0, 1], 4), repeats)
    second = np.tile([0, 1, 2, 3], 2 * repeats)
    values = gap * first + 1.5 * second + rng.normal(size=first.size)
    factors = (Factor.of("runtime", [str(n) for n in first]), Factor.of("workload", [str(n) for n in second]))
    return anova(fit(values, Design(factors, None, None)))


def blocks(rng: np.random.Generator, gap: float, many: int):
    """The same in blocks, with one run per cell and block, and a difference that varies between blocks."""
    first, second = np.tile(np.repeat([0, 1], 4), many), np.tile([0, 1, 2, 3], 2 * many)
    block = np.repeat(np.arange(many), 8)
    values = (gap + rng.normal(0, 1, many)[block]) * first + 1.5 * second + rng.normal(size=first.size)
    factors = (Factor.of("runtime", [str(n) for n in first]), Factor.of("workload", [str(n) for n in second]))
    return anova(by_blocks(fit(values, Design(factors, Factor.of("block", [str(n) for n in block])))))


def covers(found, own: float, noise: float) -> bool:
    """Whether the interval covers the share that the true sums of the runtime would give in this study."""
    ends, rest = share_interval(found, "runtime"), found.sst - found.of("runtime").squares
    return ends.low <= (own + noise) / (own + noise + rest) <= ends.high


@pytest.mark.parametrize(("gap", "repeats"), [(0.0, 6), (0.8, 6), (2.0, 3)])
def test_it_covers_the_true_share_as_often_as_it_says(gap, repeats):
    rng = np.random.default_rng(3)
    inside = sum(covers(table(rng, gap, repeats), 8 * repeats * (gap / 2) ** 2, 1.0) for _ in range(400))
    assert 0.86 <= inside / 400 <= 0.96


@pytest.mark.parametrize(("gap", "many"), [(2.0, 5), (4.0, 10)])
def test_it_covers_beside_an_effect_that_differs_from_block_to_block(gap, many):
    rng = np.random.default_rng(4)
    # Half of the gap's scatter falls on either level: of eight runs it makes four times its half's square.
    noise = 1.0 + 8 / 4
    inside = sum(covers(blocks(rng, gap, many), 8 * many * (gap / 2) ** 2, noise) for _ in range(400))
    assert 0.86 <= inside / 400 <= 0.96


def test_of_two_levels_the_ends_are_those_of_their_difference():
    found = table(np.random.default_rng(1), 1.0, 6)
    source, error = found.of("runtime"), found.sources[-1]
    ends = share_interval(found, "runtime")
    half = stats.t.ppf(0.95, error.freedom) * np.sqrt(error.mean_square)
    for end, length in ((ends.low, np.sqrt(source.squares) - half), (ends.high, np.sqrt(source.squares) + half)):
        squares = end / (1 - end) * (found.sst - source.squares)
        assert squares - error.mean_square == pytest.approx(length**2)


def test_noise_explains_nothing_for_certain():
    rng = np.random.default_rng(5)
    lows = [share_interval(table(rng, 0.0, 6), "runtime").low for _ in range(100)]
    assert sum(low == 0 for low in lows) >= 88
