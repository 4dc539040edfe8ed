"""The coefficient of variation of launches: known results, and an interval with better coverage than chi-square's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.distributions import chi_square_value
from knee.stats.spread import spread

VALUES = st.lists(st.floats(0.01, 100), min_size=3, max_size=12)


def test_lognormal_values_have_their_own_coefficient_of_variation():
    values = np.random.default_rng(1).lognormal(2, 0.4, (1, 4000))
    assert spread(values).estimate == pytest.approx(np.sqrt(np.expm1(0.4**2)), rel=0.03)


def test_the_mean_difference_is_that_of_all_pairs():
    values = np.array([[1.0, 2.0, 8.0], [3.0, 3.0, 6.0]])
    pairs = [abs(np.log(row[i] / row[j])) for row in values for i in range(3) for j in range(i)]
    deviation = np.mean(pairs) * np.sqrt(np.pi) / 2
    assert spread(values).estimate == pytest.approx(np.sqrt(np.expm1(deviation**2)))


@given(VALUES, st.floats(0.1, 10))
def test_units_and_order_do_not_matter(values, unit):
    one = spread(np.array([values]))
    other = spread(unit * np.array([values[::-1]]))
    assert other.estimate == pytest.approx(one.estimate, abs=1e-6)
    assert one.interval.low <= one.estimate <= one.interval.high or one.interval.low != one.interval.low


def test_a_bad_run_takes_its_block_out():
    values = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, np.nan, 1.0, 1.5]])
    assert spread(values) == spread(values[:, [0, 2, 3]])
    assert np.isnan(spread(values[:, :3]).estimate)


def test_equal_launches_do_not_vary_and_one_that_is_not_says_little():
    assert spread(np.ones((2, 5))).interval.high == 0
    one = spread(np.array([[1.0, 1.0, 1.0, 2.0]]))
    assert (one.interval.low, one.interval.high) == (0, np.inf)


def test_launches_in_two_equal_clusters_are_not_certain():
    one = spread(np.array([[1.0, 1.0, 2.0, 2.0]]))
    assert one.interval.high / one.interval.low > 3


def drawn(kind: str, random, shape):
    """Return logarithms of launches with scale 1."""
    return {
        "normal": lambda: random.normal(0, 1, shape),
        "uniform": lambda: random.uniform(-1.7, 1.7, shape),
        "two heaps": lambda: random.choice([-1.0, 1.0], shape) + random.normal(0, 0.2, shape),
        "t4": lambda: random.standard_t(4, shape),
        "exponential": lambda: random.exponential(1, shape),
        "one in ten": lambda: random.normal(0, 1, shape) * np.where(random.random(shape) < 0.1, 4, 1),
    }[kind]()


COVERS = {
    "normal": (91, 98),
    "uniform": (95, 100),
    "two heaps": (94, 100),
    "t4": (87, 97),
    "exponential": (86, 96),
    "one in ten": (83, 97),
}
"""Of 90 promised, in percent. The skew logarithms of the fifth and the rare launches of the last hide much of their
spread from a few blocks.
"""


@pytest.mark.nightly
@pytest.mark.parametrize("blocks", [5, 6, 10, 20, 40])
@pytest.mark.parametrize("kind", COVERS)
def test_intervals_of_the_variation_cover_what_the_module_says(kind, blocks):
    random, trials, scale = np.random.default_rng(blocks), 2500, 0.2
    pairs = scale * drawn(kind, random, (2, 1_000_000))
    deviation = np.abs(pairs[0] - pairs[1]).mean() * np.sqrt(np.pi) / 2
    truth, inside, usual = np.sqrt(np.expm1(deviation**2)), 0, 0
    own = pairs.std()
    for _ in range(trials):
        logs = scale * drawn(kind, random, (1, blocks))
        one = spread(np.exp(logs)).interval
        inside += one.low <= truth <= one.high
        squares = float(((logs - logs.mean()) ** 2).sum())
        ends = [np.sqrt(squares / chi_square_value(chance, blocks - 1)) for chance in (0.95, 0.05)]
        usual += ends[0] <= own <= ends[1]
    low, high = COVERS[kind]
    assert low <= 100 * inside / trials <= high
    # What the module says of the usual interval, which is why it is not taken.
    if kind in ("t4", "exponential", "one in ten"):
        assert usual < inside
