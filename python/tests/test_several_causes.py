"""Several causes in one program: how much each holds, and signs of one that are none of another."""

import math
from dataclasses import replace

import numpy as np
import pytest
from conftest import record
from told import Made, evidence_of, named, runs, series_of

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import evidence
from knee.explain.evidence.means import over
from knee.explain.ledger.explanation import explanation, unexplained
from knee.explain.ledger.inflation import factors
from knee.explain.ledger.ledger import MACHINE, MORE, ONE, TOGETHER, UNDIVIDED, ledger
from knee.explain.ledger.naming import candidates
from knee.explain.ledger.overlap import if_divided
from knee.explain.ledger.together import together

BASE = Made(1.0, 1.0)
CALM = Made(1.0, 1.0, sleeps=4)


def finding(cause: str, value: float, holds: tuple[str, ...]) -> Finding:
    return Finding("s", cause, "", (), "", "", threads=2, part=Part(value, value - 0.01, value + 0.01), holds=holds)


def test_a_single_cause_holds_what_its_ratio_says():
    book = ledger(evidence_of(BASE, Made(0.75, 1.0, {"one": 0.5}), {"one cpu": CALM}))
    (alone,) = together([finding("serial part", math.log(1.5), (ONE,))], book)
    assert alone.part.value == pytest.approx(math.log(1.5), abs=0.01)


def test_parts_of_several_causes_lie_between_both_orders_and_keep_their_sum():
    # Copies take 1.4 times the CPU time, and one thread works alone for a while.
    many = Made(1.0, 1.4, {"one": 0.6})
    book = ledger(evidence_of(BASE, many, {"one cpu": CALM, "copies": Made(1.4, 2.8)}))
    machine, idle = book.value(MACHINE).value, book.value(ONE).value
    found = together([finding("clock", machine, (MACHINE,)), finding("serial part", idle, (ONE,))], book)
    last = {"clock": math.log(2.0 / 1.6), "serial part": math.log(2.0 / 1.4)}
    first = {"clock": math.log(1.4), "serial part": math.log(1.6)}
    for one in found:
        assert last[one.cause] - 0.02 < one.part.value < first[one.cause] + 0.02
        assert one.part.low <= one.gain.low
        assert one.part.high >= one.gain.high
        assert one.gain.value in (machine, idle)
    assert sum(one.part.value for one in found) == pytest.approx(math.log(2.0), abs=0.01)


def test_what_one_thread_does_alone_is_not_slowed_down_and_would_be_if_it_were_divided():
    # 35 % of the work is done alone; side by side, all of it takes 1.5 times as long.
    alone, slower = 0.35, 1.5
    cpu = alone + (1 - alone) * slower
    tests = {"one cpu": CALM, "copies": Made(slower, 2 * slower)}
    found = evidence_of(BASE, Made((cpu + alone) / 2, cpu, {"one": alone}), tests)
    book = ledger(found)
    assert book.value(MACHINE).value == pytest.approx(math.log(cpu), abs=0.01)
    assert book.value(TOGETHER).value == pytest.approx(0, abs=0.01)
    serial = finding("serial part", book.value(ONE).value, (ONE,))
    divided = if_divided(found, book, serial)
    assert serial.part.value == pytest.approx(math.log((cpu + alone) / cpu), abs=0.01)
    assert divided.part.value == pytest.approx(math.log((cpu + alone) / slower), abs=0.01)
    assert divided.part.low <= divided.part.value <= divided.part.high
    # A run has measured it, or threads that wait compute as well.
    for other in (replace(serial, idle=serial.part), replace(serial, holds=(ONE, TOGETHER))):
        assert if_divided(found, book, other) == other


def test_copies_count_in_full_where_the_program_takes_as_long():
    tests = {"one cpu": CALM, "copies": Made(1.5, 3.0)}
    book = ledger(evidence_of(BASE, Made(0.925, 1.5, {"one": 0.35}), tests))
    assert book.value(MACHINE).value == pytest.approx(math.log(1.5), abs=0.01)
    assert book.value(TOGETHER).value == pytest.approx(0, abs=0.01)


