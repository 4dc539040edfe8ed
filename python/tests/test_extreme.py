"""The smallest of several means: known results, and coverage of its interval for any number of means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from knee.stats.extreme import largest, least
from knee.stats.intervals import t_interval

GROUPS = st.integers(1, 6).flatmap(
    lambda many: st.integers(2, 8).flatmap(lambda blocks: arrays(np.float64, (many, blocks), elements=st.floats(-3, 3)))
)


@given(GROUPS)
def test_the_least_is_inside_its_interval_and_the_largest_mirrors_it(groups):
    worst, mirrored = least(list(groups)), largest(list(-groups))
    assert worst.interval.low <= worst.estimate <= worst.interval.high
    assert worst.estimate == groups.mean(axis=1).min()
    assert (mirrored.estimate, mirrored.interval.high) == (-worst.estimate, -worst.interval.low)


@given(GROUPS)
def test_one_more_group_never_raises_the_least(groups):
    fewer, all_ = least(list(groups[:-1] if len(groups) > 1 else groups)), least(list(groups))
    assert all_.estimate <= fewer.estimate
    assert all_.interval.low <= fewer.interval.low


def test_of_one_group_the_interval_is_students():
    values = np.array([0.1, 0.3, 0.2, 0.4])
    assert least([values]).interval == t_interval(values)


def test_what_some_count_refutes_takes_more_where_there_are_more_counts():
    below = np.array([-0.1, -0.3, -0.2])
    above = np.array([1.0, 1.2, 1.1])
    alone, beside = least([below]), least([below, *[above] * 5])
    assert alone.interval.low == beside.interval.low
    assert alone.interval.high < beside.interval.high


@pytest.mark.nightly
@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [3, 5, 10])
@pytest.mark.parametrize("apart", [0.0, 0.02, 1.0], ids=["equal", "near", "far"])
@pytest.mark.parametrize("many", [2, 8])
def test_intervals_of_the_least_hold_it_as_often_as_they_promise(blocks, heavy, apart, many):
    """If one mean is far below the others its low end is Student's; otherwise the interval is conservative, since it
    must be valid whichever mean is smallest and however the counts depend on each other.
    """
    random, trials = np.random.default_rng(blocks), 2000
    means = 0.1 + apart * np.arange(many)
    inside = too_high = too_low = 0
    for _ in range(trials):
        shape = (many, blocks)
        shake = random.standard_t(4, shape) / np.sqrt(2) if heavy else random.normal(0, 1, shape)
        # Ratios of one block share what disturbed it.
        worst = least(list(means[:, None] + 0.03 * shake + random.normal(0, 0.02, (1, blocks)))).interval
        too_high += worst.low > means[0]
        too_low += worst.high < means[0]
        inside += worst.low <= means[0] <= worst.high
    error = 3 * np.sqrt(0.05 * 0.95 / trials)
    assert too_high / trials <= 0.05 + error
    assert too_low / trials <= 0.05 + error
    assert inside / trials >= 0.9 - error
