"""What programs showed that were first scored and then opened: causes that looked like another one."""

import math
from dataclasses import replace

import pytest
from told import Made, evidence_of, named, runs, series_of

from knee.explain.evidence.evidence import evidence
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
FOUR = (0.3, 0.27, 0.23, 0.2)
CALM = Made(1.0, 1.0, sleeps=4)
OPENMP = {"programs": [], "libraries": ["libgomp.so.1.0.0"]}

PAGES = Made(1.0, 1.0, system=0.2, faults=100_000)
ALLOCATES = Made(0.75, 1.3, {"one": 0.2}, sleeps=6000, system=0.5, faults=100_000)
KEPT, OTHER = "page faults: kept memory", "allocator: jemalloc as allocator"


def allocates(kept: Made, other: Made) -> list[tuple[str, ...]]:
    tests = {"one cpu": replace(PAGES, sleeps=4), "copies": Made(1.0, 2.0, system=0.4, faults=200_000)}
    tests |= {"twice the threads": replace(ALLOCATES, shares=FOUR)}
    tests |= {KEPT: kept, OTHER: other}
    tests |= {f"{name}, base": Made(0.9, 0.9, faults=500) for name in (KEPT, OTHER)}
    return list(named(evidence_of(PAGES, ALLOCATES, tests, mapped={"programs": [], "libraries": ["libc.so.6"]})))


def test_an_allocator_that_asks_for_pages_is_named_where_kept_memory_takes_less_away():
    fast = Made(0.46, 0.92, sleeps=10, faults=500)
    assert allocates(fast, fast) == [("page faults",)]
    assert allocates(Made(0.56, 1.05, sleeps=900, faults=500), fast) == [("allocator",)]
    still = Made(0.47, 0.93, sleeps=3000, faults=500)
    assert allocates(still, fast) == [("allocator",)], "threads still wait for each other"


def serial(idle: float, seconds: float) -> dict[tuple[str, ...], float]:
    """Return what is said of OpenMP's threads that compute while they wait, and sleep where twice as many run."""
    many = Made(0.75, 1.4, {"one": 0.1}, sleeps=10)
    passive = "spinning: passive waiting"
    tests = {
        "one cpu": Made(1.0, 1.0, {"one": 0.6}, sleeps=20),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made(seconds, 1.0, {"one": idle}, sleeps=20, shares=FOUR),
        passive: Made(0.75, 1.0, {"one": 0.5}, sleeps=20),
        f"{passive}, base": BASE,
    }
    return named(evidence_of(BASE, many, tests, mapped=OPENMP))


def test_what_active_waiting_hides_is_serial_where_twice_the_threads_sleep_as_long():
    whole = pytest.approx(math.log(1.5), abs=0.03)
    # Half a second would be idle; of threads that wake up, some of it is waiting for a cpu.
    assert serial(0.45, 0.75) == {("serial part",): whole}
    assert serial(0.38, 0.75) == {("serial part",): whole}
    # Where they wake up often most of it is; but the run would be shorter if the others took over any of that part.
    assert serial(0.2, 0.76) == {("serial part",): whole}
    assert serial(0.05, 0.53) == {("imbalance",): whole}


def test_what_active_waiting_hides_is_known_where_falling_asleep_costs_as_much():
    """As of short serial parts, after which threads wake up so often that the kernel has most of what they waited."""
    many = Made(0.65, 1.25, {"one": 0.02}, sleeps=10)
    passive = "spinning: passive waiting"
    slow = Made(0.8, 1.25, {"one": 0.3}, sleeps=2000, system=0.22)
    tests = {
        "one cpu": Made(1.02, 1.02, {"one": 0.6}, sleeps=2000),
        "copies": Made(1.0, 2.0),
        "twice the threads": replace(slow, seconds=0.85, shares=FOUR),
    }
    assert not named(evidence_of(BASE, many, tests, mapped=OPENMP))
    asleep = {**tests, passive: slow, f"{passive}, base": BASE}
    whole = pytest.approx(math.log(1.3), abs=0.04)
    assert named(evidence_of(BASE, many, asleep, mapped=OPENMP)) == {("serial part",): whole}
    # A piece of the work would fill gaps with twice the threads.
    fills = replace(asleep["twice the threads"], seconds=0.68)
    assert list(named(evidence_of(BASE, many, {**asleep, "twice the threads": fills}, mapped=OPENMP))) == [
        ("imbalance",)
    ]


