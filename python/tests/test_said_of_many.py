"""What is said where several answers, or several parts of a loss, depend on each other."""

import math
from dataclasses import replace

import numpy as np
import pytest
from conftest import VALID, rewrite
from test_hotspots import STALLS
from test_lines import met
from told import Made, evidence_of, named, runs, series_of

from knee.explain.asking.wanted import Left, wanted
from knee.explain.causes.cause import Part
from knee.explain.disturbance import disturbances
from knee.explain.evidence.evidence import answers, evidence
from knee.explain.ledger.explanation import explanation
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, WAITING, ledger
from knee.explain.ledger.placements import PLACED
from knee.explain.signs.idle.doubled import no_more_threads
from knee.explain.verdict.study import _none_faster
from knee.explain.verdict.why import share_of
from knee.opened import Study
from knee.stats.scaling.decision import decide
from knee.store.records.idle import idle_of

BASE = Made(1.0, 1.0)

SERIAL = Made(0.75, 1.0, {"one": 0.5}, sleeps=10)
"""Half of the work is serial."""


def test_classes_of_idle_time_that_make_up_for_each_other_are_known_together():
    """The run is idle for as long each time, and one class is larger where another one is smaller."""
    found = evidence_of(BASE, Made(0.75, 1.0, {"nobody": 0.1, "one": 0.4}), n=2)
    moved = [
        replace(run, idle=replace(run.idle, nobody=0.1 + by, one=0.4 - by))
        for run, by in zip(found.many.runs, (-0.09, 0.09, -0.05, 0.05, 0.0, 0.0), strict=True)
    ]
    book = ledger(replace(found, many=replace(found.many, runs=tuple(moved))))

    def width(*names: str) -> float:
        ends = book.value(*names).interval
        return ends.high - ends.low

    assert width(NOBODY, ONE, FEW, WAITING) < 0.3 * min(width(NOBODY), width(ONE))
    assert book.value(NOBODY, ONE).value == pytest.approx(book.value(NOBODY).value + book.value(ONE).value)


@pytest.mark.parametrize(("program", "is_told"), [
    ({"command": ["p"]}, False),
    ({"command": ["p"], "for": "openmp"}, True),
    ({"command": ["p"], "for": "tbb"}, False),
    ({"command": ["p"], "env": {"N": "{threads}"}}, True),
    ({"workload": "heat"}, True),
])  # fmt: skip
def test_a_runtime_that_knee_tells_its_threads_is_told(program, is_told):
    found = evidence_of(BASE, SERIAL)
    runs = tuple(replace(run, spec=run.spec | {"program": program}) for run in found.many.runs)
    assert replace(found, many=replace(found.many, runs=runs)).told is is_told


def test_a_program_that_looks_for_cpus_by_itself_waits_for_nobody_on_one():
    """One thread on one cpu sleeps hardly ever, which would make a lock of every wait of two."""
    many = Made(0.75, 1.0, {"nobody": 0.5}, sleeps=900, shares=(0.5, 0.5))
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4, shares=(1.0,)), "twice the threads": many}
    assert ("sleeping lock",) in named(evidence_of(BASE, many, tests))
    made = [replace(run, spec=run.spec | {"program": {"command": ["p"]}}) for run in runs(BASE, many, tests)]
    found = evidence(series_of(made), 2)
    assert named(found) == {}
    assert set(found.failed) == {"one cpu", "twice the threads"}
    assert not {"one cpu", "twice the threads"} & {
        one.name for one in wanted(made, 2, Left(7, 12, 1.0, lambda *_: True))
    }


def test_runs_answer_the_question_of_their_name_with_its_setting_and_on_the_base():
    assert all(answers(name, name) for name in PLACED)
    assert answers("hot spots, base", "hot spots")
    assert answers("allocator: jemalloc", "allocator")
    assert answers("allocator: jemalloc, base", "allocator")
    assert not answers("copies on cores", "copies")
    assert not answers(PLACED[0], PLACED[1])


def test_threads_that_meet_in_code_of_their_own_do_not_wait_inside_an_allocator():
    """No other allocator is installed, and threads sleep often: only the program's own function tells."""
    jemalloc = {"programs": ["/bin/p"], "libraries": ["libjemalloc.so.2", "libc.so.6"]}

    def found(function: str) -> list[tuple[str, ...]]:
        made = met(STALLS, 120, 110, 5)
        for run in (*made.many.runs, *made.base.runs):
            run.record["mapped"] = jemalloc
        for run in made.tests["hot spots"].runs:
            run.record["hotspots"]["functions"] = [function] * len(run.record["hotspots"]["functions"])
        return list(named(made))

    assert found("count_words") == [("true sharing",)]
    assert found("je_malloc_mutex_lock_slow") == []


def test_both_parts_of_too_few_tasks_are_lost():
    """Six equal pieces on four threads: three threads idle for a while, two for longer."""
    many = Made(1 / 3, 1.0, {"few": 0.25, "one": 1 / 3 - 0.25}, sleeps=10, shares=(1 / 3, 1 / 3, 1 / 6, 1 / 6))
    twice = Made(0.26, 1.0, {"few": 0.02, "one": 0.01}, sleeps=10, shares=(*(1 / 6,) * 6, 0.0, 0.0))
    calm = Made(1.0, 1.0, sleeps=10)
    parts = named(evidence_of(BASE, many, {"one cpu": calm, "twice the threads": twice}, n=4))
    assert parts == {("too few tasks",): pytest.approx(math.log(4 / 3), abs=0.04)}


