"""Idle thread-seconds by class: they add up to what threads did not compute, from records and from samples."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from made_up.play import play
from made_up.write import record
from test_made_up import BARE, MACHINE

from knee.store.records.idle import idle_of


def found(threads: int, *, switches: bool = True, cpus: list[int] | None = None, **fields: float):
    spec = {"id": "1", "block": 1, "threads": threads, "cpus": cpus or list(range(threads))}
    spec["program"] = {"command": ["p"]}
    course = play(MACHINE, replace(BARE, **fields), spec)
    made = record(spec, course, 1.0, MACHINE, switches=switches)
    return idle_of(made, threads), threads * made["wall_ns"] / 1e9 - (made["user_ns"] + made["system_ns"]) / 1e9


@pytest.mark.parametrize("threads", [1, 2, 5, 8])
@pytest.mark.parametrize("field", ["serial", "imbalance", "lock", "interpreter", "allocator", "growth"])
def test_classes_add_up_to_what_was_not_computed(field, threads):
    idle, missing = found(threads, **{field: 0.3})
    assert idle.total == pytest.approx(missing, abs=1e-6)
    assert idle.source == "records"


@pytest.mark.parametrize("field", ["serial", "imbalance", "lock"])
def test_samples_say_the_same_within_their_error(field):
    (records, _), (samples, missing) = (found(4, switches=which, **{field: 0.3}) for which in (True, False))
    assert samples.source == "samples"
    assert samples.total == pytest.approx(missing, rel=0.02, abs=0.1)
    for name in ("nobody", "one", "few"):
        assert getattr(samples, name) == pytest.approx(getattr(records, name), rel=0.02, abs=0.1)


def test_a_serial_part_is_time_of_one_thread():
    idle, missing = found(4, serial=0.25)
    assert idle.one == pytest.approx(missing) == 3 * 2.5
    assert idle.alone.share == pytest.approx(1)
    assert idle.alone.intervals == 1
    assert not idle.alone.helper


@pytest.mark.parametrize(("computed_ms", "own"), [(105, 0.952), (98, 1.0), (400, 0.25), (60, math.nan)])
def test_it_is_known_how_much_of_its_cpu_time_a_thread_was_alone(computed_ms, own):
    profile = {"running_ns": [0, 10**8, 10**8], "runnable_ns": [0, 10**8, 10**8]}
    profile["alone"] = {"tid": 7, "most_ns": 10**8, "intervals": 3, "median_ns": 10**7, "longest_ns": 10**7}
    thread = {"tid": 7, "cpu_ns": computed_ms * 10**6, "run_delay_ns": 0}
    made = {"wall_ns": 2 * 10**8, "observed_threads": [thread], "switches": {"concurrency": profile}}
    idle = idle_of(made, 2)
    assert idle.alone.own == pytest.approx(own, abs=0.001, nan_ok=True), "the last part of a short one is missing"


def test_a_collector_is_a_helper_that_works_alone():
    idle, _ = found(4, collector=0.2)
    assert idle.alone.helper
    assert idle.alone.intervals > 100


def test_threads_that_share_a_cpu_wait():
    idle, missing = found(4, cpus=[0])
    assert idle.waiting == pytest.approx(missing)
    assert idle.one == idle.few == idle.nobody == 0


def test_of_more_threads_those_that_are_woken_together_wait_for_each_other():
    # One works alone for 0.1 s; then four share two cpus for 0.1 s, and two of them always wait.
    profile = {"running_ns": [0, 10**8, 10**8], "runnable_ns": [0, 10**8, 10**8]}
    threads = [{"tid": tid, "cpu_ns": 10**7, "run_delay_ns": 5 * 10**7} for tid in range(4)]
    made = {"wall_ns": 2 * 10**8, "observed_threads": threads, "switches": {"concurrency": profile}}
    assert (idle_of(made, 2, 4).one, idle_of(made, 2, 4).waiting) == (pytest.approx(0.1), 0)
    assert idle_of(made, 2).waiting == pytest.approx(0.1), "of two threads those that were woken wait for a cpu"


def test_without_any_sign_nothing_is_known():
    assert idle_of({"observed_threads": [], "wall_ns": 1}, 2) is None


def test_threads_without_a_number_or_with_text_for_one_are_left_out():
    profile = {"running_ns": [0, 10**8], "runnable_ns": [0, 10**8]}
    profile["alone"] = {"tid": 7, "most_ns": 10**8, "intervals": 3, "median_ns": 10**7, "longest_ns": 10**7}
    threads = [{}, {"tid": "x", "cpu_ns": "y"}, {"tid": 7, "cpu_ns": "z"}]
    made = {"wall_ns": 10**8, "observed_threads": threads, "switches": {"concurrency": profile}}
    assert math.isnan(idle_of(made, 1).alone.own)
