"""The interval of a share of the variation covers the true share, and is where other computations put it."""

import numpy as np
import pytest
from scipy import stats

from knee.stats.linear.anova import anova
from knee.stats.linear.design import Design, Factor
from knee.stats.linear.least_squares import fit
from knee.stats.linear.share import share_interval


def table(rng: np.random.Generator, gap: float, repeats: int):
    """Two factors of two and four levels; the levels of the first lie so many standard deviations apart."""
    first = np.tile(np.repeat([0, 1], 4), repeats)
    second = np.tile([0, 1, 2, 3], 2 * repeats)
    values = gap * first + 1.5 * second + rng.normal(size=first.size)
    factors = (Factor.of("runtime", [str(n) for n in first]), Factor.of("workload", [str(n) for n in second]))
    return anova(fit(values, Design(factors, None, None)))


@pytest.mark.parametrize(("gap", "repeats"), [(0.0, 6), (0.8, 6), (2.0, 3)])
def test_it_covers_the_true_share_as_often_as_it_says(gap, repeats):
    rng = np.random.default_rng(3)
    cells = 8 * repeats
    own = cells * (gap / 2) ** 2
    inside = 0
    for _ in range(400):
        found = table(rng, gap, repeats)
        ends = share_interval(found, "runtime")
        # The share that this run of the experiment would have had with the true sums of its own.
        rest = found.sst - found.of("runtime").squares
        truth = (own + 1) / (own + 1 + rest)
        inside += ends.low <= truth <= ends.high
    assert 0.86 <= inside / 400 <= 0.96


def test_the_ends_are_where_f_is_a_rare_draw():
    found = table(np.random.default_rng(1), 1.0, 6)
    source, error = found.of("runtime"), found.sources[-1]
    ends = share_interval(found, "runtime")
    for end, chance in ((ends.low, 0.95), (ends.high, 0.05)):
        squares = end / (1 - end) * (found.sst - source.squares)
        noncentrality = squares / error.mean_square - source.freedom
        draws = stats.ncf.cdf(source.f, source.freedom, error.freedom, noncentrality)
        assert draws == pytest.approx(chance, abs=1e-6)


def test_noise_explains_nothing_for_certain():
    rng = np.random.default_rng(5)
    lows = [share_interval(table(rng, 0.0, 6), "runtime").low for _ in range(100)]
    assert sum(low == 0 for low in lows) >= 88
