"""Rates of wrong and of missing verdicts, by simulation of studies with known true times.

Every rate comes with its Clopper-Pearson interval; the daily tests make a few hundred studies, the nightly ones
thousands. ``bench/verdict_rates.py`` prints all rates.
"""

from __future__ import annotations

import numpy as np
import pytest
from made_runs import Made, verdict

from knee.stats.answers import MARGIN
from knee.stats.proportion import clopper_pearson
from knee.stats.scaling.decision import decide
from knee.stats.scaling.knee import find_knee

DAILY, NIGHTLY = 200, 2000
LADDERS = ((1, 2), (1, 2, 4), (1, 2, 3, 4, 6, 8), (1, 2, 4, 8, 12, 16, 24, 32))
NOISES = (0.005, 0.02, 0.05)


def times_of(curve: dict[int, float], draw: np.random.Generator, blocks: int, noise: float) -> dict[int, np.ndarray]:
    """Return times by block; all runs of a block share a random factor of 5 %."""
    mood = draw.normal(0, 0.05, blocks)
    return {n: t * np.exp(mood + draw.normal(0, noise, blocks)) for n, t in curve.items()}


def flat_named(trials: int) -> tuple[int, int]:
    """Return how many flat curves are reported to gain."""
    draw, named = np.random.default_rng(1), 0
    for trial in range(trials):
        ladder, noise = LADDERS[trial % 4], NOISES[trial // 4 % 3]
        said = decide(times_of(dict.fromkeys(ladder, 1.0), draw, (5, 10)[trial // 12 % 2], noise))
        named += said is not None and said.answer == "faster"
    return named, trials


def curve_of(kind: int, ladder: tuple[int, ...], draw: np.random.Generator) -> dict[int, float]:
    """A true curve: level from a count on, Amdahl's, with a loss beyond its best count, or falling off slowly."""
    if kind == 0:
        k = draw.uniform(1, ladder[-1])
        return {n: 1 / min(n, k) for n in ladder}
    if kind == 1:
        s = draw.uniform(0.0, 0.5)
        return {n: s + (1 - s) / n for n in ladder}
    if kind == 2:
        a, b = draw.uniform(0, 0.1), draw.uniform(0.0005, 0.05)
        return {n: (1 + a * (n - 1) + b * n * (n - 1)) / n for n in ladder}
    # Every further count gains about what matters: the hardest of all to choose among.
    return {n: 0.5 * (1 - draw.uniform(0.01, 0.05)) ** place if n > 1 else 1.0 for place, n in enumerate(ladder)}


def lossy_recommendations(trials: int) -> tuple[int, int]:
    """Return how many recommended counts truly take more than 3 % longer than the best."""
    draw, wrong = np.random.default_rng(2), 0
    for trial in range(trials):
        ladder, noise = LADDERS[trial % 4], NOISES[trial // 4 % 3]
        curve = curve_of(trial // 12 % 4, ladder, draw)
        said = decide(times_of(curve, draw, (5, 10)[trial % 2], noise))
        wrong += said is not None and said.use is not None and curve[said.use] > (1 + MARGIN) * min(curve.values())
    return wrong, trials


def gains_named(trials: int) -> tuple[int, int, int]:
    """Return how many undisturbed curves with a gain of at least 10 % are reported to gain, and how many have no
    verdict.
    """
    draw, named, silent = np.random.default_rng(3), 0, 0
    for trial in range(trials):
        ladder = LADDERS[trial % 3]
        gain = 1 + draw.uniform(0.1, 0.5) if trial % 2 else draw.uniform(1.5, ladder[-1])
        curve = {n: 1 / min(n, gain) for n in ladder}
        said = verdict(Made(curve, noise=0.02), draw) if len(ladder) < 6 else None
        if said is None:
            decision = decide(times_of(curve, draw, 5, 0.02))
            named += decision.answer == "faster"
            continue
        named += (
            said.status in ("decided", "undecided")
            and "as fast as 1" in said.headline
            and "cannot" not in (said.headline.split(";")[0])
        )
        silent += said.status in ("disturbed", "none")
    return named, silent, trials


def tied_and_wrong(trials: int) -> tuple[int, int, int]:
    """Return wrong verdicts, and all verdicts, when disturbance depends on the thread count."""
    draw, wrong, decided = np.random.default_rng(4), 0, 0
    for trial in range(trials):
        gain = float(draw.choice([0.8, 1.0, 1.15, 1.5, 1.95]))
        share = draw.uniform(0.1, 0.6)
        others = ({2: share}, {1: share}, {1: share / 2, 2: share})[trial % 3]
        made = Made({1: 1.0, 2: 1 / gain}, noise=0.01, others=others, cost=draw.uniform(0, 1))
        said = verdict(made, draw)
        decided += said.status == "decided"
        faster, slower = "as fast as 1" in said.headline, "slower than 1" in said.headline
        equal = "the same time" in said.headline
        if said.status == "decided":
            wrong += (
                (faster and gain <= 1.0) or (slower and gain >= 1.0) or (equal and abs(np.log(gain)) > np.log(1.03))
            )
    return wrong, decided, trials


def knees_kept(trials: int) -> tuple[int, int]:
    """Return how many true knees the curve shows, and how many of them are reported."""
    from made_runs import runs

    from knee.explain.scaling.series import group
    from knee.explain.scaling.summary import summarize

    draw, before, after = np.random.default_rng(5), 0, 0
    for _ in range(trials):
        k = draw.uniform(3, 12)
        made = Made({n: 1 / min(n, k) for n in (1, 2, 4, 6, 8, 12, 16, 24)}, noise=0.02)
        [series] = group(runs(made, draw), 24)
        summary = summarize(series)
        logs = np.array([np.log(series.seconds(1)) - np.log(series.seconds(n)) for n in series.fitting]).T
        before += find_knee(np.array(series.fitting, dtype=float), logs).verdict == "knee"
        after += summary.knee.verdict == "knee"
    return after, before


def low(hits: int, trials: int) -> float:
    return clopper_pearson(hits, trials).low


@pytest.mark.parametrize("trials", [DAILY, pytest.param(2 * NIGHTLY, marks=pytest.mark.nightly)])
def test_at_most_one_flat_curve_in_twenty_is_reported_to_gain(trials):
    assert low(*flat_named(trials)) <= 0.05


@pytest.mark.parametrize("trials", [DAILY, pytest.param(2 * NIGHTLY, marks=pytest.mark.nightly)])
def test_a_recommended_count_truly_loses_more_than_it_may_in_one_of_twenty_at_most(trials):
    assert low(*lossy_recommendations(trials)) <= 0.05


@pytest.mark.parametrize("trials", [60, pytest.param(NIGHTLY, marks=pytest.mark.nightly)])
def test_gains_of_ten_percent_are_named(trials):
    named, silent, of = gains_named(trials)
    assert clopper_pearson(named, of).high >= 0.90
    assert low(silent, of) <= 0.02


@pytest.mark.parametrize("trials", [90, pytest.param(NIGHTLY, marks=pytest.mark.nightly)])
def test_disturbance_that_goes_with_a_count_rarely_makes_a_wrong_verdict(trials):
    wrong, _, of = tied_and_wrong(trials)
    assert low(wrong, of) <= 0.02


@pytest.mark.parametrize("trials", [5, pytest.param(200, marks=pytest.mark.nightly)])
def test_true_knees_are_found_as_often_as_by_the_curve_alone(trials):
    after, before = knees_kept(trials)
    assert before > 0
    assert after >= 0.98 * before