def test_without_copies_it_is_open_how_much_slower_divided_work_would_be():
    found = evidence_of(BASE, Made(0.8375, 1.325, {"one": 0.35}))
    book = ledger(found)
    serial = finding("serial part", book.value(ONE).value, (ONE,))
    part = if_divided(found, book, serial).part
    least, most = math.log(1.675 / 1.5), serial.part.value
    assert part.low <= least + 0.01
    assert least < part.value < most
    assert part.high == pytest.approx(serial.part.high, abs=0.01)


def test_a_run_that_something_made_slow_is_no_answer_but_two_of_them_are():
    made = runs(BASE, Made(0.6, 1.2), {"one cpu": CALM}, blocks=6)

    def answers(slow: int) -> int:
        asked = [run for run in made if run.spec.get("test") == "one cpu"]
        late = {run.spec["block"] for run in asked[:slow]}
        changed = [
            replace(run, time_s=1.4 * run.time_s) if run.spec.get("test") and run.spec["block"] in late else run
            for run in made
        ]
        return len(evidence(series_of(changed), 2).tests["one cpu"].runs)

    assert [answers(slow) for slow in (0, 1, 2)] == [6, 5, 6]


def test_what_was_tried_is_no_answer_to_a_question():
    made = runs(BASE, Made(0.75, 1.0, {"one": 0.5}))
    as_tried = [
        replace(run, spec={**run.spec, "role": "remedy", "test": "twice the threads"})
        for run in made
        if run.threads == 2
    ]
    assert not evidence(series_of([*made, *as_tried]), 2).asked
    asked = [replace(run, spec={**run.spec, "role": "more-threads"}) for run in as_tried]
    assert evidence(series_of([*made, *asked]), 2).asked


def test_waits_that_another_allocator_takes_away_are_no_lock_of_the_program():
    tests = {
        "one cpu": CALM,
        "twice the threads": Made(0.75, 1.1, {"few": 0.4}, sleeps=2000),
        "allocator: other": Made(0.52, 1.0, {"few": 0.02}, sleeps=5),
        "allocator: other, base": BASE,
    }
    many = Made(0.75, 1.1, {"few": 0.4}, sleeps=2000)
    assert list(named(evidence_of(BASE, many, tests))) == [("allocator",)]
    lock = {**tests, "allocator: other": many}
    assert list(named(evidence_of(BASE, many, lock))) == [("sleeping lock",)]


def test_a_setting_that_slows_one_thread_takes_nothing_off_the_loss():
    many = Made(0.75, 1.1, {"few": 0.4}, sleeps=2000)
    slower = {"allocator: other": replace(many, sleeps=1900), "allocator: other, base": Made(1.3, 1.3)}
    tests = {"one cpu": CALM, "twice the threads": many, **slower}
    assert list(named(evidence_of(BASE, many, tests))) == [("sleeping lock",)]
    faster = {
        "allocator: other": Made(0.55, 1.0, {"few": 0.1}, sleeps=1900),
        "allocator: other, base": Made(1.05, 1.05),
    }
    assert list(named(evidence_of(BASE, many, {**tests, **faster}))) == [("allocator",)]


def test_threads_that_a_lock_wakes_may_wait_for_a_cpu_as_well():
    def locked(one: float, waiting: float) -> list[tuple[tuple[str, ...], Part]]:
        many = Made(0.535, 1.0, {"one": one, "waiting": waiting}, sleeps=2000)
        tests = {"one cpu": CALM, "twice the threads": many}
        found = evidence_of(BASE, many, tests)
        return [(finding.names, finding.part) for finding in candidates(found, ledger(found))]

    ((names, part),) = locked(0.04, 0.03)
    assert names == ("sleeping lock",)
    assert part.value == pytest.approx(0.04, abs=0.005), "that much is surely the lock's"
    assert part.high > 0.06
    assert locked(0.005, 0.065) == [], "what surely is the lock's is too little"


