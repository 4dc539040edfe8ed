"""Causes that a program has no setting for: what samples, copies and the kernel's time say about them."""

import math
from dataclasses import replace

import pytest
from told import Made, evidence_of, named, runs, series_of

from knee.explain.evidence.evidence import evidence
from knee.explain.evidence.means import Mean
from knee.explain.ledger.ledger import ledger
from knee.explain.ledger.naming import candidates
from knee.explain.signs.idle.futexes import at_futexes
from knee.explain.signs.relief import Relief
from knee.stats.intervals import Interval
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
CALM = Made(1.0, 1.0, sleeps=4)
FOUR = (0.3, 0.27, 0.23, 0.2)
LINES = ("false sharing", "true sharing", "duplicated work")

PAGES = Made(1.0, 1.0, system=0.25, faults=150_000)
SLOWER = Made(0.7, 1.4, system=0.57, faults=150_000)
PROCESSES = Made(1.0, 2.0, system=0.5, faults=300_000)


def with_copies(many: Made, copies: Made, base: Made = PAGES) -> dict[tuple[str, ...], float]:
    tests = {"one cpu": replace(base, sleeps=4), "copies": copies, "twice the threads": replace(many, shares=FOUR)}
    return named(evidence_of(base, many, tests))


def test_page_faults_are_named_where_only_threads_of_one_process_lose_time_in_the_kernel():
    assert with_copies(SLOWER, PROCESSES) == {("page faults",): pytest.approx(math.log(1.4), abs=0.02)}


def test_a_setting_that_takes_faults_away_decides_about_them():
    kept = "page faults: kept memory"
    twice = replace(SLOWER, shares=FOUR)
    tests = {"one cpu": replace(PAGES, sleeps=4), "copies": PROCESSES, "twice the threads": twice}
    as_slow = {kept: replace(SLOWER, faults=900), f"{kept}, base": replace(PAGES, faults=900)}
    assert ("page faults",) not in named(evidence_of(PAGES, SLOWER, tests | as_slow))
    as_many = {kept: SLOWER, f"{kept}, base": PAGES}
    assert ("page faults",) in named(evidence_of(PAGES, SLOWER, tests | as_many))


@pytest.mark.parametrize(
    ("many", "copies", "base"),
    [
        (replace(SLOWER, system=0.3), PROCESSES, PAGES),
        (SLOWER, replace(PROCESSES, seconds=1.4, cpu=2.8), PAGES),
        (SLOWER, replace(PROCESSES, faults=100_000), PAGES),
        (replace(SLOWER, faults=30_000), replace(PROCESSES, faults=60_000), replace(PAGES, faults=30_000)),
        (replace(SLOWER, faults=2_000), replace(PROCESSES, faults=4_000), replace(PAGES, faults=2_000)),
    ],
    ids=["outside of the kernel", "in copies, too", "copies have fewer", "the kernel does more", "few faults"],
)
def test_elsewhere_they_are_not(many, copies, base):
    assert ("page faults",) not in with_copies(many, copies, base)


def test_waits_for_pages_cannot_be_interrupted_and_belong_to_them():
    waits = replace(SLOWER, seconds=0.8, idle={"one": 0.2}, sleeps=9000)
    assert ("page faults",) not in with_copies(waits, PROCESSES), "threads wait for a lock"
    part = pytest.approx(math.log(1.6), abs=0.02)
    assert with_copies(replace(waits, disk=0.15), PROCESSES) == {("page faults",): part}


@pytest.mark.parametrize(("of_copies", "is_named"), [(0.0, True), (0.2, False)])
def test_sleep_for_the_map_is_named_where_cpu_times_of_copies_do_not_tell(of_copies, is_named):
    # All that is lost is idle time; copies, which have a map each, hardly sleep like that, unless it is for a disk.
    waits = Made(0.65, 1.0, {"one": 0.3}, sleeps=3000, system=0.26, faults=150_000, disk=0.25)
    found = with_copies(waits, replace(PROCESSES, disk=of_copies))
    expected = {("page faults",): pytest.approx(math.log(1.3), abs=0.02)} if is_named else {}
    assert {cause: part for cause, part in found.items() if cause == ("page faults",)} == expected


def test_a_disk_is_named_where_files_in_memory_take_the_loss_away():
    base = Made(1.0, 0.8, sleeps=900, disk=0.2)
    many = Made(0.75, 0.8, {"one": 0.4, "nobody": 0.3}, sleeps=900, disk=0.5)
    memory = "I/O: temporary files in memory"
    tests = {"one cpu": Made(1.0, 0.8, sleeps=900, disk=0.2), "twice the threads": replace(many, shares=FOUR)}
    fast = {memory: Made(0.4, 0.8, sleeps=9), f"{memory}, base": Made(0.8, 0.8, sleeps=9)}
    found = named(evidence_of(base, many, tests | fast))
    assert found == {("I/O",): pytest.approx(math.log(1.5), abs=0.03)}
    as_often = {memory: Made(0.4, 0.8, sleeps=800), f"{memory}, base": Made(0.8, 0.8, sleeps=800)}
    assert list(named(evidence_of(base, many, tests | as_often))) == [("I/O",)], "threads sleep for other reasons, too"
    as_slow = {memory: many, f"{memory}, base": base}
    assert ("I/O",) not in named(evidence_of(base, many, tests | as_slow))