SPINS = Made(0.86, 1.7, sleeps=60)


@pytest.mark.parametrize(("library", "faster", "names"), [
    ("libjemalloc.so.2", 0.52, [("allocator",)]),
    ("libjemalloc.so.2", 0.9, [("false sharing", "true sharing", "duplicated work")]),
    ("libjemalloc.so.2", None, []),
    ("libc.so.6", None, [("false sharing", "true sharing", "duplicated work")]),
])  # fmt: skip
def test_an_allocator_whose_lock_spins_is_told_from_lines_by_another_one(library, faster, names):
    tests = {"one cpu": CALM, "copies": Made(1.0, 2.0), "twice the threads": replace(SPINS, shares=FOUR)}
    if faster is not None:
        other = "allocator: tcmalloc as allocator"
        tests |= {other: replace(SPINS, seconds=faster, cpu=1.9 * faster), f"{other}, base": BASE}
    found = evidence_of(BASE, SPINS, tests, mapped={"programs": [], "libraries": [library]})
    assert list(named(found)) == names


def test_a_collector_takes_what_goes_without_it_from_page_faults():
    many = Made(0.8, 1.5, sleeps=2000, system=0.6, faults=150_000)
    off = "garbage collection: no garbage collection (Go)"
    tests = {
        "one cpu": Made(1.1, 1.1, sleeps=1600, system=0.27, faults=150_000),
        "copies": Made(1.0, 2.0, system=0.5, faults=300_000),
        "twice the threads": replace(many, shares=FOUR),
    }
    base = Made(1.0, 1.0, system=0.25, faults=150_000)
    assert ("page faults",) in named(evidence_of(base, many, tests))
    tests |= {off: Made(0.46, 0.92, sleeps=20, system=0.3, faults=300_000), f"{off}, base": Made(0.9, 0.9)}
    assert list(named(evidence_of(base, many, tests))) == [("garbage collection",)]


@pytest.mark.parametrize("lots", [(0.72, 0.28), (0.6, 0.4)], ids=["uneven", "three of five pieces"])
def test_equal_pieces_are_shared_out_as_equally_as_they_can_be(lots):
    # Four threads have two, one, one and one of five pieces, nearly.
    idle = 2 * max(lots) - 1
    many = Made(max(lots), 1.0, {"one": idle}, sleeps=10, shares=lots)
    twice = Made(0.53, 1.0, {"one": 0.06}, sleeps=10, shares=(0.36, 0.23, 0.21, 0.2))
    found = list(named(evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": twice})))
    assert found == ([("imbalance",)] if lots[0] > 0.65 else [("too few tasks", "imbalance")])


def test_an_interpreter_is_named_by_processes_where_one_cpu_does_not_tell():
    lock = {"pid": 7, "address": "0x7f00", "waits": 30, "timed": 29, "threads": 2}
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=400, futex={"asleep": 31, "waits": 30, "timed": 29, "hottest": [lock]})
    longer = "interpreter lock: longer turns at the interpreter lock"
    tests = {
        "one cpu": Made(1.0, 1.0, sleeps=205),
        "copies": Made(1.0, 2.0),
        "twice the threads": replace(many, shares=FOUR),
        longer: many,
        f"{longer}, base": BASE,
    }
    assert told(many, tests) == [("interpreter lock",)]
    assert told(many, tests | {"copies": Made(1.5, 2.0)}) == [], "processes wait as well"


def test_an_interpreter_is_named_by_processes_where_threads_take_turns_on_one_cpu_as_often():
    lock = {"pid": 7, "address": "0x7f00", "waits": 30, "timed": 29, "threads": 2}
    samples = {"asleep": 31, "waits": 30, "timed": 29, "hottest": [lock]}
    many = Made(0.83, 1.0, {"one": 0.66}, sleeps=400, futex=samples)
    longer = "interpreter lock: longer turns at the interpreter lock"
    tests = {"one cpu": Made(1.0, 1.0, sleeps=400), "copies": Made(1.0, 2.0), longer: many, f"{longer}, base": BASE}
    tests |= {"twice the threads": replace(many, shares=FOUR)}
    python = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}
    assert list(named(evidence_of(BASE, many, tests, mapped=python))) == [("interpreter lock",)]
    seldom = tests | {longer: replace(many, sleeps=80), "one cpu": Made(1.0, 1.0, sleeps=80)}
    few = replace(many, sleeps=80)
    assert named(evidence_of(BASE, few, seldom, mapped=python)) == {}, "seldom enough to be a pool that waits for work"
    turns = replace(few, alone=Alone(0.55, 300, 0.05, helper=False))
    assert list(named(evidence_of(BASE, turns, seldom, mapped=python))) == [("interpreter lock",)]
    samples["asleep"] = 50
    assert named(evidence_of(BASE, turns, seldom, mapped=python)) == {}, "threads sleep elsewhere, too"


