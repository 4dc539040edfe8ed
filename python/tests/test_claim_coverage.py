"""Intervals of claims have their nominal coverage: trends (by launch, not by sample) and differences.

Slopes, orders and variation are simulated with their statistics: ``test_slope``, ``test_extreme``, ``test_spread``.
"""

import numpy as np
import pytest

from knee.stats.growth import grown
from knee.stats.intervals import t_interval

SAMPLES, TICK = 100, 10
RISE = 1.2


def drifting(random) -> np.ndarray:
    """Return autocorrelated logarithms of rates: each tick depends on the one before."""
    found, shocks = np.zeros(SAMPLES), random.normal(0, 0.1, SAMPLES)
    for tick in range(1, SAMPLES):
        found[tick] = 0.9 * found[tick - 1] + shocks[tick]
    return found


def of_a_launch(random) -> float:
    """Return the log ratio of the second half of a launch to the first."""
    rates = np.where(np.arange(SAMPLES) < SAMPLES // 2, 1.0, RISE) * np.exp(drifting(random) + random.normal(0, 0.1))
    counted = np.append(0, np.cumsum(1000 * rates)).astype(int).tolist()
    ticks = [TICK * number for number in range(SAMPLES + 1)]
    edges = np.array([0.0, 0.5, 1.0]) * SAMPLES * TICK
    before, after = grown([list(zip(ticks, counted, strict=True))], ticks, edges)
    return float(np.log(after / before))


@pytest.mark.nightly
@pytest.mark.parametrize("blocks", [3, 5, 10, 30])
def test_intervals_of_a_trend_cover_what_they_promise(blocks):
    random, trials = np.random.default_rng(blocks), 1500
    found = [t_interval(np.array([of_a_launch(random) for _ in range(blocks)])) for _ in range(trials)]
    inside = sum(one.low <= np.log(RISE) <= one.high for one in found)
    assert 0.87 <= inside / trials <= 0.93


SKEWED = 0.5
"""Standard deviation of the logarithms of counts whose mean no few launches know: there 84 to 89 are covered."""


@pytest.mark.nightly
@pytest.mark.parametrize("blocks", [3, 5, 10, 30])
@pytest.mark.parametrize("kind", ["normal", "counts", "skewed"])
def test_intervals_of_a_difference_from_nothing_cover_what_they_promise(kind, blocks):
    random, trials = np.random.default_rng(blocks), 4000
    drawn, truth = {
        "normal": (lambda: random.normal(10, 1, blocks), 10.0),
        "counts": (lambda: random.poisson(3, blocks).astype(float), 3.0),
        "skewed": (lambda: random.lognormal(0, SKEWED, blocks), float(np.exp(SKEWED**2 / 2))),
    }[kind]
    found = [t_interval(drawn() - np.zeros(blocks)) for _ in range(trials)]
    inside = sum(one.low <= truth <= one.high for one in found)
    assert (0.84 if kind == "skewed" else 0.87) <= inside / trials <= 0.93
