"""How often a history of studies claims a change of a speedup: without any, and after a real step.

Sessions differ by a factor on their speedups, one for all thread counts or one for each; a factor on all times of a
session is no change of a speedup. Two sessions differ by 3 % as a standard deviation, as `--session-spread` declares.
"""

import math

import numpy as np
import pytest
from scipy import stats

from knee.explain.comparison.cells import Side
from knee.explain.comparison.history import History, history
from knee.store import Run

SPREAD = 0.03
STEP = 1 / 1.1
"""Speedups after a real change."""

MOODS = ("of all times", "of all speedups", "of each speedup")
DAILY, NIGHTLY = 100, 2000


def session(
    random: np.random.Generator, number: int, mood: str, counts: tuple[int, ...], blocks: int, by: float
) -> Side:
    """A study of runs with 1 % scatter; its speedups are those of the program times ``by`` and the session's mood."""
    common, own = random.normal(0, SPREAD / math.sqrt(2)), random.normal(0, SPREAD / math.sqrt(2), len(counts))
    runs = []
    for block in range(1, blocks + 1):
        for n, apart in zip(counts, own, strict=True):
            told = {"of all times": common, "of all speedups": common * (n > 1), "of each speedup": apart * (n > 1)}[
                mood
            ]
            time_s = 8 / n * math.exp(random.normal(0, 0.01) + told) / (by if n > 1 else 1)
            cell = {"threads": n, "placement": "cores-close"}
            spec = {"id": "1", "cell": cell, "block": block, "threads": n, "cpus": list(range(n))}
            busy = {"other_busy": 0.0, "clock_before_ns": 1.0, "clock_after_ns": 1.0}
            record = {
                "wall_ns": int(1e9 * time_s),
                "start": f"2026-01-{number:02d}",
                "simulated": True,
                "validity": busy,
            }
            runs.append(Run(len(runs), spec, record, None, time_s, time_s, 0))
    return Side(f"s{number:02d}", runs, {"allowed": {"cpus": list(range(16))}}, None)


def made(
    random: np.random.Generator, mood: str, *, studies: int, counts: tuple[int, ...] = (1, 2, 4), blocks: int = 5,
    step: int | None = None,
) -> History:  # fmt: skip
    """A history of studies; from study ``step`` on, speedups are a tenth lower."""
    by = [STEP if step is not None and number >= step else 1.0 for number in range(studies)]
    return history([session(random, k + 1, mood, counts, blocks, one) for k, one in enumerate(by)], SPREAD)


def claimed(found: History) -> set[tuple[str, str]]:
    """The claims of a history: a study, and what changed from the study before."""
    return {(one.study, one.change) for one in found.points if one.change in ("higher", "lower")}


def rate(hits: int, trials: int) -> tuple[float, float]:
    ends = stats.binomtest(hits, trials).proportion_ci(0.90, "exact")
    return ends.low, ends.high


@pytest.mark.parametrize("mood", MOODS)
def test_a_history_without_a_change_rarely_claims_one(mood):
    random = np.random.default_rng(21)
    false = sum(bool(claimed(made(random, mood, studies=6))) for _ in range(DAILY))
    assert rate(false, DAILY)[0] <= 0.07


def test_a_step_is_claimed_where_it_is():
    random = np.random.default_rng(22)
    said = [claimed(made(random, "of all times", studies=6, step=3)) for _ in range(DAILY)]
    found = sum(("s04", "lower") in one for one in said)
    assert rate(found, DAILY)[1] >= 0.30
    assert sum(bool(one - {("s04", "lower")}) for one in said) <= 0.07 * DAILY


@pytest.mark.nightly
@pytest.mark.parametrize("studies", [3, 6, 12])
@pytest.mark.parametrize("mood", MOODS)
def test_rates_of_histories(mood, studies):
    random = np.random.default_rng(23)
    false = sum(bool(claimed(made(random, mood, studies=studies))) for _ in range(NIGHTLY))
    assert rate(false, NIGHTLY)[0] <= 0.05
    assert false <= 0.07 * NIGHTLY