def test_pieces_of_an_extension_are_no_turns_at_the_interpreter():
    lock = {"pid": 7, "address": "0x7f00", "waits": 30, "timed": 29, "threads": 2}
    samples = {"asleep": 31, "waits": 30, "timed": 29, "hottest": [lock]}
    python = {"programs": [], "libraries": ["libpython3.11.so.1.0"]}

    def found(left: float) -> list[tuple[str, ...]]:
        many = Made(0.68, 1.0, {"one": 0.36}, sleeps=400, futex=samples, shares=(0.04,) * 25)
        twice = Made(0.5 + left / 2, 1.0, {"one": left}, sleeps=400, shares=(0.02,) * 50)
        tests = {"one cpu": Made(1.0, 1.0, sleeps=400), "copies": Made(1.0, 2.0), "twice the threads": twice}
        longer = "interpreter lock: longer turns at the interpreter lock"
        return list(named(evidence_of(BASE, many, tests | {longer: many, f"{longer}, base": BASE}, mapped=python)))

    assert found(0.16) == [("too few tasks", "imbalance")], "more threads fill the gaps"
    assert found(0.34) == [], "or they take turns in it"


def told(many: Made, tests: dict[str, Made]) -> list[tuple[str, ...]]:
    """Return what is named where threads on one cpu sleep more often in some runs than in others."""
    made = runs(BASE, many, tests, mapped={"programs": [], "libraries": ["libpython3.11.so.1.0"]})
    for run in made:
        if run.spec.get("test") == "one cpu":
            run.record["rusage"]["voluntary_switches"] += 100 * (-1) ** run.spec["block"]
    return list(named(evidence(series_of(made), 2)))


def test_processes_have_no_lock_in_common():
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, shares=(0.75, 0.25))
    tests = {"one cpu": CALM, "twice the threads": Made(0.53, 1.0, {"one": 0.06}, sleeps=4000, shares=FOUR)}
    found = evidence_of(BASE, many, tests)
    assert list(named(found)) == [("sleeping lock",)]
    apart = replace(found.many, runs=tuple(replace(run, processes=True) for run in found.many.runs))
    assert list(named(replace(found, many=apart))) == [("imbalance",)]


def test_an_allocator_that_takes_page_faults_away_is_not_named_where_they_were_not_tested():
    other = "allocator: jemalloc as allocator"
    many = Made(0.75, 1.0, {"nobody": 0.5}, sleeps=4000, faults=50_000)
    tests = {"one cpu": CALM, "twice the threads": many, other: Made(0.52, 1.0, sleeps=5), f"{other}, base": BASE}
    assert named(evidence_of(BASE, many, tests)) == {}
    assert list(named(evidence_of(BASE, replace(many, faults=0), tests))) == [("allocator",)]
