"""Growth between times: simulated growth is found, and unknown growth is NaN."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knee.stats.growth import computed, grown

EDGES = np.array([0.0, 50.0, 100.0])


def test_growth_between_samples_is_straight_and_sources_add_up():
    steady = [(t, 2 * t) for t in range(0, 101, 10)]
    late = [(t, max(0, 3 * (t - 50))) for t in range(0, 101, 10)]
    ticks = [t for t, _ in steady]
    assert grown([steady, late], ticks, EDGES) == pytest.approx([100, 250])
    assert grown([steady], ticks, np.array([5.0, 15.0])) == pytest.approx([20])


@pytest.mark.parametrize("gone", [(0, 10), (40,), (60, 70), (100,)])
def test_a_missing_reading_of_one_source_leaves_its_part_unknown(gone):
    whole = [(t, t) for t in range(0, 101, 10)]
    torn = [(t, value) for t, value in whole if t not in gone]
    growth = grown([whole, torn], [t for t, _ in whole], EDGES)
    assert np.isnan(growth).tolist() == [min(gone) < 50, max(gone) > 50]


def test_a_falling_counter_is_unknown_growth():
    assert np.isnan(grown([[(0, 0), (25, 10), (50, 5), (100, 6)]], [0, 25, 50, 100], EDGES)).tolist() == [True, False]


def test_a_thread_that_is_seen_late_had_its_cpu_time_just_before():
    assert computed([[(60, 30), (100, 70)]], EDGES) == pytest.approx([20, 50])
    # A second thread with the same number counts from 0 again.
    assert computed([[(50, 50), (75, 10), (100, 35)]], EDGES) == pytest.approx([50, 35])


def test_without_sources_nothing_is_known():
    assert np.isnan(computed([], EDGES)).all()
    assert np.isnan(grown([], [0, 100], EDGES)).all()


@given(st.lists(st.integers(0, 1000), min_size=3, max_size=30), st.lists(st.floats(0.01, 0.99), max_size=5))
def test_parts_add_up_to_the_whole(growth, cuts):
    ticks = [100 * number for number in range(len(growth))]
    series = list(zip(ticks, np.cumsum(growth).tolist(), strict=True))
    edges = np.array(sorted({0.0, 1.0, *cuts})) * ticks[-1]
    assert grown([series], ticks, edges).sum() == pytest.approx(sum(growth[1:]), abs=1e-6)
