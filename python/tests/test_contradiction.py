"""Which headlines under load contradict a calm study, as bench/programs.py judges them."""

import importlib.util
import sys

import numpy as np
import pytest
from conftest import ROOT, rewrite

from knee.opened import Study
from knee.stats.intervals import ratio

SPECIFICATION = importlib.util.spec_from_file_location("contradiction", ROOT / "bench/contradiction.py")
RULE = importlib.util.module_from_spec(SPECIFICATION)
sys.modules["contradiction"] = RULE
SPECIFICATION.loader.exec_module(RULE)


def calm(**speedups: dict[int, float]) -> dict:
    """Times of a calm study: level to thread count to speedup, with a scatter of 1 % over ten blocks."""
    draw = np.random.default_rng(1)
    return {
        (level if level != "one" else "", n): draw.lognormal(0, 0.01, 10) / speedup
        for level, curve in speedups.items()
        for n, speedup in curve.items()
    }


SCALES = calm(one={1: 1, 2: 1.9})
FLAT = calm(one={1: 1, 2: 1})
LOSES = calm(one={1: 1, 2: 0.8})
BENDS = calm(one={1: 1, 2: 1.9, 4: 1.9})
FALLS = calm(one={1: 1, 2: 1.9, 4: 1.7})
CLIMBS = calm(one={1: 1, 2: 1.9, 4: 3.5})
SCHEDULES = calm(static={1: 1, 2: 1.33}, dynamic={1: 1, 2: 1.95})
EQUAL = calm(static={1: 1, 2: 1}, dynamic={1: 1, 2: 1})
TURNED = calm(static={1: 1, 2: 1.95}, dynamic={1: 1, 2: 1.33})


@pytest.mark.parametrize(
    ("said", "agrees", "contradicts"),
    [
        ("2 threads are 1.88x [1.80, 1.96] as fast as 1; every cpu is used", SCALES, FLAT),
        ("2 threads are between 1.30x and 1.50x as fast as 1; every cpu is used", calm(one={1: 1, 2: 1.45}), SCALES),
        ("2 threads are 1.88x [1.80, 1.96] as fast as 1; cannot tell whether more threads help", SCALES, FLAT),
        ("no speedup. 1 and 2 threads take the same time (within 3 %)", FLAT, SCALES),
        ("no speedup. 1, 2 and 4 threads take the same time (within 3 %)", calm(one={1: 1, 2: 1, 4: 1}), CLIMBS),
        ("no speedup. More threads gain at most 3 % over 1", LOSES, SCALES),
        ("2 threads are 25 % [22, 28] slower than 1; no count is faster", LOSES, SCALES),
        ("2 threads are 25 % [22, 28] slower than 1", LOSES, FLAT),
        ("2 threads are 1.90x [1.85, 1.95] as fast as 1; more threads give no measurable gain", BENDS, CLIMBS),
        ("2 threads are 1.90x [1.85, 1.95] as fast as 1; 4 are 12 % [9, 15] slower", FALLS, BENDS),
        ("dynamic is 1.47x [1.40, 1.52] as fast as static at 2 threads; equal at 1", SCHEDULES, TURNED),
        ("dynamic is between 1.30x and 1.60x as fast as static at 2 threads; cannot tell at 1", SCHEDULES, TURNED),
        ("static and dynamic are equal (within 3 %) at 2 threads", EQUAL, TURNED),
        ("static is 1.47x [1.40, 1.52] as fast as dynamic at 2 threads; static is faster at 1, too",
         calm(static={1: 1.2, 2: 1.95}, dynamic={1: 1, 2: 1.33}), SCHEDULES),
    ],
)  # fmt: skip
def test_a_headline_contradicts_what_allows_none_of_its_values(said, agrees, contradicts):
    assert RULE.contradictions("decided", f"p (a, b): {said}", agrees) == []
    assert RULE.contradictions("decided", f"p (a, b): {said}", contradicts) != []


