"""Phases: their parts add up to the loss of the run, and each says whether it scales."""

import math

import numpy as np
import pytest
from told import Made, runs, series_of

from knee.explain.ledger.rows import phase_rows
from knee.explain.phases.marked import OUTSIDE, REST, holders
from knee.explain.phases.phases import answer_of, logarithmic_mean, phases
from knee.stats.intervals import Interval

S = 1e9


def phase(name, wall, cpu, begin, end=None):
    """Return a phase as records have it; times in seconds."""
    end = begin + wall if end is None else end
    numbers = {"wall_ns": wall, "cpu_ns": cpu, "begin_ns": begin, "end_ns": end}
    return {"name": name, **{key: int(value * S) for key, value in numbers.items()}}


def series(of_base, of_many, n=2, **more):
    """Return a series whose runs take 1 s and 0.7 s, with these phases."""
    made = runs(Made(1.0, 1.0), Made(0.7, 1.05), n=n, **more)
    for run in made:
        phases = of_base if run.threads == 1 else of_many
        by = run.record["wall_ns"] / S / (1.0 if run.threads == 1 else 0.7)
        run.record["phases"] = [
            {key: value if key == "name" else int(value * by) for key, value in one.items()} for one in phases
        ]
    return series_of(made, n)


LOAD, MATCH = phase("load", 0.3, 0.3, 0.1), phase("match", 0.55, 0.55, 0.4)
LOAD_2, MATCH_2 = phase("load", 0.3, 0.3, 0.1), phase("match", 0.28, 0.55, 0.4)


def by_name(found):
    return {one.name: one for one in found}


def test_the_phase_that_does_not_scale_holds_the_loss():
    found = by_name(phases(series([LOAD, MATCH], [LOAD_2, MATCH_2])))
    assert found["load"].answer == "gains nothing"
    assert found["match"].answer == "scales"
    assert found["load"].share.value == pytest.approx(0.3 / 0.7, abs=0.01)
    assert found["load"].base_share.value == pytest.approx(0.3, abs=0.01)
    assert found["load"].sentence.startswith("load gains nothing (1.00x [")
    assert found["load"].sentence.endswith("at 2 threads it is 43 % of the time")
    # The load takes 0.3 thread-seconds more, of 0.4 for the run.
    assert found["load"].part.value == pytest.approx(0.75 * math.log(1.4), abs=0.01)
    assert found["load"].cpu.value == pytest.approx(0.0, abs=0.01)


def test_parts_add_up_to_the_loss_of_the_run():
    one = series([LOAD, MATCH], [LOAD_2, MATCH_2, phase("merge", 0.05, 0.05, 0.7)], noise=0.1)
    found = phases(one)
    loss = np.log(2 * one.seconds(2) / one.seconds(1)).mean()
    assert sum(each.part.value for each in found) == pytest.approx(loss, abs=1e-6)
    merge = by_name(found)["merge"]
    assert merge.part.value > 0, "a phase that only more threads have adds to the loss"
    assert merge.answer == "cannot tell", "without a base no speedup is known"
    assert phase_rows(found)[0]["phase"] == found[0].name


def test_what_lies_inside_a_phase_is_taken_out_of_it():
    inner, outer = phase("step", 0.2, 0.2, 0.2, 0.9), phase("solve", 0.8, 0.8, 0.15)
    one = series(
        [outer, inner], [outer | {"wall_ns": int(0.5 * S), "end_ns": int(0.65 * S)}, inner | {"end_ns": int(0.6 * S)}]
    )
    assert holders(one.runs) == {"step": "solve"}
    found = by_name(phases(one))
    assert set(found) == {"step", "solve" + REST, OUTSIDE}
    assert found["solve" + REST].base_share.value == pytest.approx(0.6, abs=0.01)
    assert sum(each.base_share.value for each in found.values()) == pytest.approx(1.0, abs=1e-6)


def test_phases_with_gaps_hold_nothing():
    often = phase("often", 0.3, 0.3, 0.1, 0.9)
    assert holders(series([often, LOAD], [often, LOAD_2]).runs) == {}


def test_phases_side_by_side_are_not_added_up():
    side = phase("io", 0.9, 0.1, 0.0, 0.95)
    found = by_name(phases(series([MATCH, side], [MATCH_2, phase("io", 0.65, 0.1, 0.0, 0.7)])))
    assert math.isnan(found["match"].part.value)
    assert found["match"].answer == "scales", "how each scales is known all the same"


def test_cpu_time_of_some_threads_only_is_not_divided():
    # A helper thread marks what all threads do: its own CPU time is half of it.
    found = by_name(phases(series([phase("match", 0.95, 0.95, 0.0)], [phase("match", 0.65, 0.5, 0.0)])))
    assert math.isnan(found["match"].cpu.value)
    assert found["match"].part.value > 0


def test_without_marks_there_are_no_phases():
    assert phases(series([], [])) == []


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((1.95, 2.05), "scales"),
        ((1.5, 1.6), "scales in part"),
        ((0.99, 1.03), "gains nothing"),
        ((0.6, 0.7), "gains nothing"),
        ((0.9, 1.7), "cannot tell"),
        ((1.8, 2.1), "cannot tell"),
        ((math.nan, math.nan), "cannot tell"),
    ],
)
def test_answers(ends, said):
    assert answer_of(Interval(*ends), 2.0) == said


def test_the_logarithmic_mean_of_equals():
    assert logarithmic_mean(np.array([2.0, 1.0]), np.array([2.0, 4.0])) == pytest.approx([2.0, 3 / math.log(4)])
