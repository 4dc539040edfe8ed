"""Intervals compared with independent formulas, and their coverage by simulation."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from knee.stats.intervals import ratio, t_interval

logs = st.lists(st.floats(-3, 3), min_size=2, max_size=12)


@given(logs)
def test_t_equals_scipys_one_sample_interval(values):
    array = np.array(values)
    assume(array.std() > 1e-6)
    ours, theirs = t_interval(array), stats.ttest_1samp(array, 0).confidence_interval(0.90)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)


@given(logs, st.floats(0.1, 10))
def test_swapping_sides_inverts_the_ratio(values, factor):
    a, b = np.exp(np.array(values)), np.full(len(values), factor)
    there, back = ratio(a, b), ratio(b, a)
    assert there.estimate == pytest.approx(1 / back.estimate)
    assert there.interval.low == pytest.approx(1 / back.interval.high)


def test_a_bad_run_takes_its_block_out_and_no_other():
    times = ratio(np.array([2.0, np.nan, 4.0]), np.array([1.0, 1.0, 2.0]))
    assert (times.estimate, times.blocks) == (pytest.approx(2.0), 2)


def test_too_few_blocks_have_no_interval_instead_of_a_narrow_one():
    one = ratio(np.array([2.0]), np.array([1.0]))
    assert np.isnan(one.interval.low)
    assert not one.interval.excludes(1.0)
    assert np.isnan(ratio(np.array([np.nan]), np.array([1.0])).estimate)


@pytest.mark.parametrize("blocks", [3, 19, 20, 60, 500])
def test_the_quoted_interval_is_students_at_every_number_of_blocks(blocks):
    values = np.random.default_rng(3).exponential(0.1, blocks)
    quoted = ratio(np.exp(values), np.ones(blocks)).log()[1]
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.90)
    assert (quoted.low, quoted.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def normal(random: np.random.Generator, blocks: int) -> np.ndarray:
    return random.normal(0, 0.03, blocks)


def skewed(random: np.random.Generator, blocks: int) -> np.ndarray:
    """Logarithms of skewness 1: most runs near the fastest, some far slower."""
    return 0.015 * (random.gamma(4, 1, blocks) - 4)


def covered(noise, blocks: int, trials: int) -> float:
    """Return the coverage of the interval of a ratio if one side scatters twice as much as the other."""
    random = np.random.default_rng(blocks)
    found = [
        ratio(1.5 * np.exp(noise(random, blocks)), np.exp(noise(random, blocks) / 2)).interval for _ in range(trials)
    ]
    return sum(not one.excludes(1.5) for one in found) / trials


@pytest.mark.parametrize("noise", [normal, skewed])
@pytest.mark.parametrize("blocks", [5, 20, 50])
def test_the_quoted_interval_covers_what_it_promises(blocks, noise):
    assert 0.88 <= covered(noise, blocks, 2000) <= 0.92


@pytest.mark.nightly
@pytest.mark.parametrize("noise", [normal, skewed])
@pytest.mark.parametrize("blocks", [3, 5, 10, 20, 50, 200])
def test_the_quoted_interval_covers_what_it_promises_in_many_trials(blocks, noise):
    assert 0.885 <= covered(noise, blocks, 20000) <= 0.915


@pytest.mark.nightly
@pytest.mark.parametrize("blocks", [3, 5, 9, 30])
def test_heavy_tails_are_covered_too(blocks):
    random = np.random.default_rng(5)
    found = [t_interval(random.standard_t(4, blocks)) for _ in range(4000)]
    assert 0.88 <= sum(not one.excludes(0.0) for one in found) / 4000 <= 0.93
