"""False-alarm and detection rates of `knee compare` for two studies made at different times.

A session has a "mood": one factor on all of its times. The moods of two sessions differ by 3 %: always (+3 % or -3 % at
random), or as a standard deviation.
"""

import math

import numpy as np
import pytest
from scipy import stats

from knee.explain.comparison.cells import Side
from knee.explain.comparison.report import Report
from knee.explain.comparison.sides import of_studies
from knee.stats.sessions import half_width
from knee.store import Run

MOOD = 0.03
MOODS = {
    "always 3 %": lambda random: math.log1p(MOOD) * random.choice([-1, 1]),
    "normal, 3 % a standard deviation": lambda random: random.normal(0, MOOD),
    "none": lambda _: 0.0,
}
DAILY, NIGHTLY = 100, 2000


def side(
    random: np.random.Generator, name: str, *, blocks: int, counts: tuple[int, ...], factor: float, others: float = 0.0
) -> Side:
    """A session of runs with 1 % scatter and a common factor, beside other programs that take at most this share of
    their time.
    """
    runs = []
    for block in range(1, blocks + 1):
        for n in counts:
            spec = {"id": "1", "cell": {"threads": n}, "block": block, "threads": n, "program": {"command": ["x"]}}
            lost = float(random.uniform(0, others))
            time_s = factor * float(np.exp(random.normal(0, 0.01))) / (1 - lost)
            busy = {"other_busy": lost, "clock_before_ns": 1.0, "clock_after_ns": 1.0}
            record = {"wall_ns": int(1e9 * time_s), "counters": {}, "simulated": True, "validity": busy}
            spec |= {"cpus": list(range(n))}
            runs.append(Run(len(runs), spec, record, None, time_s, time_s, int(lost * 1e9 * time_s)))
    return Side(name, runs, {"allowed": {"cpus": list(range(16))}}, None)


def compared(
    random: np.random.Generator, mood: str, factor: float, *, spread: float, cells: int, blocks: int = 8
) -> Report:
    """Two studies; B takes `factor` times as long, in a mood of its own."""
    counts = tuple(2**k for k in range(cells))
    other = factor * float(np.exp(MOODS[mood](random)))
    a, b = (side(random, name, blocks=blocks, counts=counts, factor=by) for name, by in (("A", 1.0), ("B", other)))
    return of_studies(a, b, 0.03, spread)


def rates(trials: int, mood: str, factor: float, *, spread: float = 0.03, cells: int = 3) -> dict[str, tuple]:
    """Return the rates of the verdicts slower and faster, each with its Clopper-Pearson 90 % interval."""
    random = np.random.default_rng(14)
    said = [compared(random, mood, factor, spread=spread, cells=cells).verdict for _ in range(trials)]
    found = {}
    for word in ("slower", "faster"):
        ends = stats.binomtest(said.count(word), trials).proportion_ci(0.90, "exact")
        found[word] = (ends.low, said.count(word) / trials, ends.high)
    return found


@pytest.mark.parametrize("mood", MOODS)
def test_a_difference_between_sessions_fails_no_gate(mood):
    low, _, _ = rates(DAILY, mood, 1.0)["slower"]
    assert low <= 0.07


@pytest.mark.parametrize("mood", MOODS)
def test_ten_percent_are_found_despite_differences_between_sessions(mood):
    _, _, high = rates(DAILY, mood, 1.1)["slower"]
    assert high >= 0.90


def test_without_a_spread_differences_between_sessions_would_fail_gates():
    _, share, _ = rates(DAILY, "normal, 3 % a standard deviation", 1.0, spread=0.0)["slower"]
    assert share > 0.15


@pytest.mark.nightly
@pytest.mark.parametrize("cells", [1, 4])
@pytest.mark.parametrize("mood", MOODS)
def test_rates_of_gates_over_two_sessions(mood, cells):
    equal = rates(NIGHTLY, mood, 1.0, cells=cells)
    assert max(equal["slower"][1], equal["faster"][1]) <= 0.07
    assert rates(NIGHTLY, mood, 1.1, cells=cells)["slower"][1] >= 0.90


def test_two_sessions_without_scatter_are_known_but_for_their_spread():
    assert half_width(0.0, 9, 0.03) == pytest.approx(1.645 * math.log1p(0.03), rel=0.02)
    assert half_width(0.02, 9, 0.0) == pytest.approx(0.02 * stats.t.ppf(0.95, 9))
    both = half_width(0.02, 1e6, 0.03)
    assert both == pytest.approx(1.645 * math.hypot(0.02, math.log1p(0.03)), rel=0.01)


def test_a_side_beside_other_programs_is_called_slower_no_oftener():
    """Other programs take up to half of B's time and nothing of A's, and sessions do not differ. Their cost is the
    largest possible, the worst case.
    """
    random, words = np.random.default_rng(15), []
    for _ in range(DAILY):
        a = side(random, "A", blocks=5, counts=(1, 2), factor=1.0)
        b = side(random, "B", blocks=5, counts=(1, 2), factor=1.0, others=0.5)
        words.append(of_studies(a, b, 0.03, 0.0).verdict)
    assert stats.binomtest(words.count("slower"), DAILY).proportion_ci(0.90, "exact").low <= 0.05
    assert words.count("faster") == 0
    # A loss far beyond what they can have cost is found all the same.
    far = side(random, "B", blocks=5, counts=(1, 2), factor=3.0, others=0.5)
    assert of_studies(a, far, 0.03, 0.0).verdict == "slower"