def test_every_clause_is_held_against_the_calm_study():
    said = "p: dynamic is 1.47x [1.40, 1.52] as fast as static at 2 threads; static is faster at 1, too"
    assert len(RULE.claims(said, SCHEDULES)) == 2
    assert len(RULE.contradictions("decided", said, calm(static={1: 0.8, 2: 1.33}, dynamic={1: 1, 2: 1.95}))) == 1
    beyond = "p: 2 threads are 1.90x [1.85, 1.95] as fast as 1; 4 are 12 % [9, 15] slower"
    [wrong] = RULE.contradictions("decided", beyond, BENDS)
    assert wrong.startswith("4 over 2 in [0.87, 0.92], calm [0.9")


def test_two_calm_studies_seldom_contradict_each_other():
    draw, wrong = np.random.default_rng(2), 0
    for _ in range(1000):
        first, second = ({("", n): draw.lognormal(0, 0.02, 10) / n for n in (1, 2)} for _ in range(2))
        ends = ratio(second["", 1], second["", 2]).interval
        said = f"p: 2 threads are {2:.2f}x [{ends.low:.2f}, {ends.high:.2f}] as fast as 1; every cpu is used"
        wrong += RULE.contradictions("decided", said, first) != []
    # 2 % by simulation of a normal mean; printed digits are rounded, and the rule allows for that.
    assert 0 < wrong <= 30


def test_what_is_undecided_claims_what_it_names_and_no_verdict_nothing():
    said = "p: cannot tell. 2 threads are between 0.90x and {} as fast as 1"
    assert RULE.contradictions("undecided", said.format("2.00x"), SCALES) == []
    assert RULE.contradictions("undecided", said.format("1.60x"), SCALES) != []
    assert RULE.contradictions("undecided", "p: cannot tell in any of 4 cases at 2 threads", SCALES) == []
    assert RULE.contradictions("disturbed", "p: no verdict. Other programs used 50 % of the cpus", SCALES) == []


def test_counts_that_the_calm_study_has_not_are_no_contradiction():
    said = "p: 2 threads are 1.90x [1.85, 1.95] as fast as 1; 64 are 9 % [7, 11] slower"
    assert RULE.contradictions("decided", said, SCALES) == []


def test_words_that_are_not_known_are_an_error():
    with pytest.raises(RULE.UnreadError):
        RULE.contradictions("decided", "p: two threads are quick", SCALES)


def wall(*speedups: float) -> dict[int, tuple[float, float]]:
    """A curve of these speedups at 1, 2 and more threads: seconds and CPU seconds."""
    return {n: (1 / speedup, n / speedup) for n, speedup in enumerate(speedups, 1)}


@pytest.mark.parametrize("speedups", [(1, 1.9), (1, 1), (1, 0.8), (1, 1.9, 1.9, 1.9), (1, 1.9, 1.6, 1.4)])
def test_what_knee_says_of_a_calm_curve_is_read_and_agrees_with_it(simulated, speedups):
    study = Study.read(simulated({"cores-close": wall(*speedups)}, blocks=10, noise=0.005).path)
    verdict, [series] = study.analysis.verdict, study.analysis.series
    times = {("", point.threads): series.seconds(point.threads) for point in series.curve.points}
    assert verdict.status == "decided"
    assert RULE.contradictions(verdict.status, verdict.headline, times) == []
    other = calm(one=dict.fromkeys(range(1, len(speedups) + 1), 1) if speedups[1] != 1 else {1: 1, 2: 1.9})
    assert RULE.contradictions(verdict.status, verdict.headline, other) != []


@pytest.mark.parametrize(("static", "dynamic"), [(1.3, 1.9), (1.9, 1.9)])
def test_what_knee_says_of_two_schedules_is_read_and_agrees_with_them(simulated, static, dynamic):
    folder = simulated({"static": wall(1, static), "dynamic": wall(1, dynamic)}, blocks=10, noise=0.005)

    def scheduled(spec: dict) -> dict:
        schedule = spec["cell"].pop("placement")
        return spec | {"cell": spec["cell"] | {"placement": "cores-close", "env:OMP_SCHEDULE": schedule}}

    rewrite(folder.plan, scheduled)
    verdict = Study.read(folder.path).analysis.verdict
    assert verdict.status == "decided"
    mine = calm(static={1: 1, 2: static}, dynamic={1: 1, 2: dynamic})
    assert RULE.contradictions(verdict.status, verdict.headline, mine) == []
    assert RULE.contradictions(verdict.status, verdict.headline, TURNED) != []
