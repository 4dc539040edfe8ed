"""Curves with known answers."""

import numpy as np
import pytest

from knee.stats.scaling.curve import curve, karp_flatt


def exact(times: dict[int, float]):
    values = {n: np.full(3, t) for n, t in times.items()}
    return curve(values, {n: v * n for n, v in values.items()})


def test_amdahls_program_has_a_flat_karp_flatt():
    serial = 0.1
    found = exact({n: serial + (1 - serial) / n for n in (1, 2, 4, 8, 16)})
    assert [point.karp_flatt for point in found.points[1:]] == pytest.approx([serial] * 4)
    assert found.points[-1].speedup.estimate == pytest.approx(1 / (0.1 + 0.9 / 16))
    assert found.points[-1].efficiency == pytest.approx(found.points[-1].speedup.estimate / 16)


def test_a_ladder_that_begins_at_two_threads_is_measured_against_two():
    found = exact({2: 1.0, 4: 0.5})
    assert (found.base, found.at(4).speedup.estimate, found.at(4).efficiency) == (2, pytest.approx(2), pytest.approx(1))


def test_without_a_good_base_there_is_no_curve():
    assert curve({1: np.array([np.nan]), 2: np.array([1.0])}, {1: np.array([np.nan]), 2: np.array([1.0])}) is None


def test_karp_flatt_of_one_thread_is_unknown():
    assert np.isnan(karp_flatt(1.0, 1))