def test_uneven_work_beside_a_lock_is_named_from_cpu_times_and_smaller_pieces():
    uneven = (0.65, 0.35)
    many = Made(0.9, 1.0, {"few": 0.8}, sleeps=3000, shares=uneven)
    smaller = Made(0.75, 1.0, {"few": 0.5}, sleeps=3000, shares=(0.3, 0.27, 0.23, 0.2))
    tests = {"one cpu": CALM, "twice the threads": smaller}
    found = named(evidence_of(BASE, many, tests))
    assert set(found) == {("imbalance",), ("sleeping lock",)}
    even = replace(many, shares=(0.5, 0.5))
    assert set(named(evidence_of(BASE, even, tests))) == {("sleeping lock",)}
    as_slow = {**tests, "twice the threads": many}
    assert set(named(evidence_of(BASE, many, as_slow))) == {("sleeping lock",)}


def test_a_disk_holds_its_share_of_the_idle_time_and_leaves_the_rest():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=900, disk=0.2)
    one_cpu = Made(1.1, 1.0, sleeps=900, disk=0.2)
    tests = {"one cpu": one_cpu, "twice the threads": Made(0.75, 1.0, {"one": 0.5}, shares=(0.3, 0.27, 0.23, 0.2))}
    found = named(evidence_of(BASE, many, tests))
    assert set(found) == {("I/O",), ("serial part",)}
    assert found["I/O",] == pytest.approx(0.4 * math.log(1.5), abs=0.02)


def test_who_waits_for_a_cpu_after_a_wait_for_the_disk_is_not_asleep():
    many = Made(0.75, 1.0, {"one": 0.25, "waiting": 0.25}, sleeps=900, disk=0.23)
    twice = replace(many, shares=(0.3, 0.27, 0.23, 0.2))
    tests = {"one cpu": Made(1.1, 1.0, sleeps=900, disk=0.2), "twice the threads": twice}
    assert named(evidence_of(BASE, many, tests))["I/O",] == pytest.approx(0.92 * math.log(1.25), abs=0.03)


def test_refilled_caches_are_no_growth_of_the_program():
    beside = {
        "busy cores beside": Made(1.0, 1.0),
        "pirate beside": Made(1.35, 1.35),
        "stream beside": Made(1.4, 1.4),
        "copies": Made(1.5, 3.0),
        "twice the threads": Made(0.75, 1.5),
    }
    found = named(evidence_of(BASE, Made(0.75, 1.5), {**beside, "one cpu": Made(1.1, 1.1)}))
    assert list(found) == [("shared cache",)]
    more = named(evidence_of(BASE, Made(0.95, 1.9), {**beside, "one cpu": Made(1.35, 1.35)}))
    assert ("instruction growth",) in more


def test_what_grows_on_one_cpu_has_to_grow_side_by_side_as_well():
    tests = {"copies": Made(1.0, 2.0), "one cpu": Made(1.2, 1.2), "twice the threads": Made(0.62, 1.2)}
    assert list(named(evidence_of(BASE, Made(0.62, 1.22), tests))) == [("instruction growth",)]
    idle = Made(0.62, 1.0, {"one": 0.24}, shares=(0.5, 0.5))
    assert ("instruction growth",) not in named(evidence_of(BASE, idle, tests))


def test_work_that_grows_in_proportion_while_the_time_falls_is_duplicated_and_else_left_open():
    def four(seconds: tuple[float, float]) -> dict:
        between = {2: Made(seconds[0], 2 * seconds[0])}
        many = Made(seconds[1], 4 * seconds[1])
        tests = {"copies": Made(1.0, 4.0), "one cpu": CALM, "twice the threads": many}
        return named(evidence_of(BASE, many, tests, n=4, between=between, noise=0.001))

    assert list(four((0.6, 0.4))) == [("duplicated work",)], "CPU time 1.2, 1.6"
    assert list(four((1.0, 1.0))) == [("false sharing", "true sharing", "duplicated work")], "a line always in use"


