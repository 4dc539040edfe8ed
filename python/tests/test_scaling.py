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


def test_enough_is_the_smallest_count_as_good_as_the_best():
    noisy = np.array([1.0, 1.02, 0.98])
    times = {1: np.ones(3), 2: 0.5 * noisy, 4: 0.497 * noisy[::-1]}
    assert curve(times, times).enough.threads == 2
    times = {1: np.ones(3), 2: np.full(3, 0.5), 4: np.full(3, 0.25)}
    assert curve(times, times).enough.threads == 4


def test_one_noisy_count_does_not_stand_for_all_larger_ones():
    steady = np.array([1.0, 1.001, 0.999])
    times = {1: steady, 2: 0.5 * np.array([0.4, 1.0, 2.4]), 3: 0.6 * steady[::-1]}
    assert curve(times, times).enough.threads != 1


def test_noise_of_the_base_does_not_hide_what_the_blocks_show():
    """Every interval of a speedup carries T1's noise; the counts among themselves do not."""
    base = np.exp(np.random.default_rng(4).normal(0, 0.2, 5))
    steady = np.array([1.0, 1.001, 0.999, 1.002, 0.998])
    times = {1: base, 4: 0.26 * steady, 8: 0.21 * steady[::-1]}
    found = curve(times, times)
    assert found.at(4).speedup.interval.high > found.at(8).speedup.estimate
    assert found.enough.threads == 8


def test_a_count_with_one_good_block_is_neither_enough_nor_best():
    steady = np.array([1.0, 1.001, 0.999])
    times = {n: steady / n for n in (1, 2, 8, 16)} | {4: np.array([0.2, np.nan, np.nan])}
    found = curve(times, times)
    assert found.at(4).speedup.blocks == 1
    assert found.enough.threads == 16


def test_karp_flatt_of_one_thread_is_unknown():
    assert np.isnan(karp_flatt(1.0, 1))
