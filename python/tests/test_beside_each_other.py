"""Causes beside each other, where one must not take what is another one's."""

import math
from dataclasses import replace

import pytest
from conftest import THREAD
from told import Made, evidence_of, named, runs, series_of

from knee.explain.evidence.evidence import evidence
from knee.explain.signs.beside import STREAM, slower
from knee.explain.signs.idle.waits import waits
from knee.store.records.idle import Alone
from knee.store.records.run import joined

BASE = Made(1.0, 1.0)
CALM = Made(1.0, 1.0, sleeps=4)
FOUR = (0.3, 0.27, 0.23, 0.2)
LINES = ("false sharing", "true sharing", "duplicated work")
AT_FUTEX = {
    "asleep": 45,
    "waits": 43,
    "timed": 40,
    "hottest": [{"pid": 7, "address": "0x7f00", "waits": 40, "timed": 40, "threads": 2}],
}
"""Samples of two threads that wait in turn, with a time limit."""

PYTHON = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}

OFTEN = 100_000
"""Page faults in a run."""


def test_a_lock_holds_cpu_time_that_grows_inside_the_kernel_alone():
    many = Made(1.0, 1.5, {"few": 0.5}, sleeps=3000)
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": replace(many, shares=FOUR)}
    found = named(evidence_of(BASE, many, tests))
    assert set(found) == {("sleeping lock",), LINES}
    assert sum(found.values()) == pytest.approx(math.log(2), abs=0.02)
    handed_over = replace(many, system=0.3, sleeps=6000)
    whole = pytest.approx(math.log(2), abs=0.02)
    assert named(evidence_of(BASE, handed_over, tests)) == {("sleeping lock",): whole}
    seldom = named(evidence_of(BASE, replace(handed_over, sleeps=600), tests))
    assert set(seldom) == {("sleeping lock",), LINES}, "no wait costs so much"


def test_one_thread_that_works_alone_for_long_waits_for_no_lock():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000)
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}
    assert list(named(evidence_of(BASE, many, tests))) == [("sleeping lock",)]
    long = replace(many, alone=Alone(0.98, 3, 0.4, False))
    assert list(named(evidence_of(BASE, long, tests))) == [("serial part",)]
    for other in (Alone(0.5, 3, 0.4, False), Alone(0.98, 2000, 0.001, False)):
        assert list(named(evidence_of(BASE, replace(many, alone=other), tests))) == [("sleeping lock",)]


def test_a_lock_that_few_wait_for_is_not_held_by_the_same_thread_each_time():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=150)
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}
    turns, same = (replace(many, alone=Alone(share, 127, 0.002, False)) for share in (0.5, 0.91))
    assert list(named(evidence_of(BASE, turns, tests))) == [("sleeping lock",)]
    assert list(named(evidence_of(BASE, same, tests))) == [("serial part",)]


def test_what_a_helper_of_the_runtime_does_alone_is_no_serial_part():
    many = Made(0.75, 1.0, {"one": 0.5}, alone=Alone(0.98, 3, 0.4, True))
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}
    assert named(evidence_of(BASE, many, tests)) == {}


def test_uneven_work_is_named_beside_an_interpreters_lock():
    many = Made(0.9, 1.0, {"few": 0.8}, sleeps=3000, shares=(0.65, 0.35))
    turns = "interpreter lock: longer turns"
    tests = {
        "one cpu": CALM,
        "twice the threads": Made(0.75, 1.0, {"few": 0.5}, sleeps=3000, shares=FOUR),
        turns: replace(many, sleeps=300),
        f"{turns}, base": BASE,
    }
    found = named(evidence_of(BASE, many, tests, mapped={"programs": [], "libraries": ["libpython3.11.so.1.0"]}))
    assert set(found) == {("imbalance",), ("interpreter lock",)}
    assert found["imbalance",] == pytest.approx(math.log(1.3), abs=0.03)


SHARED = {"one cpu": CALM, "copies": Made(1.5, 3.0), "twice the threads": Made(0.75, 1.5)}


def beside(**seconds: float) -> dict[str, Made]:
    return {f"{name.replace('_', ' ')} beside": Made(each, each) for name, each in seconds.items()}