def twice(cpu: float) -> dict[tuple[str, ...], float]:
    tests = {"one cpu": Made(1.3, 1.3, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(cpu / 2, cpu)}
    return named(evidence_of(BASE, Made(0.65, 1.3), tests))


def test_what_each_thread_does_more_twice_the_threads_do_twice_as_often():
    assert twice(1.9) == {("instruction growth",): pytest.approx(math.log(1.3), abs=0.02)}
    assert list(twice(2.4)) == [("spinning",)]


def test_what_each_thread_does_by_itself_one_could_do_for_all():
    tests = {"one cpu": Made(1.3, 1.3, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(0.95, 1.9)}
    found = evidence_of(BASE, Made(0.65, 1.3), tests)
    (one,) = candidates(found, ledger(found))
    assert "let one thread do for all" in one.remedy
    assert any("each further thread adds as much" in sign for sign in one.signs)


def test_copies_that_vary_do_not_hide_what_each_thread_does_more():
    tests = {"one cpu": Made(1.3, 1.3, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(0.95, 1.9)}
    found = evidence_of(BASE, Made(0.65, 1.3), tests)
    cell = found.tests["copies"]
    shaken = [replace(run, cpu_s=2.0 * by) for run, by in zip(cell.runs, (0.93, 1.07) * 3, strict=True)]
    found.tests["copies"] = replace(cell, runs=tuple(shaken))
    assert list(named(found)) == [("instruction growth",)]


def futex(timed: int) -> dict:
    """Return what a record says of 30 waits of threads at a lock, and of one that waits for their end."""
    lock = {"pid": 7, "address": "0x7f00", "waits": 30, "timed": timed, "threads": 2}
    joins = {"pid": 7, "address": "0x5500", "waits": 60, "timed": 0, "threads": 1}
    return {"asleep": 91, "waits": 90, "timed": timed, "hottest": [joins, lock]}


def locked(timed: int, mapped: str, **more: object) -> dict[tuple[str, ...], float]:
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, futex=futex(timed), **more)
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}
    return named(evidence_of(BASE, many, tests, mapped={"programs": [], "libraries": [mapped]}))


def test_samples_tell_a_lock_of_the_program_from_its_interpreters():
    # The lock has that share of the waits which has no time limit.
    for timed in (0, 3, 8):
        part = pytest.approx((1 - timed / 30) * math.log(1.5), abs=0.02)
        assert locked(timed, "libpython3.11.so.1.0") == {("sleeping lock",): part}
    assert ("sleeping lock",) not in locked(12, "libpython3.11.so.1.0")
    assert ("sleeping lock",) not in locked(25, "libpython3.11.so.1.0")


def test_where_the_same_thread_of_an_interpreter_works_alone_none_take_turns():
    def found(share: float) -> set[tuple[str, ...]]:
        alone = Alone(share=share, intervals=60, longest_s=0.01, helper=False, place=0.0)
        many = Made(0.65, 1.0, {"one": 0.3}, sleeps=100, shares=(0.6, 0.4), futex=futex(25), alone=alone)
        tests = {"one cpu": Made(1.0, 1.0, sleeps=90), "twice the threads": replace(many, shares=(0.4, 0.2, 0.2, 0.2))}
        python = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}
        return set(named(evidence_of(BASE, many, tests, mapped=python)))

    assert found(0.98) == {("serial part",)}, "it starts, and loads libraries"
    assert found(0.5) == set(), "they may take turns at the interpreter's lock"


def test_threads_that_wait_at_futexes_do_not_wait_for_pages():
    assert set(locked(0, "libc.so.6", faults=9_000)) == {("sleeping lock", "allocator")}

    def without_samples(disk: float) -> set[tuple[str, ...]]:
        many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, faults=9_000, disk=disk)
        tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR)}
        return set(named(evidence_of(BASE, many, tests, mapped={"programs": [], "libraries": ["libc.so.6"]})))

    assert without_samples(0.4) == set(), "waits for pages cannot be interrupted, nor can those for a disk"
    assert without_samples(0.0) == {("sleeping lock", "allocator")}


def test_threads_that_could_not_be_asked_may_wait_for_anything():
    def at_locks(denied: int) -> bool:
        waits = futex(0) | {"denied": {"times": denied, "reason": "of another user"}}
        many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, futex=waits)
        return at_futexes(evidence_of(BASE, many, {"one cpu": CALM}))

    assert at_locks(0)
    assert not at_locks(900)