def test_one_block_is_provisional():
    found = explanation(evidence_of(BASE, Made(0.75, 1.0, {"one": 0.5}), {"one cpu": CALM}, blocks=1))
    assert found.status == "provisional"


def test_idle_time_of_the_whole_run_is_none_of_a_phase():
    made = runs(BASE, Made(0.75, 1.0, {"one": 0.5}), {"one cpu": CALM})
    phase = [
        replace(run, spec={**run.spec, "metric": {"phase": "match"}}, record=record("", 1, 2 * run.time_s, 1.0))
        for run in made
    ]
    book = ledger(evidence(series_of(phase), 2))
    assert book.entry(ONE) is None
    assert book.entry("idle or waiting, undivided") is not None


def test_a_setting_explains_as_much_cpu_time_as_it_takes_away():
    book = ledger(evidence_of(BASE, Made(0.9, 1.8), {"one cpu": Made(1.6, 1.6)}))
    collector = replace(finding("garbage collection", 0.1, (ONE, MORE, UNDIVIDED)), idle=Part(0.04, 0.03, 0.05))
    growing = book.value(MORE, UNDIVIDED).value
    assert unexplained(book, []).value == pytest.approx(growing)
    assert unexplained(book, [collector]).value == pytest.approx(growing - 0.06)
    assert unexplained(book, [collector, finding("instruction growth", 0.5, (MORE, UNDIVIDED))]).value == 0.0


@pytest.mark.parametrize("weak_clock", [1.0, 1.25])
def test_counters_divide_cpu_time_into_instructions_cycles_and_clock(weak_clock):
    made = []
    for run in runs(BASE, Made(0.75, 1.5), {"one cpu": CALM}, noise=0.001):
        grown = run.threads == 2 and "test" not in run.spec
        hertz = 3e9 / (weak_clock if grown else 1)
        values = {"instructions": 2e9 * (1.1 if grown else 1), "cycles": hertz * run.cpu_s}
        told = record(run.spec["id"], run.spec["block"], run.time_s, run.cpu_s, counters=values)
        made.append(replace(run, record=told))
    parts = dict(factors(evidence(series_of(made), 2)))
    assert parts["instructions"].value == pytest.approx(math.log(1.1), abs=0.005)
    assert parts["a lower clock"].value == pytest.approx(math.log(weak_clock), abs=0.005)
    assert sum(one.value for one in parts.values()) == pytest.approx(math.log(1.5), abs=0.005)


def test_without_counters_a_loop_beside_busy_cores_tells_of_the_clock():
    found = evidence_of(BASE, Made(0.75, 1.5), {"one cpu": CALM, "busy cores beside": Made(1.2, 1.2)})
    (_, clock), (_, rest) = factors(found)
    assert (clock.value, rest.value) == (
        pytest.approx(math.log(1.2), abs=0.01),
        pytest.approx(math.log(1.25), abs=0.01),
    )
    assert factors(evidence_of(BASE, Made(0.75, 1.5), {"one cpu": CALM})) == []


def test_a_ratio_of_means_has_the_errors_of_both():
    values, others = np.array([1.0, 1.2, 0.8]), np.array([2.0, 2.4, 1.6])
    both, one = over(values, others), over(values, np.array([2.0, 2.0, 2.0]))
    assert both.value == one.value == pytest.approx(0.5)
    assert both.interval.high - both.interval.low > one.interval.high - one.interval.low


def test_a_run_on_one_cpu_that_does_less_divides_nothing():
    tests = {"copies": Made(1.0, 2.0), "twice the threads": Made(0.7, 1.2)}
    book = ledger(evidence_of(BASE, Made(0.7, 1.2), {**tests, "one cpu": Made(0.6, 0.6)}))
    assert book.entry(MORE) is None
    assert book.value(UNDIVIDED).value == pytest.approx(math.log(1.2), abs=0.01)
    same = ledger(evidence_of(BASE, Made(0.7, 1.2), {**tests, "one cpu": CALM}))
    assert same.entry(MORE) is not None