def test_cache_and_bandwidth_share_what_slows_copies_down():
    tests = {**SHARED, **beside(stream=1.4, pirate=1.1, busy_cores=1.0)}
    found = named(evidence_of(BASE, Made(0.75, 1.5), tests))
    assert set(found) == {("shared cache",), ("memory bandwidth",)}
    assert found["shared cache",] == pytest.approx(math.log(1.1), abs=0.04)
    assert sum(found.values()) == pytest.approx(math.log(1.5), abs=0.03)


def test_bandwidth_is_not_named_without_the_run_beside_traffic():
    left = {**SHARED, **beside(pirate=1.0, busy_cores=1.0)}
    assert named(evidence_of(BASE, Made(0.75, 1.5), left)) == {}
    told = {**left, **beside(stream=1.4)}
    assert list(named(evidence_of(BASE, Made(0.75, 1.5), told))) == [("memory bandwidth",)]


def test_of_one_run_beside_others_the_interval_is_that_of_one_thread_alone():
    found = evidence_of(BASE, Made(0.75, 1.5), {**SHARED, **beside(stream=1.4)}, noise=0.01)
    cell = found.tests[STREAM]
    once = replace(found, tests={**found.tests, STREAM: replace(cell, runs=cell.runs[:1])})
    (all_of_them, one) = (slower(each, STREAM) for each in (found, once))
    assert one.value == pytest.approx(math.log(1.4), abs=0.03)
    assert 0 < one.interval.low < math.log(1.4) < one.interval.high
    assert one.interval.high - one.interval.low > all_of_them.interval.high - all_of_them.interval.low


WAITING = Made(0.75, 1.0, {"few": 0.5}, sleeps=4000, faults=OFTEN, system=0.1)


def settings(**changed: Made) -> dict[str, Made]:
    """Return runs of a program whose threads wait, and of changed settings."""
    tests = {"one cpu": CALM, "twice the threads": replace(WAITING, shares=FOUR)}
    for name, one in changed.items():
        cause = name.replace("_", " ")
        tests |= {f"{cause}: other": one, f"{cause}: other, base": BASE}
    return tests


def test_idle_time_that_a_setting_takes_away_names_page_faults_however_times_vary():
    kept = Made(0.52, 1.0, {"few": 0.04}, sleeps=10, faults=100)
    found = named(evidence_of(BASE, WAITING, settings(page_faults=kept), noise=0.15))
    assert found == {("page faults",): pytest.approx(math.log(1.5 / 1.04), abs=0.03)}


def test_an_allocator_beside_page_faults_is_named_unless_it_leads_to_fewer_of_them():
    kept = Made(0.7, 1.0, {"few": 0.4}, sleeps=3000, faults=100)
    other = replace(kept, faults=OFTEN)
    both = named(evidence_of(BASE, WAITING, settings(page_faults=kept, allocator=other)))
    assert set(both) == {("page faults",), ("allocator",)}, "and no lock, since both take waits away"
    assert ("allocator",) not in named(evidence_of(BASE, WAITING, settings(page_faults=kept, allocator=kept)))


def test_pages_on_one_node_cost_cpu_time_where_threads_wait_for_one_that_is_near():
    many = Made(0.75, 1.4, {"one": 0.1}, shares=(0.55, 0.45), pages={"0": 100})
    near = Made(0.75, 1.1, {"one": 0.4}, pages={"0": 50, "1": 50})
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": many, "interleaved memory": near}
    found = named(evidence_of(BASE, many, tests))
    assert found["page placement",] == pytest.approx(math.log(1.4 / 1.1), abs=0.03)


@pytest.mark.parametrize(("cpu_of_two", "named_so"), [(1.06, True), (1.01, False)])
def test_little_growth_on_one_cpu_is_named_only_where_it_slows_down_over_the_curve(cpu_of_two, named_so):
    many, tests = Made(0.27, 1.08), {"one cpu": Made(1.08, 1.08), "copies": Made(1.0, 4.0)}
    between = {2: Made(cpu_of_two / 2, cpu_of_two)}
    found = evidence_of(BASE, many, {**tests, "twice the threads": many}, n=4, between=between, noise=0.001)
    assert (("instruction growth",) in named(found)) == named_so


