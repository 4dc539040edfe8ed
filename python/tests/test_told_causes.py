"""Causes on evidence with known answers: named where both signs are there, and not where one is missing."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from told import Made, evidence_of, named, runs, series_of

from knee.explain.causes.cause import Part
from knee.explain.evidence.evidence import evidence
from knee.explain.ledger.explanation import explanation
from knee.explain.ledger.ledger import ledger
from knee.explain.signs.idle.alone import alone
from knee.report.tables.why import doubts, left_out
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
CALM_ONE_CPU = Made(1.0, 1.0, sleeps=4)


def waits(seconds: float, one: float, sleeps: int = 10, shares: tuple[float, ...] = (0.5, 0.5)) -> Made:
    """Return a run of two threads in which one waits for the other this long."""
    return Made(seconds, 2 * seconds - one, {"one": one}, sleeps, shares=shares)


UNEVEN = (0.75, 0.25)
FOUR = (0.3, 0.27, 0.23, 0.2)


def test_a_part_that_twice_the_threads_leave_as_long_is_serial():
    # Half a second is divided, half is not.
    found = evidence_of(
        BASE,
        waits(0.75, 0.5, shares=UNEVEN),
        {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)},
    )
    assert named(found) == {("serial part",): pytest.approx(math.log(1.5), abs=0.02)}


@pytest.mark.parametrize(("shares", "is_serial"), [((0.53, 0.47), True), ((0.5, 0.5), False)])
def test_without_records_a_serial_part_is_known_by_the_cpu_time_of_its_thread(shares, is_serial):
    many = Made(0.57, 1.0, {"one": 0.14}, 10, shares=shares)
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": replace(many, shares=FOUR)}
    assert (("serial part",) in named(evidence_of(BASE, many, tests))) == is_serial


def test_a_large_piece_of_the_work_is_alone_for_longer_with_twice_the_threads():
    """It has most of the work, and others share its cpu until they have ended."""
    twice = Made(0.72, 1.0, {"one": 0.44}, 10, shares=(0.56, 0.2, 0.13, 0.11))
    many = Made(0.56, 1.0, {"one": 0.12}, 10, shares=(0.56, 0.44))
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": twice}
    assert list(named(evidence_of(BASE, many, tests))) == [("imbalance",)]
    more = {**tests, "twice the threads": replace(twice, cpu=1.2)}
    assert ("imbalance",) not in named(evidence_of(BASE, many, more)), "what is merged grows with the threads"


def test_five_equal_pieces_leave_no_serial_part_in_code_that_all_execute():
    """Twice the threads take four of them at once, and one is left, as with two."""
    twice = Made(0.6, 1.0, {"one": 0.2}, 10, shares=(0.4, 0.2, 0.2, 0.2))
    many = Made(0.6, 1.0, {"one": 0.2}, 10, shares=(0.6, 0.4))
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": twice}
    assert list(named(evidence_of(BASE, many, tests))) == [("serial part",)]
    work = dict.fromkeys((f"work+{at}" for at in range(0, 640, 64)), 60)
    sampled = Made(0.6, 1.0, spots=work, spots_alone=dict.fromkeys(work, 20))
    assert ("serial part",) not in named(evidence_of(BASE, many, tests | {"hot spots": sampled}))


def test_waiting_that_twice_the_threads_fill_is_imbalance():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.55, 0.1, shares=FOUR)}
    found = evidence_of(BASE, waits(0.75, 0.5, shares=UNEVEN), tests)
    assert named(found) == {("imbalance",): pytest.approx(math.log(1.5), abs=0.02)}
    even = evidence_of(BASE, waits(0.75, 0.5), tests)
    assert named(even) == {}, "all threads have the same work, so it is something else that they wait for"


@pytest.mark.parametrize("cpu", [1.0, 1.4], ids=["one cpu is faster", "they slow each other down"])
def test_threads_that_have_as_much_to_do_on_one_cpu_do_not_get_unequal_work(cpu):
    twice = Made(0.55 * cpu, cpu, {"one": 0.1}, 10, shares=FOUR)
    many = Made((cpu + 0.5) / 2, cpu, {"one": 0.5}, 10, shares=UNEVEN)

    def names(shares: tuple[float, ...]) -> list:
        tests = {"one cpu": replace(CALM_ONE_CPU, shares=shares), "copies": Made(1.0, 2.0), "twice the threads": twice}
        return [one for one in named(evidence_of(BASE, many, tests)) if "imbalance" in one]

    assert names((0.502, 0.498)) == []
    assert names(UNEVEN) == [("imbalance",)]


def test_unequal_pieces_that_are_no_more_with_twice_the_threads_are_imbalance():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=(0.74, 0.25, 0.01))}
    assert list(named(evidence_of(BASE, waits(0.75, 0.5, shares=UNEVEN), tests))) == [("imbalance",)]
    assert named(evidence_of(BASE, waits(0.75, 0.5), tests)) == {}, "equal pieces leave nobody waiting"


@pytest.mark.parametrize(
    ("places", "names"),
    [
        ((1, 2), [("imbalance",)]),
        ((0, 1), [("serial part",)]),
        ((1, 1), [("serial part",)]),
        ((math.nan, math.nan), [("serial part",)]),
    ],
)
def test_the_last_of_unequal_pieces_goes_to_another_thread_in_each_run(places, names):
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=(0.64, 0.13, 0.12, 0.11))}
    made = runs(BASE, waits(0.75, 0.5, shares=UNEVEN), tests)
    alone = [Alone(1.0, 1, 0.5, helper=False, own=0.7, place=places[run.spec["block"] % 2]) for run in made]
    seen = [replace(run, idle=replace(run.idle, alone=one)) for run, one in zip(made, alone, strict=True)]
    assert list(named(evidence(series_of(seen), 2))) == names


@pytest.mark.parametrize(
    ("share", "left", "sleeps", "names"),
    [
        (0.5, 0.1, 10, [("too few tasks", "imbalance")]),
        (0.9, 0.1, 10, []),
        (0.5, 0.3, 10, []),
        (0.5, 0.1, 900, [("sleeping lock",)]),
    ],
)
def test_threads_may_have_most_work_in_turn(share, left, sleeps, names):
    many, twice = waits(0.75, 0.5, sleeps), waits(0.5 + left / 2, left, shares=FOUR)
    many.alone = twice.alone = Alone(share, 10, 0.1, helper=False, own=0.5)
    found = evidence_of(BASE, many, {"one cpu": CALM_ONE_CPU, "twice the threads": twice})
    assert list(named(found)) == names


def test_threads_that_hardly_compute_say_nothing_of_how_work_is_divided():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.95, 0.9, shares=(0.96, 0.04, 0.0, 0.0))}
    assert list(named(evidence_of(BASE, waits(0.95, 0.9, shares=(0.96, 0.04)), tests))) == [("serial part",)]


@pytest.mark.parametrize(
    ("all_threads", "twice", "names"),
    [
        ((0.6, 0.4), (0.4, 0.2, 0.2, 0.2), [("too few tasks",)]),
        ((0.65, 0.33, 0.02), (0.32, 0.35, 0.32, 0.01), [("too few tasks",)]),
        ((0.56, 0.44), (0.37, 0.24, 0.2, 0.19), [("too few tasks", "imbalance")]),
        ((0.645, 0.355), (0.38, 0.268, 0.19, 0.162), [("imbalance",)]),
        ((0.7, 0.3), (0.44, 0.31, 0.19, 0.06), [("imbalance",)]),
        ((0.75, 0.25), (0.74, 0.25, 0.005, 0.005), [("imbalance",)]),
        # A program that has no more threads than cpus is the same run, whatever it is told.
        ((0.75, 0.25), (0.75, 0.25), []),
    ],
)
def test_the_number_of_pieces_shows_in_cpu_times_of_all_and_of_twice_the_threads(all_threads, twice, names):
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.55, 0.1, shares=twice)}
    assert list(named(evidence_of(BASE, waits(0.75, 0.5, shares=all_threads), tests))) == names


def test_a_program_that_is_not_told_its_threads_does_not_change_with_twice_as_many():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    found = evidence_of(BASE, waits(0.75, 0.5), tests)
    for run in found.many.runs:
        run.spec["program"]["command"] = ["p"]
    assert named(found) == {}


def test_both_share_the_loss_where_a_part_of_it_stays():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.70, 0.38, shares=FOUR)}
    found = evidence_of(BASE, waits(0.75, 0.5, shares=UNEVEN), tests)
    parts = named(found)
    assert set(parts) == {("serial part",), ("imbalance",)}
    assert sum(parts.values()) == pytest.approx(math.log(1.5), abs=0.02)


@pytest.mark.parametrize("missing", ["one cpu", "twice the threads"])
def test_without_the_run_that_would_tell_nothing_is_named(missing):
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    del tests[missing]
    assert named(evidence_of(BASE, waits(0.75, 0.5), tests)) == {}


def test_a_lock_is_passed_on_far_more_often_than_on_one_cpu():
    many = waits(0.75, 0.5, sleeps=4000)
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, sleeps=4000, shares=FOUR)}
    assert list(named(evidence_of(BASE, many, tests))) == [("sleeping lock",)]
    often = {**tests, "one cpu": Made(1.0, 1.0, sleeps=3500)}
    assert ("sleeping lock",) not in named(evidence_of(BASE, many, often)), "the waits are there on one cpu, too"


@pytest.mark.parametrize(("threads", "timed", "is_named"), [(2, 0, True), (1, 0, False), (2, 9, False)])
def test_a_lock_that_is_held_for_as_long_as_a_turn_is_waited_for_on_one_cpu_too(threads, timed, is_named):
    at = {"asleep": 30, "waits": 30, "timed": timed, "hottest": [{"waits": 30, "timed": timed, "threads": threads}]}
    many = Made(0.7, 1.0, {"one": 0.4}, sleeps=1_000, futex=at)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=600), "twice the threads": replace(many, futex=None)}
    assert (("sleeping lock",) in named(evidence_of(BASE, many, tests))) == is_named


@pytest.mark.parametrize(
    ("with_all", "with_twice", "names"),
    [
        (0.45, 1.2, [("sleeping lock",)]),
        (0.45, 0.45, []),
        (0.1, 0.3, [("imbalance",)]),
        (None, None, [("imbalance",)]),
    ],
)
def test_waits_for_locks_on_files_are_a_lock_where_twice_the_threads_wait_longer(with_all, with_twice, names):
    many, twice = waits(0.75, 0.5, shares=UNEVEN), waits(0.6, 0.2, shares=FOUR)
    many.file_locks, twice.file_locks = with_all, with_twice
    found = evidence_of(BASE, many, {"one cpu": CALM_ONE_CPU, "twice the threads": twice})
    assert list(named(found)) == names


def test_in_an_interpreter_a_lock_is_named_only_after_the_run_that_tells_whose_it_is():
    many = waits(0.75, 0.5, sleeps=4000)
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, sleeps=4000, shares=FOUR)}
    python = {"programs": ["/usr/bin/python3.11"], "libraries": []}
    assert named(evidence_of(BASE, many, tests, mapped=python)) == {}


PYTHON = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}


def test_a_thread_that_hands_out_work_hides_no_lock_among_those_that_do_it():
    # It sleeps as often on one cpu, and so do all threads together.
    idle = waits(0.75, 0.5, sleeps=4000)
    seen, alone = replace(idle, own_sleeps=1500), Made(1.0, 1.0, sleeps=3000, own_sleeps=20)
    tests = {"one cpu": alone, "twice the threads": waits(0.75, 0.5, shares=FOUR), "switches": seen}
    assert list(named(evidence_of(BASE, idle, tests))) == [("sleeping lock",)]
    unknown = {**tests, "switches": idle}
    assert ("sleeping lock",) not in named(evidence_of(BASE, idle, unknown))


def at_futex(timed: int = 40, threads: int = 2, elsewhere: int = 3) -> dict:
    """Return what the record of a run says of 40 waits at one futex, and some at another."""
    hot = {"pid": 7, "address": "0x7f00", "waits": 40, "timed": timed, "threads": threads}
    other = {"pid": 7, "address": "0x7f40", "waits": elsewhere, "timed": 0, "threads": threads}
    joins = {"pid": 7, "address": "0x5500", "waits": 90, "timed": 0, "threads": 1}
    waits = 130 + elsewhere
    return {"asleep": waits + 5, "waits": waits, "timed": timed, "hottest": [joins, hot, other]}


def in_turn(futex: dict, seconds: float = 1.0) -> tuple[Made, dict[str, Made]]:
    """Return runs of two threads that take turns for so many seconds, and runs that change one thing."""
    many = Made(seconds, 1.0, {"one": 2 * seconds - 1}, 4000, futex=futex)
    return many, {"one cpu": CALM_ONE_CPU, "twice the threads": many}


def test_turns_at_one_futex_with_a_time_limit_are_an_interpreters_lock():
    many, tests = in_turn(at_futex())
    assert named(evidence_of(BASE, many, tests, mapped=PYTHON)) == {
        ("interpreter lock",): pytest.approx(math.log(2), abs=0.02)
    }
    assert list(named(evidence_of(BASE, many, tests))) == [("sleeping lock",)], "no interpreter is there"


def test_long_turns_are_as_many_on_one_cpu_and_no_serial_part():
    many, tests = in_turn(at_futex())
    often = {**tests, "one cpu": Made(1.0, 1.0, sleeps=3500)}
    assert named(evidence_of(BASE, many, often, mapped=PYTHON)) == {}
    assert list(named(evidence_of(BASE, many, often))) == [("serial part",)], "no interpreter is there"
    turns = "interpreter lock: longer turns"
    fewer = {**often, turns: Made(1.0, 1.0, {"one": 1.0}, 400), f"{turns}, base": BASE}
    assert list(named(evidence_of(BASE, many, fewer, mapped=PYTHON))) == [("interpreter lock",)]


@pytest.mark.parametrize(
    "futex",
    [at_futex(timed=4), at_futex(threads=1), at_futex(elsewhere=20), {"unavailable": "refused"}],
    ids=["no time limit", "a futex for each thread", "several futexes", "not known"],
)
def test_other_waits_in_an_interpreter_are_not_its_lock(futex):
    many, tests = in_turn(futex)
    assert ("interpreter lock",) not in named(evidence_of(BASE, many, tests, mapped=PYTHON))


def test_an_interpreters_lock_keeps_no_two_cpus_busy():
    many, tests = in_turn(at_futex(), seconds=0.75)
    assert named(evidence_of(BASE, many, tests, mapped=PYTHON)) == {}


def test_the_run_with_longer_turns_decides_where_it_was_made():
    many, tests = in_turn(at_futex())
    turns = "interpreter lock: longer turns"
    fewer = {**tests, turns: Made(1.0, 1.0, {"one": 1.0}, 400), f"{turns}, base": BASE}
    assert list(named(evidence_of(BASE, many, fewer, mapped=PYTHON))) == [("interpreter lock",)]
    as_many = {**tests, turns: many, f"{turns}, base": BASE}
    assert ("interpreter lock",) not in named(evidence_of(BASE, many, as_many, mapped=PYTHON))


def test_threads_that_spin_take_longer_where_threads_outnumber_cpus():
    spins = Made(0.75, 1.5)
    tests = {
        "one cpu": Made(1.4, 1.4, sleeps=4),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made(1.1, 2.2),
    }
    assert list(named(evidence_of(BASE, spins, tests))) == [("spinning",)]
    flat = {**tests, "twice the threads": Made(0.75, 1.5)}
    assert ("spinning",) not in named(evidence_of(BASE, spins, flat))
    for collecting, is_named in ((2, True), (30, False)):
        collects = replace(spins, goroutines={"processors": 100, "collecting": collecting})
        found = named(evidence_of(BASE, collects, tests))
        assert (("spinning",) in found) == is_named, "a collector may do that work"


@pytest.mark.parametrize(
    ("cpu", "why", "names"),
    [
        (1.5, "stopped after 7.5 s", [("spinning",)]),
        (1.5, "exit status 3", []),
        (1.0, "stopped after 7.5 s", []),
    ],
)
def test_threads_that_never_end_where_they_outnumber_cpus_spin(cpu, why, names):
    found = evidence_of(BASE, Made(0.75, cpu), {"copies": Made(1.0, 2.0)})
    found.failed["twice the threads"] = (2, why)
    assert list(named(found)) == names


@pytest.mark.parametrize(("longest_s", "names"), [(0.1, [("serial part",)]), (0.002, [])])
def test_what_takes_less_than_a_turn_of_the_scheduler_may_be_a_piece_that_waits_for_its_turn(longest_s, names):
    many, twice = waits(0.75, 0.5, shares=(0.5, 0.5)), waits(0.75, 0.5, shares=(0.25,) * 4)
    many.alone = twice.alone = Alone(0.6, 250, longest_s, helper=False, own=0.5)
    assert list(named(evidence_of(BASE, many, {"one cpu": CALM_ONE_CPU, "twice the threads": twice}))) == names
    many.alone = Alone(0.9, 250, longest_s, helper=False, own=0.5)
    same = evidence_of(BASE, many, {"one cpu": CALM_ONE_CPU, "twice the threads": twice})
    assert list(named(same)) == [("serial part",)], "the main thread prepares each step"


def test_what_grows_only_side_by_side_leaves_three_causes():
    shares = Made(0.75, 1.5)
    tests = {"one cpu": CALM_ONE_CPU, "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.5)}
    (names,) = named(evidence_of(BASE, shares, tests))
    assert names == ("false sharing", "true sharing", "duplicated work")
    slow_copies = {**tests, "copies": Made(1.5, 3.0)}
    assert named(evidence_of(BASE, shares, slow_copies)) == {}, "copies slow down alike: it is the machine"


def test_what_grows_on_one_cpu_is_the_programs_own():
    more = Made(0.75, 1.5)
    tests = {"one cpu": Made(1.5, 1.5, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.5)}
    assert named(evidence_of(BASE, more, tests)) == {("instruction growth",): pytest.approx(math.log(1.5), abs=0.02)}
    only_there = evidence_of(BASE, Made(0.5, 1.0), tests)
    assert named(only_there) == {}, "what grows only on one cpu costs nothing"


def test_threads_that_wait_actively_are_imbalanced_not_busy():
    # Half of the wait is spent looking for work; twice the threads sleep at once, and pieces are smaller.
    many = Made(0.75, 1.25, {"one": 0.25}, sleeps=10)
    tests = {
        "one cpu": Made(1.0, 1.0, {"one": 0.5}, sleeps=20),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made(0.52, 1.01, {"one": 0.03}, sleeps=20),
    }
    openmp = {"programs": [], "libraries": ["libgomp.so.1.0.0"]}
    whole = pytest.approx(math.log(1.5), abs=0.03)
    assert not named(evidence_of(BASE, many, tests, mapped=openmp)), "the run in which they sleep is missing"
    passive = "spinning: passive waiting"
    same = {**tests, passive: Made(0.75, 1.0, {"one": 0.5}), f"{passive}, base": BASE}
    assert named(evidence_of(BASE, many, same, mapped=openmp)) == {("imbalance",): whole}
    asleep = {**tests, passive: Made(0.6, 1.1, {"one": 0.1}), f"{passive}, base": BASE}
    assert list(named(evidence_of(BASE, many, asleep, mapped=openmp))) == [("spinning",)], "it is faster if they sleep"
    # Threads that share cache lines may do so less often with twice the threads, and compute as long if told to sleep.
    busy, computing = Made(0.625, 1.25, sleeps=10), {**tests, passive: Made(0.62, 1.24), f"{passive}, base": BASE}
    assert list(named(evidence_of(BASE, busy, same, mapped=openmp))) == [("imbalance",)]
    assert ("imbalance",) not in named(evidence_of(BASE, busy, computing, mapped=openmp))


@pytest.mark.parametrize(
    ("library", "cpu", "is_named"),
    [("libgomp.so.1.0.0", 1.4, True), ("libomp.so.5", 1.4, False), ("libgomp.so.1.0.0", 1.1, False)],
    ids=["its threads would sleep", "those of another one would not", "most of it goes"],
)
def test_lines_are_named_of_openmp_where_threads_that_would_sleep_compute_as_long(library, cpu, is_named):
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=20),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made(cpu / 2, cpu, sleeps=20, shares=FOUR),
    }
    found = named(evidence_of(BASE, Made(0.7, 1.4), tests, mapped={"programs": [], "libraries": [library]}))
    assert list(found) == ([("false sharing", "true sharing", "duplicated work")] if is_named else [])


@pytest.mark.parametrize(("disk", "more", "growth"), [(0.3, 0.06, False), (0.3, 0.2, True), (0.0, 0.06, True)])
def test_what_asking_a_disk_costs_is_no_growth_of_the_program(disk, more, growth):
    # 3,000 waits of 20 and of 67 microseconds.
    many = Made(0.65, 1.0 + more, {"one": 0.3 - more}, sleeps=3000, disk=disk, shares=(0.5, 0.5))
    one_cpu = Made(1.1 + more, 1.0 + more, sleeps=3000, disk=disk)
    tests = {"one cpu": one_cpu, "copies": Made(1.0, 2.0), "twice the threads": replace(many, shares=FOUR)}
    found = named(evidence_of(BASE, many, tests))
    assert (("instruction growth",) in found) == growth
    assert (("I/O",) in found) == (disk > 0)


@pytest.mark.parametrize(("sleeps", "is_held"), [(15_000, True), (9_000, False)])
def test_a_lock_holds_cpu_time_that_is_as_little_for_each_wait_as_usual(sleeps, is_held):
    # 0.4 s grow outside of the kernel: 27 and 44 microseconds for each of many waits.
    many = Made(0.75, 1.4, {"one": 0.1}, sleeps=sleeps, shares=(0.5, 0.5))
    twice = Made(0.75, 1.4, {"one": 0.1}, sleeps=sleeps, shares=FOUR)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=60), "copies": Made(1.0, 2.0), "twice the threads": twice}
    found = evidence_of(BASE, many, tests)
    whole = math.log(1.5) if is_held else math.log(1.5 / 1.4)
    assert named(found)["sleeping lock",] == pytest.approx(whole, abs=0.02)


def test_the_page_says_which_runs_are_left_out_and_that_causes_are_left():
    left = [SimpleNamespace(series="a", threads=n, left_out=1, left_out_said=f"{n} runs", why="") for n in range(2, 6)]
    finding = SimpleNamespace(left=("false sharing", "true sharing"))
    few, many = (SimpleNamespace(ledgers={"a": some}, findings=[finding], scales=True) for some in (left[:2], left))
    assert left_out(few) == ["a, 2 threads: 2 runs", "a, 3 threads: 3 runs"]
    what = "Runs that other programs or a changing clock disturbed"
    said = f"{what} are left out at 4 of 4 points of the curves: 1.0 at each, on average"
    assert left_out(many) == [said]
    assert doubts(few) == ["the causes that are left are not told apart here"]
    few.findings.clear()
    assert doubts(few) == ["its parts need CPU times"]


GC = "garbage collection: no garbage collection (Go)"


def test_a_collector_is_named_where_the_loss_goes_without_it():
    many = waits(0.75, 0.5, sleeps=1000)
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=4),
        "twice the threads": waits(0.75, 0.5, sleeps=1000, shares=FOUR),
        GC: Made(0.42, 0.8, sleeps=10),
        f"{GC}, base": Made(0.8, 0.8),
    }
    assert named(evidence_of(BASE, many, tests)) == {
        ("garbage collection",): pytest.approx(math.log(0.75) - math.log(0.42 / 0.8), abs=0.02)
    }
    neutral = {**tests, GC: Made(0.6, 1.1, sleeps=900), f"{GC}, base": Made(0.8, 0.8)}
    assert list(named(evidence_of(BASE, many, neutral))) == [("sleeping lock",)], "it gains as much at one thread"


def test_idle_time_that_goes_while_the_run_takes_longer_is_no_collectors():
    """Without a collector its program computes more, so it is idle for a smaller share."""
    many = waits(0.75, 0.5, sleeps=1000)
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=900),
        "twice the threads": waits(0.75, 0.5, sleeps=1000, shares=FOUR),
        GC: Made(1.0, 1.6, {"one": 0.4}, sleeps=10),
        f"{GC}, base": Made(1.3, 1.3),
    }
    assert ("garbage collection",) not in named(evidence_of(BASE, many, tests))


@pytest.mark.parametrize(("left", "times"), [(0.0, 1.0), (0.12, 1 / 0.6), (0.29, 1.0)])
def test_a_collector_that_still_collects_costs_in_proportion(left, times):
    heap = "garbage collection: four times the heap (Java)"
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=1000, collector=0.3)
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=4),
        "twice the threads": replace(many, shares=FOUR),
        heap: Made(0.6, 1.0, {"one": 0.2}, sleeps=400, collector=left),
        f"{heap}, base": BASE,
    }
    # Where nearly all of it is left, that does not tell.
    expected = pytest.approx(times * math.log(0.75 / 0.6), abs=0.02)
    assert named(evidence_of(BASE, many, tests))["garbage collection",] == expected


def test_another_allocator_tells_whether_malloc_is_the_lock():
    many, jemalloc = waits(0.75, 0.5, sleeps=4000), "allocator: jemalloc as allocator"
    tests = {
        "one cpu": CALM_ONE_CPU,
        "twice the threads": waits(0.75, 0.5, sleeps=4000, shares=FOUR),
        jemalloc: Made(0.52, 1.0),
        f"{jemalloc}, base": Made(1.0, 1.0),
    }
    assert list(named(evidence_of(BASE, many, tests))) == [("allocator",)]


def test_page_faults_need_time_in_the_kernel():
    kept = "page faults: kept memory"
    many = Made(0.75, 1.5, system=0.5, faults=90_000)
    tests = {kept: Made(0.5, 1.0), f"{kept}, base": Made(1.0, 1.0)}
    assert list(named(evidence_of(BASE, many, tests))) == [("page faults",)]
    assert named(evidence_of(BASE, Made(0.75, 1.5), tests)) == {}


def of_four(inflation: float, **more: object) -> Made:
    """Return a run of four threads whose CPU time grew by this factor."""
    return Made(inflation / 4, inflation, **more)


def four_threads(many: Made, tests: dict[str, Made]) -> dict[tuple[str, ...], float]:
    calm = {"one cpu": CALM_ONE_CPU, "copies": Made(1.0, 4.0, threads=4), "twice the threads": many}
    return named(evidence_of(BASE, many, {**calm, **tests}, n=4))


def test_siblings_cost_what_copies_lose_beyond_a_core_each():
    tests = {"copies": Made(1.5, 6.0, threads=4), "copies on cores": Made(1.0, 2.0, threads=2)}
    assert four_threads(of_four(1.5), tests) == {("SMT sharing",): pytest.approx(math.log(1.5), abs=0.02)}
    # Copies with a core each are as slow: the machine has some other limit.
    assert four_threads(of_four(1.5), {**tests, "copies on cores": Made(1.5, 3.0, threads=2)}) == {}


SPREAD = {"0": 500, "1": 500}


def test_distance_is_named_where_interleaving_changes_nothing():
    many = of_four(1.4, pages=SPREAD)
    tests = {"copies with spread memory": Made(1.4, 5.6, threads=4), "interleaved memory": of_four(1.41)}
    assert four_threads(many, tests) == {("NUMA distance",): pytest.approx(math.log(1.4), abs=0.02)}
    near = {**tests, "interleaved memory": of_four(1.9)}
    assert ("NUMA distance",) not in four_threads(many, near), "its threads use memory of their own nodes"


def test_one_node_with_all_pages_is_named_where_interleaving_helps():
    many = of_four(1.8, pages={"0": 990, "1": 10})
    tests = {"interleaved memory": of_four(1.0)}
    assert list(four_threads(many, tests)) == [("page placement",)]
    assert ("page placement",) not in four_threads(many, {"interleaved memory": of_four(1.8)})


def test_a_quota_is_named_where_only_more_threads_are_stopped():
    def group(stopped: int) -> dict:
        return {"group": "/g", "quota_cpus": 1.5, "nr_periods": 10, "nr_throttled": stopped, "throttled_ns": 1}

    base = Made(1.0, 1.0, cgroup=group(0))
    many = Made(0.67, 1.0, {"waiting": 0.34}, cgroup=group(9))
    assert named(evidence_of(base, many, {"one cpu": CALM_ONE_CPU})) == {
        ("quota",): pytest.approx(math.log(1.34), abs=0.02)
    }
    # A quota of half a cpu stops one thread as well, and two of them are no faster.
    half = group(9) | {"quota_cpus": 0.5}
    both = (Made(2.0, 1.0, {"waiting": waiting}, cgroup=half) for waiting in (1.0, 3.0))
    assert named(evidence_of(*both, {"one cpu": CALM_ONE_CPU})) == {("quota",): pytest.approx(math.log(2), abs=0.03)}
    other = Made(0.67, 1.0, {"waiting": 0.34}, cgroup=group(0))
    assert named(evidence_of(base, other, {"one cpu": CALM_ONE_CPU})) == {}, "others took the cpu"


def test_a_disk_keeps_threads_waiting_on_one_cpu_as_well():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=900, disk=0.45, shares=UNEVEN)
    tests = {"one cpu": Made(1.2, 1.0, sleeps=900, disk=0.4), "twice the threads": waits(0.6, 0.2, shares=FOUR)}
    assert list(named(evidence_of(BASE, many, tests))) == [("I/O",)]
    lock = {**tests, "one cpu": CALM_ONE_CPU}
    assert ("I/O",) not in named(evidence_of(BASE, many, lock))
    memory = "I/O: temporary files in memory"
    as_slow = {**tests, memory: replace(many, disk=0.0), f"{memory}, base": BASE}
    assert ("I/O",) not in named(evidence_of(BASE, many, as_slow)), "nobody waits for the disk there, and it is as slow"


SLOW = {"copies": Made(1.5, 3.0), "one cpu": CALM_ONE_CPU, "twice the threads": Made(0.75, 1.5)}


@pytest.mark.parametrize(
    ("stream", "pirate", "busy", "names"),
    [
        (1.4, 1.02, 1.0, ("memory bandwidth",)),
        (1.4, 1.35, 1.0, ("shared cache",)),
        (1.5, 1.5, 1.4, ("clock",)),
        (1.4, 1.25, 1.0, ("shared cache",)),
        # Nearly every program feels other memory traffic a little.
        (1.04, 1.01, 1.0, None),
        (1.0, 1.0, 1.0, None),
    ],
)
def test_what_runs_beside_one_thread_tells_what_copies_share(stream, pirate, busy, names):
    beside = {
        "stream beside": Made(stream, stream),
        "pirate beside": Made(pirate, pirate),
        "busy cores beside": Made(busy, busy),
    }
    found = named(evidence_of(BASE, Made(0.75, 1.5), {**SLOW, **beside}))
    assert list(found) == ([names] if names else [])


def test_what_busy_cores_take_alone_is_no_sign_of_a_cache():
    beside = {
        "stream beside": Made(1.45, 1.45),
        "pirate beside": Made(1.16, 1.16),
        "busy cores beside": Made(1.15, 1.15),
    }
    found = named(evidence_of(BASE, Made(0.75, 1.5), {**SLOW, **beside}))
    assert set(found) == {("clock",), ("memory bandwidth",)}
    assert found["memory bandwidth",] == pytest.approx(math.log(1.5 / 1.15), abs=0.03)


def test_of_two_threads_that_are_alone_as_long_none_has_a_serial_part():
    many, twice = waits(0.75, 0.5, sleeps=60), waits(0.75, 0.5, sleeps=60, shares=FOUR)
    many.alone = twice.alone = Alone(0.52, 30, 0.015, helper=False, own=0.3)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=10), "twice the threads": twice}
    assert ("serial part",) not in named(evidence_of(BASE, many, tests))


@pytest.mark.parametrize(("step", "cause"), [(1.4, "clock"), (1.38, "clock"), (1.02, "SMT sharing"), (None, "clock")])
def test_cpus_that_share_a_core_are_told_from_a_lower_clock(step, cause):
    beside = {"stream beside": Made(1.5, 1.5), "pirate beside": Made(1.5, 1.5), "busy cores beside": Made(1.4, 1.4)}
    found = evidence_of(BASE, Made(0.75, 1.5), {**SLOW, **beside})
    for run in found.tests["busy cores beside"].runs:
        run.record["beside"] = [{"workload": "spin", "cpus": [1], "clock_ns": step}]
        run.record["validity"]["clock_before_ns"] = 1.0
    if step is None:
        run.record["beside"] = []
    assert list(named(found)) == [(cause,)]


@pytest.mark.parametrize("step", [1.38, 1.02])
def test_busy_cores_cost_copies_no_more_than_copies_are_slower(step):
    copies = {**SLOW, "copies": Made(1.1, 2.2), "busy cores beside": Made(1.4, 1.4)}
    found = evidence_of(BASE, Made(0.55, 1.1), copies)
    for run in found.tests["busy cores beside"].runs:
        run.record["beside"] = [{"workload": "spin", "cpus": [1], "clock_ns": step}]
        run.record["validity"]["clock_before_ns"] = 1.0
    (part,) = named(found).values()
    assert part == pytest.approx(math.log(1.1), abs=0.02)


def test_beside_other_programs_that_may_have_taken_much_nothing_is_named():
    beside = {
        "stream beside": Made(1.4, 1.4),
        "pirate beside": Made(1.02, 1.02),
        "busy cores beside": Made(1.0, 1.0),
    }
    calm, few, many = (
        explanation(evidence_of(BASE, Made(0.85, 1.5, {"waiting": 0.2}, others=others), {**SLOW, **beside}))
        for others in (0, 0.04, 0.06)
    )
    assert [one.cause for one in calm.findings] == [one.cause for one in few.findings] == ["memory bandwidth"]
    assert (many.findings, many.status) == ((), "not explained")
    assert many.why.startswith("other programs may have taken 0.125 [0.125, 0.125] of the loss of 0.531")


def clock_changes(made: list, blocks: set[int], step: float) -> list:
    """Let the clock of the cpus fall by this logarithm during the runs of these blocks."""

    def changed(run):
        if run.spec["block"] not in blocks:
            return run
        validity = {**run.record["validity"], "clock_before_ns": 1.0, "clock_after_ns": math.exp(step)}
        return replace(run, record={**run.record, "validity": validity})

    return [changed(run) for run in made]


@pytest.mark.parametrize(("blocks", "left_out"), [({2}, 4), ({2, 3}, 0), ({1, 2, 3, 4, 5, 6}, 0)])
def test_runs_during_which_the_clock_changed_are_left_out_only_where_that_is_rare(blocks, left_out):
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    made = clock_changes(runs(BASE, waits(0.75, 0.5, shares=UNEVEN), tests, noise=0.03), blocks, 0.2)
    found = explanation(evidence(series_of(made), 2))
    assert [one.cause for one in found.findings] == ["serial part"], found.why
    assert found.left_out == left_out


def test_work_is_not_uneven_where_the_clock_changes_by_as_much():
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.51, 0.0, shares=FOUR)}
    made = runs(BASE, waits(0.55, 0.1, shares=(0.6, 0.4)), tests)
    assert list(named(evidence(series_of(made), 2))) == [("imbalance",)]
    changed = clock_changes(made, {1, 2, 3, 4, 5, 6}, 0.1)
    assert named(evidence(series_of(changed), 2)) == {}


def test_a_cause_that_holds_less_than_what_is_explained_at_all_is_not_named(monkeypatch):
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    found = evidence_of(BASE, waits(0.75, 0.5, shares=UNEVEN), tests)
    (serial,) = explanation(found).findings
    small = replace(serial, cause="clock", part=Part(0.04, 0.03, 0.05), holds=())
    monkeypatch.setattr("knee.explain.ledger.explanation.candidates", lambda *_: [serial, small])
    assert explanation(found).findings == (serial,)
    monkeypatch.setattr("knee.explain.ledger.explanation.candidates", lambda *_: [small])
    alone = explanation(found)
    assert (alone.findings, alone.why) == ((), "no cause holds 0.05 of the loss")


@pytest.mark.parametrize(
    ("disturbed", "cause", "left_out"), [(0, "serial part", 0), (2, "serial part", 2), (4, None, 0)]
)
def test_few_disturbed_runs_are_left_out_and_many_are_not(disturbed, cause, left_out):
    def beside(run):
        if run.threads != 2 or run.spec.get("test") or run.spec["block"] > disturbed:
            return run
        busy = {**run.record["validity"], "other_busy": 0.4}
        return replace(run, time_s=1.5 * run.time_s, record={**run.record, "validity": busy})

    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    made = [beside(run) for run in runs(BASE, waits(0.75, 0.5, shares=UNEVEN), tests)]
    found = explanation(evidence(series_of(made), 2))
    assert [one.cause for one in found.findings] == ([cause] if cause else []), found.why
    assert found.left_out == left_out
    if cause:
        assert found.ledger.loss.value == pytest.approx(math.log(1.5), abs=0.02)
    else:
        assert "other programs may have" in found.why


def others_in(made: list, which) -> list:
    """Let other programs be busy during some of the study's own runs, which take half as long again."""

    def beside(run):
        if run.spec.get("test") or not which(run):
            return run
        busy = {**run.record["validity"], "other_busy": 0.4}
        return replace(run, time_s=1.5 * run.time_s, record={**run.record, "validity": busy})

    return [beside(run) for run in made]


