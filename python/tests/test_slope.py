"""Slopes and bends on log-log axes: known results, and coverage of their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.intervals import t_interval
from knee.stats.scaling.slope import bends, slopes

COUNTS = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])


@given(st.floats(-2, 2), st.floats(0.01, 100), st.lists(st.integers(1, 200), min_size=2, max_size=9, unique=True))
def test_a_power_has_its_exponent_for_a_slope(power, scale, counts):
    x = np.array(sorted(counts), dtype=np.float64)
    assert slopes(x, scale * x[None, :] ** power) == pytest.approx([power], abs=1e-9)


def test_the_slope_is_that_of_least_squares():
    values = np.random.default_rng(1).lognormal(0, 0.3, (4, COUNTS.size))
    expected = [np.polyfit(np.log(COUNTS), np.log(row), 1)[0] for row in values]
    assert slopes(COUNTS, values) == pytest.approx(expected)


@pytest.mark.parametrize("fitted", [slopes, bends])
def test_a_block_without_a_point_has_no_number(fitted):
    values = np.ones((3, COUNTS.size))
    values[1, 2] = np.nan
    assert np.isnan(fitted(COUNTS, values)).tolist() == [False, True, False]


@given(st.floats(-2, 2), st.floats(-2, 2), st.lists(st.integers(1, 200), min_size=3, max_size=9, unique=True))
def test_two_lines_that_meet_in_the_middle_have_the_change_of_their_slopes_for_a_bend(power, change, counts):
    x = np.log(np.array(sorted(counts), dtype=np.float64))
    above = np.maximum(x - (x[0] + x[-1]) / 2, 0)
    assert bends(np.exp(x), np.exp(power * x + change * above)[None, :]) == pytest.approx([change], abs=1e-6)


def test_the_bend_is_that_of_least_squares():
    values = np.random.default_rng(1).lognormal(0, 0.3, (4, COUNTS.size))
    x = np.log(COUNTS)
    lines = np.stack([np.ones_like(x), x, np.maximum(x - np.log(8) / 2, 0)], axis=1)
    expected = [np.linalg.lstsq(lines, np.log(row), rcond=None)[0][2] for row in values]
    assert bends(COUNTS, values) == pytest.approx(expected)


@pytest.mark.nightly
@pytest.mark.parametrize(("fitted", "truth"), [(slopes, 0.9), (bends, 0.0)])
@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [3, 5, 10, 30])
def test_intervals_of_slopes_and_bends_cover_what_they_promise(blocks, heavy, fitted, truth):
    random, trials, inside = np.random.default_rng(blocks), 3000, 0
    for _ in range(trials):
        shape = (blocks, COUNTS.size)
        shake = random.standard_t(4, shape) / np.sqrt(2) if heavy else random.normal(0, 1, shape)
        # Every block has a mood of its own, and one run on one thread that all of its speedups share.
        logs = 0.9 * np.log(COUNTS) + 0.03 * shake + random.normal(0, 0.05, (blocks, 1))
        ends = t_interval(fitted(COUNTS, np.exp(logs - logs[:, :1])))
        inside += ends.low <= truth <= ends.high
    assert 0.87 <= inside / trials <= 0.93