def test_a_thread_that_only_starts_the_others_makes_their_work_no_more_even():
    tests = {"one cpu": CALM, "twice the threads": Made(0.55, 1.0, {"one": 0.1}, shares=FOUR)}
    many = Made(0.75, 1.0, {"one": 0.5}, shares=(0.61, 0.21, 0.18))
    assert list(named(evidence_of(BASE, many, tests))) == [("imbalance",)]
    assert named(evidence_of(BASE, replace(many, shares=(0.41, 0.41, 0.18)), tests)) == {}


def test_pieces_that_fill_the_gaps_in_most_runs_are_no_serial_part():
    many = Made(0.75, 1.0, {"one": 0.5}, shares=(0.75, 0.25))
    twice = Made(0.75, 1.0, {"one": 0.5}, shares=FOUR)
    made = runs(BASE, many, {"one cpu": CALM, "twice the threads": twice}, blocks=6)

    def divided(filled: int) -> dict:
        """Return the names where smaller pieces fill the gaps in so many of six runs."""
        changed = [
            replace(run, idle=replace(run.idle, one=0.02))
            if run.spec.get("test") == "twice the threads" and run.spec["block"] <= filled
            else run
            for run in made
        ]
        return named(evidence(series_of(changed), 2))

    assert list(divided(0)) == [("serial part",)]
    assert list(divided(3)) == [("imbalance",)]


def test_an_allocator_that_nobody_waits_for_is_not_the_cause():
    many = Made(0.75, 1.5, sleeps=4)
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.5, sleeps=4)}
    tests |= {"allocator: other": Made(0.55, 1.1, sleeps=4), "allocator: other, base": BASE}
    assert list(named(evidence_of(BASE, many, tests))) == [LINES]


def test_a_collector_that_hardly_runs_leaves_no_doubt():
    # Times with a larger heap vary too much to tell, but the collector's own threads compute for 2 ms.
    many = Made(0.75, 1.5)
    heap = "garbage collection: larger heap"
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": many, heap: many, f"{heap}, base": BASE}
    made = runs(BASE, many, tests, blocks=6)

    def named_with(collector: float) -> list:
        changed = []
        for number, run in enumerate(made):
            by = 0.5 if run.spec.get("test") == heap and number % 2 else 1.0
            changed.append(replace(run, time_s=by * run.time_s, cpu_s=by * run.cpu_s, collector_s=collector))
        return list(named(evidence(series_of(changed), 2)))

    assert named_with(0.002) == [LINES]
    assert named_with(0.5) == [], "the collector may be all of it"


def test_processes_of_one_thread_each_share_no_lines():
    many = Made(0.75, 1.5)
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": many}
    made = runs(BASE, many, tests)

    def named_with(pids: tuple) -> list:
        threads = [{**THREAD, "tid": 10 + at, "pid": pid, "cpu_ns": 700_000_000} for at, pid in enumerate(pids)]
        # A study's runs do not keep their threads, only what was read from them.
        seen = joined(0, made[0].spec, {**made[0].record, "observed_threads": threads})
        assert not seen.record["observed_threads"]
        changed = [replace(run, processes=seen.processes) for run in made]
        return list(named(evidence(series_of(changed), 2)))

    assert named_with((7, 7)) == [LINES]
    assert named_with((7, 8)) == []
    assert named_with(([], {})) == [LINES], "ids that a damaged record has are none"


