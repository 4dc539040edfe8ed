"""What contradicts a calm study, as bench/programs.py judges headlines under load."""

import importlib.util
import sys

import numpy as np
import pytest
from conftest import ROOT

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
CLIMBS = calm(one={1: 1, 2: 1.9, 4: 3.5})
SCHEDULES = calm(static={1: 1, 2: 1.33}, dynamic={1: 1, 2: 1.95})


@pytest.mark.parametrize(
    ("headline", "agrees", "contradicts"),
    [
        ("p: 2 threads are 1.88x [1.80, 1.96] as fast as 1; every cpu is used", SCALES, FLAT),
        ("p: 2 threads are 1.40x [1.30, 1.50] as fast as 1; every cpu is used", calm(one={1: 1, 2: 1.45}), SCALES),
        ("p: no speedup. 1 and 2 threads take the same time (within 3 %)", FLAT, SCALES),
        ("p: no speedup. 1, 2 and 4 threads take the same time (within 3 %)", calm(one={1: 1, 2: 1, 4: 1}), CLIMBS),
        ("p: no speedup. More threads than 1 gain at most 3 %", LOSES, SCALES),
        ("p: 2 threads are 25 % slower than 1 (speedup [0.75, 0.85]); no count is faster", LOSES, SCALES),
        ("p: 2 threads are 1.90x [1.85, 1.95] as fast as 1; more threads give no measurable gain", BENDS, CLIMBS),
        ("p: 2 threads are 1.90x [1.85, 1.95] as fast as 1; 4 are 9 % slower", calm(one={1: 1, 2: 1.9, 4: 1.7}), BENDS)
    ],
)  # fmt: skip
def test_a_headline_contradicts_what_allows_none_of_its_values(headline, agrees, contradicts):
    assert RULE.contradictions(headline, agrees) == []
    assert RULE.contradictions(headline, contradicts) != []


def test_levels_are_held_against_levels():
    right = "p: dynamic is 1.47x [1.40, 1.52] as fast at 2 threads; equal at 1"
    assert RULE.contradictions(right, SCHEDULES) == []
    assert len(RULE.claims(right, SCHEDULES)) == 2
    turned = right.replace("dynamic", "static")
    [said] = RULE.contradictions(turned, SCHEDULES)
    assert said.startswith("static 2 over dynamic 2 in [1.40, 1.52], calm [0.68, ")
    assert len(RULE.contradictions("p: static and dynamic are equal at 1 and 2 threads", SCHEDULES)) == 1


def test_counts_that_the_calm_study_has_not_are_no_contradiction():
    assert RULE.contradictions("p: 2 threads are 1.90x [1.85, 1.95] as fast as 1; 64 are 9 % slower", SCALES) == []


def test_words_that_are_not_known_are_an_error():
    with pytest.raises(RULE.UnreadError):
        RULE.contradictions("p: two threads are quick", SCALES)
