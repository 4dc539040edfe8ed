"""What goroutines wait for tells causes apart that threads' sleep does not."""

import math
from dataclasses import replace

import pytest
from told import Made, evidence_of, named

from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
OFTEN = 4000
FOUR = (0.3, 0.27, 0.23, 0.2)


def goroutines(at_locks: int, waits: dict[tuple[str, str], int], functions: dict[str, tuple[int, int]]) -> dict:
    """Return what a record says of 20 idle processors among 80."""
    return {
        "samples": 40,
        "processors": 80,
        "idle": 20,
        "collecting": 0,
        "at_locks": at_locks,
        "waits": [
            {"function": function, "reason": reason, "goroutines": many} for (function, reason), many in waits.items()
        ],
        "functions": [
            {"function": name, "alone": alone, "beside": beside, "goroutines": 2}
            for name, (alone, beside) in functions.items()
        ],
    }


def idle(one: dict, sleeps: int = OFTEN, shares: tuple[float, ...] = (0.5, 0.5)) -> Made:
    """Return a run of two threads in which one processor is idle for half of the work."""
    return Made(0.75, 1.0, {"one": 0.5}, sleeps, shares=shares, goroutines=one)


AT_LOCKS = goroutines(18, {("main.work", "sync.RWMutex.Lock"): 18}, {"main.work": (20, 20)})
IN_TURN = goroutines(0, {("main.work", "chan send"): 20}, {"main.work": (20, 20)})
FIRST_ALONE = goroutines(0, {}, {"runtime.main": (20, 0), "main.work": (0, 40)})


def test_goroutines_that_wait_for_locks_are_told_where_threads_sleep_as_often_on_one_cpu():
    tests = {"one cpu": Made(1.0, 1.0, sleeps=OFTEN), "twice the threads": idle(AT_LOCKS, shares=FOUR)}
    found = named(evidence_of(BASE, idle(AT_LOCKS), tests))
    assert found == {("sleeping lock",): pytest.approx(0.9 * math.log(1.5), abs=0.03)}
    unknown = replace(idle(AT_LOCKS), goroutines={"unavailable": "refused"})
    assert ("sleeping lock",) not in named(evidence_of(BASE, unknown, tests))


def test_no_lock_holds_idle_time_that_twice_the_threads_fill():
    tests = {"one cpu": Made(1.0, 1.0, sleeps=OFTEN), "twice the threads": Made(0.55, 1.0, {"one": 0.1}, shares=FOUR)}
    assert ("sleeping lock",) not in named(evidence_of(BASE, idle(AT_LOCKS), tests))


def test_a_goroutine_that_nobody_waits_for_has_a_serial_part_however_often_threads_sleep():
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": idle(FIRST_ALONE, shares=FOUR)}
    found = named(evidence_of(BASE, idle(FIRST_ALONE), tests))
    assert found == {("serial part",): pytest.approx(math.log(1.5), abs=0.03)}
    in_turn = {**tests, "twice the threads": idle(IN_TURN, shares=FOUR)}
    assert list(named(evidence_of(BASE, idle(IN_TURN), in_turn))) == [("sleeping lock",)]


def test_goroutines_that_wait_for_what_another_sends_wait_for_no_lock():
    few = {"runtime.main": (1, 1), "main.work": (20, 60)}
    for waits in ({("main.work", "chan receive"): 20}, {("runtime.main", "chan receive"): 20}):
        one = goroutines(0, waits, few)
        tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": idle(one, shares=FOUR)}
        assert ("sleeping lock",) not in named(evidence_of(BASE, idle(one), tests))


def test_goroutines_of_many_functions_wait_for_each_others_locks():
    functions = {f"main.stage{number}": (2, 6) for number in range(12)}
    waits = {(name, "chan send"): 4 for name in functions}
    one = goroutines(0, waits, functions)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": idle(one, shares=FOUR)}
    assert list(named(evidence_of(BASE, idle(one), tests))) == [("sleeping lock",)]


def test_the_same_goroutine_alone_is_a_serial_part_whichever_threads_run_it():
    # Pieces that are shorter than a turn of the scheduler look like a part that nobody divided.
    short = Alone(0.2, 250, 0.002, helper=False, own=0.5)
    many, twice = (replace(idle(FIRST_ALONE, 4, shares), alone=short) for shares in ((0.5, 0.5), FOUR))
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": twice}
    assert list(named(evidence_of(BASE, many, tests))) == [("serial part",)]
    assert named(evidence_of(BASE, replace(many, goroutines=None), tests)) == {}


def test_a_goroutine_that_shares_the_work_has_no_serial_part_of_the_same_code():
    # Pieces that are too large leave as much idle time with twice the threads.
    work = dict.fromkeys((f"work+{at}" for at in range(0, 640, 64)), 60)
    sampled = Made(1.0, 1.0, spots=work, spots_alone=dict.fromkeys(work, 20))
    shared = goroutines(0, {}, {"main.work": (40, 20)})
    by_main = goroutines(0, {}, {"runtime.main": (40, 20), "main.work": (0, 40)})
    by_main["functions"][0]["goroutines"] = 1
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "hot spots": sampled}

    def causes(one: dict) -> list:
        return list(named(evidence_of(BASE, idle(one, 4), tests | {"twice the threads": idle(one, 4, FOUR)})))

    assert causes(shared) == [("too few tasks", "imbalance")]
    assert causes(by_main) == []
    assert causes(FIRST_ALONE) == [("serial part",)]
