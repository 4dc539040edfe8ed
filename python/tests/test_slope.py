"""Slopes on log-log axes: known results, and coverage of their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.intervals import t_interval
from knee.stats.scaling.slope import slopes

COUNTS = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0])


@given(st.floats(-2, 2), st.floats(0.01, 100), st.lists(st.integers(1, 200), min_size=2, max_size=9, unique=True))
def test_a_power_has_its_exponent_for_a_slope(power, scale, counts):
    x = np.array(sorted(counts), dtype=np.float64)
    assert slopes(x, scale * x[None, :] ** power) == pytest.approx([power], abs=1e-9)


def test_the_slope_is_that_of_least_squares():
    values = np.random.default_rng(1).lognormal(0, 0.3, (4, COUNTS.size))
    expected = [np.polyfit(np.log(COUNTS), np.log(row), 1)[0] for row in values]
    assert slopes(COUNTS, values) == pytest.approx(expected)


def test_a_block_without_a_point_has_no_slope():
    values = np.ones((3, COUNTS.size))
    values[1, 2] = np.nan
    assert np.isnan(slopes(COUNTS, values)).tolist() == [False, True, False]


@pytest.mark.nightly
@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [3, 5, 10, 30])
def test_intervals_of_a_slope_cover_what_they_promise(blocks, heavy):
    random, trials, inside = np.random.default_rng(blocks), 3000, 0
    for _ in range(trials):
        shape = (blocks, COUNTS.size)
        shake = random.standard_t(4, shape) / np.sqrt(2) if heavy else random.normal(0, 1, shape)
        # Every block has a mood of its own, and one run on one thread that all of its speedups share.
        logs = 0.9 * np.log(COUNTS) + 0.03 * shake + random.normal(0, 0.05, (blocks, 1))
        ends = t_interval(slopes(COUNTS, np.exp(logs - logs[:, :1])))
        inside += ends.low <= 0.9 <= ends.high
    assert 0.87 <= inside / trials <= 0.93
