"""The knee of simulated curves with a known knee."""

import numpy as np
import pytest

from knee.stats.scaling.knee import find_knee, two_lines

COUNTS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48], dtype=float)


def blocks_of(exact, *, blocks: int, noise: float, random, heavy: bool = False):
    """Return log speedups by block, with noise of each run, variation of blocks, and each block's own T1."""
    shape = (blocks, exact.size)
    shake = random.standard_t(4, shape) / np.sqrt(2) if heavy else random.normal(0, 1, shape)
    logs = exact + noise * shake + random.normal(0, 0.03, (blocks, 1))
    return logs - logs[:, :1]


def level_from(knee: float):
    return np.log(np.minimum(COUNTS, knee))


@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [5, 10])
def test_intervals_of_the_knee_cover_what_they_promise(blocks, heavy):
    random, knee, trials = np.random.default_rng(blocks), 10.0, 300
    inside = 0
    for trial in range(trials):
        logs = blocks_of(level_from(knee), blocks=blocks, noise=0.02, random=random, heavy=heavy)
        found = find_knee(COUNTS, logs, seed=trial)
        assert found.verdict == "knee"
        inside += found.interval.low <= knee <= found.interval.high
    # 90 % +- 3, and two standard errors of so few trials.
    assert 0.87 - 0.035 <= inside / trials <= 0.93 + 0.035


def test_blocks_without_a_base_do_not_make_the_knee_surer():
    random, knee, trials, inside = np.random.default_rng(4), 10.0, 300, 0
    for trial in range(trials):
        logs = blocks_of(level_from(knee), blocks=10, noise=0.02, random=random)
        logs[3:] = np.nan
        found = find_knee(COUNTS, logs, seed=trial)
        inside += found.verdict == "undecided" or found.interval.low <= knee <= found.interval.high
    assert inside / trials >= 0.87 - 0.035


@pytest.mark.nightly
@pytest.mark.parametrize("heavy", [False, True], ids=["normal", "heavy-tailed"])
@pytest.mark.parametrize("blocks", [5, 10])
@pytest.mark.parametrize("knee", [10.0, 20.0])
def test_intervals_of_the_knee_cover_what_they_promise_in_many_trials(blocks, heavy, knee):
    random, trials, inside = np.random.default_rng(blocks), 2500, 0
    for trial in range(trials):
        logs = blocks_of(level_from(knee), blocks=blocks, noise=0.02, random=random, heavy=heavy)
        found = find_knee(COUNTS, logs, seed=trial)
        inside += found.interval.low <= knee <= found.interval.high
    assert 0.87 <= inside / trials <= 0.93


@pytest.mark.parametrize("noise", [0.01, 0.03])
@pytest.mark.parametrize("slope", [1.0, 0.8])
def test_a_curve_that_goes_on_growing_has_no_knee(slope, noise):
    random = np.random.default_rng(3)
    found = [
        find_knee(COUNTS, blocks_of(slope * np.log(COUNTS), blocks=5, noise=noise, random=random)).verdict
        for _ in range(60)
    ]
    assert "knee" not in found
    assert found.count("none") >= 57


def test_a_curve_that_never_pays_has_no_first_part_and_no_knee():
    random = np.random.default_rng(4)
    found = find_knee(COUNTS, blocks_of(0.3 * np.log(COUNTS), blocks=5, noise=0.01, random=random))
    assert found.verdict == "undecided"
    assert "no part has a slope near 1" in found.why


def test_noise_that_hides_the_bend_leaves_it_undecided():
    random = np.random.default_rng(5)
    assert find_knee(COUNTS, blocks_of(level_from(20), blocks=2, noise=0.5, random=random)).verdict == "undecided"


def test_fewer_than_six_counts_have_no_knee():
    few = find_knee(COUNTS[:5], blocks_of(level_from(3), blocks=5, noise=0.01, random=np.random.default_rng(1))[:, :5])
    assert (few.verdict, few.why) == (
        "undecided",
        "6 thread counts that fit the cpus are needed, with two good runs each: there are 5",
    )


def test_the_join_is_the_best_of_a_fine_grid():
    random, x = np.random.default_rng(6), np.log(COUNTS)
    curves = np.log(np.minimum(COUNTS, 9)) + random.normal(0, 0.05, (20, COUNTS.size))
    joins, _, _ = two_lines(x, curves)

    def left(curve, knot):
        design = np.stack([np.ones(x.size), np.minimum(x, knot), np.maximum(x - knot, 0)], axis=1)
        return float(((curve - design @ np.linalg.lstsq(design, curve)[0]) ** 2).sum())

    for curve, join in zip(curves, joins, strict=True):
        assert left(curve, join) <= min(left(curve, knot) for knot in np.linspace(x[1], x[-2], 400)) + 1e-12