def test_most_of_what_more_threads_than_cpus_wait_is_no_idle_time():
    """One thread alone for a fifth of the time, and eight on four cpus for the rest."""
    record = {
        "wall_ns": 10**9,
        "sampling": {"ready": [0, 20, 0, 0, 0, 0, 0, 0, 80]},
        "observed_threads": [{"tid": 1, "cpu_ns": 34 * 10**8, "run_delay_ns": 32 * 10**8}],
    }
    idle = idle_of(record, 4)
    assert (idle.one, idle.few, idle.nobody) == (pytest.approx(0.6), 0.0, 0.0)
    assert (idle.waiting, idle.more) == (pytest.approx(0.0), pytest.approx(0.0))
    assert idle.total == pytest.approx(4 - 3.4)


def test_the_share_of_a_cause_has_the_error_of_the_loss_too():
    tests = {"one cpu": Made(1.0, 1.0, sleeps=10), "twice the threads": Made(0.75, 1.0, {"one": 0.5}, sleeps=10)}
    one = explanation(evidence_of(BASE, SERIAL, tests, noise=0.03))
    loss = one.ledger.loss
    exact = replace(one.findings[0], part=Part(loss.value / 2, loss.value / 2, loss.value / 2))
    said = share_of(exact, one)
    low, high = (int(end) for end in said.partition("[")[2].partition("]")[0].split(", "))
    assert said.startswith(" (50 % of the loss [")
    assert low == pytest.approx(50 * (2 - loss.interval.high / loss.value), abs=1)
    assert high == pytest.approx(50 * (2 - loss.interval.low / loss.value), abs=1)
    assert low < 50 < high


def test_other_programs_took_what_they_took_of_the_runs_that_they_disturbed(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0), 2: (0.5, 1.0)}}, blocks=10)
    valid = VALID | {"other_busy": 0.5, "steal": 0.0}
    rewrite(folder.records, lambda one: one | ({"validity": valid} if one["id"] == "0003" else {}))
    runs = Study.read(folder.path).runs
    found = disturbances(runs, 2)
    assert (found.disturbed, found.says) == (1, "other programs used 50 % of the cpus")
    assert sum(found.by_threads.values()) == pytest.approx(0.5 / 10, abs=1e-3), "by count it is a mean of all runs"


def test_the_base_has_the_answer_of_the_table(simulated):
    """One of many rows: by itself it would be slower, among all it cannot be told."""
    curves = {f"cores-{name}": {n: (8.0 / n * (1.02 if name == "b" and n == 1 else 1.0), 8.0) for n in (1, 2, 4)}
              for name in "abcdef"}  # fmt: skip
    analysis = Study.read(simulated(curves, noise=0.015, blocks=6).path).analysis
    rows = {(one.series, one.threads): one.answer for one in analysis.contrasts}
    assert analysis.bases
    for name, one in analysis.bases.items():
        assert one.equivalence.answer == rows[name, 1]


def steady(level: float, turn: int = 0) -> np.ndarray:
    return level * np.roll(np.array([1.0, 1.001, 0.999, 1.002, 0.998]), turn)


def test_of_several_workloads_a_loss_and_what_is_not_known_are_no_missing_speedup():
    equal = decide({1: steady(1), 2: steady(1.0, 2)})
    slower = decide({1: steady(1), 2: steady(1.3, 2)})
    noisy = decide({1: steady(1), 2: np.array([0.5, 1.0, 2.0, 0.7, 1.4])})
    assert (equal.answer, slower.answer, noisy.answer) == ("equal", "slower", "cannot tell")
    assert _none_faster([equal] * 3) == "no measurable speedup in any of 3 workloads"
    assert _none_faster([slower, equal], weak=True).startswith("of 2 workloads 1 does less work on more threads")
    assert _none_faster([noisy] * 3) == "cannot tell whether any of 3 workloads is faster on more threads"
    assert _none_faster([slower, equal, equal]) == (
        "of 3 workloads 1 is slower on more threads and 2 show no measurable speedup"
    )
    assert _none_faster([slower, noisy, None]) == (
        "of 3 workloads 1 is slower on more threads; of the others nothing is known"
    )


def test_the_base_is_no_count_that_may_be_as_good_as_a_faster_one(simulated):
    for seed in range(40):
        curves = {"cores-close": {1: (1.05, 1.05), 2: (1.0, 1.0), 4: (1.0, 1.0)}}
        folder = simulated(curves, noise=0.025, blocks=6, seed=seed)
        assert "; 1 may be as good" not in Study.read(folder.path).analysis.verdict.headline
        folder.path.rename(folder.path.with_name(f"study-{seed}"))


def test_of_very_many_threads_it_is_not_known_whether_twice_as_many_were_any_more():
    """A record keeps the 64 largest shares, of which twice the threads have no more."""
    many = Made(0.5, 1.0, {"one": 31.0}, sleeps=10, shares=(1 / 64,) * 64)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=10), "twice the threads": many}
    assert not no_more_threads(evidence_of(BASE, many, tests, n=64))
    few = replace(many, shares=(1 / 8,) * 8)
    assert no_more_threads(evidence_of(BASE, few, tests | {"twice the threads": few}, n=8))