def test_processes_do_not_spin_for_each_other():
    many = Made(0.65, 1.3)
    tests = {"one cpu": Made(1.3, 1.3, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(1.2, 2.4)}
    made = runs(BASE, many, tests)
    assert list(named(evidence(series_of(made), 2))) == [("spinning",)]
    apart = [replace(run, processes=True) for run in made]
    assert list(named(evidence(series_of(apart), 2))) == [("instruction growth",)]


def test_an_interpreters_turns_cost_time_on_one_cpu_and_are_no_more_work():
    many = Made(1.0, 1.1, {"one": 0.9}, sleeps=4000, futex=AT_FUTEX)
    tests = {
        "one cpu": Made(1.08, 1.08, sleeps=4),
        "copies": Made(1.0, 2.0),
        "twice the threads": many,
    }
    assert list(named(evidence_of(BASE, many, tests, mapped=PYTHON))) == [("interpreter lock",)]


def test_more_work_than_turns_cost_is_named_beside_an_interpreters_lock():
    many = Made(1.3, 2.0, {"one": 0.6}, sleeps=4000, futex=AT_FUTEX)
    tests = {"one cpu": Made(2.0, 2.0, sleeps=4), "copies": Made(1.0, 2.0)}
    tests |= {"twice the threads": Made(2.25, 4.0, {"one": 0.5}, sleeps=4000, futex=AT_FUTEX)}
    found = named(evidence_of(BASE, many, tests, mapped=PYTHON))
    assert set(found) == {("interpreter lock",), ("instruction growth",)}
    assert found["instruction growth",] == pytest.approx(math.log(2), abs=0.06)


def test_what_turns_cost_is_no_sharing():
    many = Made(0.8, 1.16, {"one": 0.44}, sleeps=2000, futex=AT_FUTEX)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": many}
    assert list(named(evidence_of(BASE, many, tests, mapped=PYTHON))) == [("interpreter lock",)]
    more = replace(many, sleeps=200)
    found = named(evidence_of(BASE, more, tests | {"twice the threads": more}, mapped=PYTHON))
    assert LINES in found


def test_threads_that_wait_for_an_interpreter_do_not_wait_in_an_allocator():
    many = Made(1.2, 1.8, {"one": 0.6}, sleeps=4000, futex=AT_FUTEX)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": many}
    libraries = [*PYTHON["libraries"], "libc.so.6"]
    found = evidence_of(BASE, many, tests, mapped={"programs": [], "libraries": libraries})
    assert set(named(found)) == {("interpreter lock",), LINES}


def test_without_a_collector_samples_tell_an_interpreters_lock():
    pool = {"pid": 7, "address": "0x8000", "waits": 90, "timed": 0, "threads": 2}
    both = {"asleep": 133, "waits": 130, "timed": 40, "hottest": [pool, *AT_FUTEX["hottest"]]}
    many = Made(1.3, 1.3, {"one": 1.3}, sleeps=4000, futex=both)
    off, turns = "garbage collection: no garbage collection", "interpreter lock: longer turns"
    without = Made(0.8, 1.0, {"one": 0.6}, sleeps=2000, futex=AT_FUTEX)
    tests = {
        "one cpu": Made(1.2, 1.2, sleeps=2000),
        "twice the threads": many,
        off: without,
        f"{off}, base": BASE,
        turns: replace(many, sleeps=2100),
        f"{turns}, base": BASE,
    }
    found = named(evidence_of(replace(BASE, cpu=1.0), many, tests, mapped=PYTHON))
    assert ("interpreter lock",) in found
    elsewhere = tests | {off: replace(without, futex=both)}
    assert ("interpreter lock",) not in named(evidence_of(BASE, many, elsewhere, mapped=PYTHON))


def test_a_lock_does_not_hold_the_start_of_one_thread():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000)
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}

    def part(longest_s: float) -> float:
        seen = replace(many, alone=Alone(0.5, 2000, longest_s, False))
        return named(evidence_of(BASE, seen, tests))["sleeping lock",]

    whole = math.log(1.5)
    assert part(0.005) == pytest.approx(whole, abs=0.01)
    # Between its share of the idle time's ratio, and what the program gains while the start stays.
    assert part(0.2) == pytest.approx((0.6 * whole + math.log(1.5 / 1.2)) / 2, abs=0.005)


def test_few_waits_on_one_cpu_do_not_hide_a_lock_however_they_vary():
    many = Made(0.75, 1.0, {"few": 0.5}, sleeps=4000)
    found = evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)})
    few = [run.record | {"rusage": run.record["rusage"] | {"voluntary_switches": count}}
           for run, count in zip(found.tests["one cpu"].runs, (0, 3, 900), strict=False)]  # fmt: skip
    cell = found.tests["one cpu"]
    odd = replace(cell, runs=tuple(replace(run, record=one) for run, one in zip(cell.runs, few, strict=False)))
    seen = waits(replace(found, tests={**found.tests, "one cpu": odd}))
    assert seen is not None
    assert seen.ratio.interval.low < math.log(2), "the ratio does not tell"
    assert seen.passed_on
    often = [replace(run, record=few[2]) for run in cell.runs[:3]]
    rare = replace(many, sleeps=1000)
    seldom = evidence_of(BASE, rare, {"one cpu": CALM})
    as_often = waits(replace(seldom, tests={"one cpu": replace(cell, runs=tuple(often))}))
    assert as_often is not None
    assert not as_often.passed_on, "as often on one cpu"