def test_a_lock_that_is_handed_over_does_not_spin():
    many = Made(0.8, 1.06, {"one": 0.54}, sleeps=2000)
    tests = {"one cpu": Made(1.03, 1.03, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": Made(0.95, 1.06)}
    found = named(evidence_of(BASE, many, {**tests, "twice the threads": replace(many, seconds=0.95, shares=FOUR)}))
    assert ("spinning",) not in found


def lines(many: Made, twice: Made, libc: bool = False, **more: Made) -> set[tuple[str, ...]]:
    names = {name.replace("_", " "): one for name, one in more.items()}
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": twice, **names}
    mapped = {"programs": [], "libraries": ["libc.so.6"] if libc else []}
    return set(named(evidence_of(BASE, many, tests, mapped=mapped)))


def test_lines_are_named_where_the_same_run_shows_the_cpu_time_again():
    many = Made(0.75, 1.5)
    assert lines(many, many, switches=many) == {LINES}
    assert lines(many, many, switches=Made(0.5, 1.02)) == set()


def test_more_threads_than_cpus_share_lines_as_often():
    many = Made(0.75, 1.5)
    assert lines(many, Made(0.76, 1.52)) == {LINES}
    assert lines(many, Made(0.81, 1.62)) == set()


def test_lines_are_not_named_beside_waits_that_may_be_an_allocators():
    many = Made(0.75, 1.5, sleeps=4000)
    assert lines(many, many) == {LINES}
    assert lines(many, many, libc=True) == set()
    other = {"allocator: another one": many, "allocator: another one, base": BASE}
    assert lines(many, many, libc=True, **other) == {LINES}


def test_threads_that_wait_for_an_interpreter_work_in_no_serial_part():
    def found(timed: int) -> set[tuple[str, ...]]:
        # They keep more than one cpu busy, and take turns that are as long on one cpu.
        many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, futex=futex(timed))
        tests = {"one cpu": Made(1.0, 1.0, sleeps=3500), "twice the threads": many}
        python = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}
        return set(named(evidence_of(BASE, many, tests, mapped=python)))

    assert found(timed=1) == {("serial part",)}
    assert found(timed=25) == set()


def test_only_a_setting_that_surely_takes_waits_away_tells_what_is_left():
    heap = "garbage collection: larger heap"
    many = Made(0.75, 1.0, {"few": 0.5}, sleeps=4000)
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=FOUR), heap: many, f"{heap}, base": BASE}
    made = runs(BASE, many, tests)
    for number, run in enumerate(one for one in made if one.spec.get("test") == heap):
        run.record["rusage"]["voluntary_switches"] = 5 if number % 2 else 7_800
    assert set(named(evidence(series_of(made), 2))) == {("sleeping lock",)}


def taken(loss: tuple[float, float], waits: float, least: float = -0.05) -> bool:
    """Whether a setting is taken to help that takes so much off the loss, surely and very surely, and off the waits."""
    nothing = Mean(0.0, Interval(-0.01, 0.01), 3)
    value, low = loss
    whole, fewer = Mean(value, Interval(low, 2 * value - low), 3), Mean(waits, Interval(waits - 0.1, waits + 0.1), 3)
    return Relief("another allocator", whole, nothing, least, nothing, -0.02, fewer, nothing).taken() is not None


def test_a_setting_that_takes_waits_away_as_well_needs_no_more_runs():
    assert not taken((0.3, 0.1), waits=0.0)
    assert taken((0.3, 0.1), waits=0.0, least=0.03)
    assert taken((0.3, 0.1), waits=math.log(0.5))
    assert not taken((0.3, 0.01), waits=math.log(0.5))
    assert taken((0.3, 0.01), waits=math.log(0.02))
    assert not taken((0.3, -0.01), waits=math.log(0.02))


def test_an_allocator_that_asks_for_many_pages_is_known_by_waits_that_go_with_another():
    many = Made(0.75, 1.2, {"one": 0.3}, sleeps=9000, system=0.1, faults=60_000)
    other = "allocator: other"

    def found(**more: object) -> set[tuple[str, ...]]:
        locked = replace(many, **more)
        tests = {"one cpu": Made(1.15, 1.15, sleeps=4), "twice the threads": replace(locked, shares=FOUR)}
        tests |= {other: Made(0.5, 1.0, sleeps=3, faults=900), f"{other}, base": BASE}
        return set(named(evidence_of(BASE, locked, tests, mapped={"programs": [], "libraries": ["libc.so.6"]})))

    assert found(futex=futex(0)) == {("allocator",)}
    assert ("allocator",) not in found(), "threads that wait for pages sleep at no futex"


@pytest.mark.parametrize(("disk", "is_named"), [(0.06, False), (0.01, True)], ids=["a disk", "no disk"])
def test_what_asking_a_disk_costs_is_no_growth_of_instructions(disk, is_named):
    one_cpu = Made(1.1, 1.05, sleeps=1000, disk=disk)
    many = Made(0.62, 1.06, sleeps=1000, disk=0.1)
    tests = {"one cpu": one_cpu, "twice the threads": Made(0.66, 1.16, sleeps=2000, shares=FOUR)}
    assert (("instruction growth",) in named(evidence_of(BASE, many, tests))) == is_named