def test_undisturbed_runs_are_compared_though_hardly_a_block_has_both():
    # Of the base the first half is disturbed, of all threads the other half.
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    made = runs(BASE, waits(0.75, 0.5, shares=UNEVEN), tests, blocks=8)
    found = explanation(
        evidence(series_of(others_in(made, lambda run: (run.spec["block"] > 4) == (run.threads > 1))), 2)
    )
    assert [one.cause for one in found.findings] == ["serial part"], found.why
    assert (found.left_out, found.ledger.loss.blocks) == (8, 4)
    assert found.ledger.loss.value == pytest.approx(math.log(1.5), abs=0.02)


@pytest.mark.parametrize(("busy", "status"), [(0.4, "not explained"), (0.0, "nothing to explain")])
def test_a_base_that_others_slowed_down_may_hide_a_loss(busy, status):
    base, many = replace(BASE, seconds=1.4, others=busy), waits(0.7, 0.4)
    told = explanation(evidence_of(base, many, {"one cpu": CALM_ONE_CPU}))
    assert (told.status, told.findings) == (status, ())
    assert told.why.startswith("the loss is" if busy else "the loss at 2 threads is")
    assert ("which would hide one" in told.why) == bool(busy)


def test_disturbed_runs_are_left_out_though_the_clock_changed_in_some_of_the_others():
    # Six of twelve are undisturbed; without those during which the clock changed, too few would be left.
    tests = {"one cpu": CALM_ONE_CPU, "twice the threads": waits(0.75, 0.5, shares=FOUR)}
    made = runs(BASE, waits(0.75, 0.5, shares=UNEVEN), tests, blocks=12)
    made = others_in(clock_changes(made, {1, 2, 3}, 0.2), lambda run: run.threads > 1 and run.spec["block"] > 6)
    found = explanation(evidence(series_of(made), 2))
    assert [one.cause for one in found.findings] == ["serial part"], found.why
    assert found.ledger.loss.value == pytest.approx(math.log(1.5), abs=0.02)


def test_idle_time_that_another_allocator_takes_away_says_nothing_of_how_work_is_divided():
    many = Made(0.6, 1.05, {"one": 0.15}, sleeps=2000, shares=(0.58, 0.42))
    other = "allocator: jemalloc as allocator"
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=4),
        "twice the threads": Made(0.53, 1.05, {"one": 0.02}, sleeps=2000, shares=(0.25,) * 4),
        other: Made(0.6, 1.19, {"one": 0.01}, sleeps=4),
        f"{other}, base": BASE,
    }
    left = tests | {other: Made(0.6, 1.05, {"one": 0.15}, sleeps=4)}
    made = [evidence_of(BASE, many, one) for one in (tests, left)]
    uneven, same = (alone(found, ledger(found), "one").uneven for found in made)
    assert same.value == pytest.approx(math.log(1.2 / 1.05), abs=0.01)
    assert uneven.value == pytest.approx(same.value / 15, abs=0.002)
