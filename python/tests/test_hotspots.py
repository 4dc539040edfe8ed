"""Where CPU time grows: at few instructions, in the same code, or in other code; and what that says about causes."""

import math
from dataclasses import replace

import pytest
from conftest import record
from told import Made, evidence_of, named

from knee.explain.signs.computing.collector import COLLECTING, collector_costs
from knee.explain.signs.computing.hotspots import Grown, compiles, grown, growth_in, spread
from knee.stats.intervals import Interval
from knee.store.records.run import joined

LOOP = {f"work+{at}": 40 for at in range(0, 40, 4)}
"""A loop of ten instructions, each as long."""

BASE = Made(1.0, 1.0, spots=LOOP)


def sampled(
    spots: dict[str, int], *, more: float = 0.3, on_one: float = 0.0, twice: float = 0.0, blocks: int = 6,
    goroutines: dict | None = None, **also: Made
):  # fmt: skip
    """Return evidence with samples: how CPU time grows side by side, on one cpu, and with twice the threads."""
    many = Made((1 + more) / 2, 1 + more, spots=spots, goroutines=goroutines)
    tests = {
        "hot spots": many,
        "hot spots, base": BASE,
        "one cpu": Made(1 + on_one, 1 + on_one, sleeps=4),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made((1 + more + twice) / 2, 1 + more + twice, shares=(0.25,) * 4),
        **also,
    }
    return evidence_of(replace(BASE, spots=None), replace(many, spots=None), tests, blocks=blocks)


AGAIN = dict.fromkeys(LOOP, 52)
STALLS = {**LOOP, "work+18": 120}
LOOPS = {**LOOP, "lock+4096": 120}
ELSEWHERE = {**LOOP, **{f"merge+{at}": 12 for at in range(4096, 4136, 4)}}


def test_the_same_work_again_is_met_where_it_was_met_before():
    found = grown(sampled(AGAIN))
    assert found.works
    assert not found.waits
    assert found.places.low > 5
    assert (
        found.said
        == f"CPU time grows at {found.places.low:.0f} to {found.places.high:.0f} instructions, 100 % of it in work"
    )


def test_a_function_with_hardly_any_of_the_growth_is_not_named():
    found = grown(sampled(AGAIN))
    assert replace(found, share=0.12).said.endswith(", 12 % of it in work")
    assert replace(found, share=0.04).said.endswith(" instructions")


def test_a_store_that_waits_is_met_at_one_instruction():
    found = grown(sampled(STALLS))
    assert found.waits
    assert not found.works
    assert not found.loops, "one thread gets there as well"
    assert found.places.high < 2


def test_a_lock_is_tried_where_one_thread_never_gets():
    found = grown(sampled(LOOPS))
    assert found.waits
    assert found.loops
    assert (found.function, found.share) == ("lock", pytest.approx(1, abs=0.02))


def test_other_work_is_met_all_over_its_own_function():
    found = grown(sampled(ELSEWHERE))
    assert found.works
    assert found.new == 1
    several = {**LOOP, **{f"f{at}+{4096 + 100 * at}": 12 for at in range(10)}}
    assert grown(sampled(several)).scattered, "several functions: threads may look for work"


WAITING = {"work+4096": 40, "work+4099": 30, "work+4103": 20, "work+12": 70, "work+24": 65}
"""A loop that waits, with short pauses, in the function that works; and two stores beside it that wait for lines."""


def test_a_loop_that_waits_is_told_from_work_in_the_same_function():
    spins = sampled(LOOP | WAITING, on_one=0.4, twice=0.4)
    found = grown(spins)
    assert found.places.low > 2.5, "as many places as where threads work"
    assert found.tight
    assert not found.works
    assert list(named(spins)) == [("spinning",)]
    uneven = grown(sampled({**AGAIN, "work+12": 90, "work+24": 85}))
    assert not uneven.tight, "one thread is met wherever it grows"
    works = sampled(AGAIN, on_one=0.3, twice=0.4)
    assert not grown(works).tight
    assert list(named(works)) == [("instruction growth",)]


def test_samples_of_many_cpus_are_rarer_and_count_for_more():
    found = sampled(STALLS)
    rarer = sampled({place: many // 4 for place, many in STALLS.items()})
    for run in rarer.tests["hot spots"].runs:
        run.record["hotspots"]["period_ns"] *= 4
    assert grown(rarer).waits
    assert grown(rarer).before == pytest.approx(grown(found).before)


def test_nothing_is_said_where_cpu_time_does_not_surely_grow_or_has_no_place():
    assert grown(sampled(dict.fromkeys(LOOP, 41), blocks=3)) is None
    assert grown(evidence_of(Made(1.0, 1.0), Made(0.65, 1.3), {"one cpu": Made(1.0, 1.0)})) is None
    found = sampled(AGAIN)
    for run in found.tests["hot spots"].runs:
        run.record["hotspots"]["samples"] *= 2
    assert grown(found) is None, "half of it is in code that a compiler made meanwhile"


def test_what_cannot_be_counted_is_said_so():
    many = Grown(Interval(30.0, math.inf), 0.0, 0.0, 0.0, 0.0, None, 0.0, None, 0.0)
    assert many.said == "CPU time grows at 20 or more instructions"
    assert replace(many, places=Interval(1.2, 1.3)).said == "CPU time grows at one instruction"


def test_duplicated_work_is_told_from_shared_lines():
    assert list(named(sampled(AGAIN))) == [("duplicated work",)]
    assert list(named(sampled(STALLS))) == [("false sharing", "true sharing")]
    base = dict(LOOP) | {"work+18": 200}
    dominated = sampled({**base, "work+18": 320})
    for run in dominated.tests["hot spots, base"].runs:
        run.record["hotspots"]["places"].append({"file": 0, "at": 18, "samples": 200})
        run.record["hotspots"]["samples"] += 200
    assert list(named(dominated)) == [("false sharing", "true sharing", "duplicated work")]


def test_stores_to_several_lines_are_no_duplicated_work():
    several = {**LOOP, **dict.fromkeys(("work+0", "work+8", "work+20", "work+32"), 70)}
    found = sampled(several)
    assert not grown(found).again
    assert list(named(found)) == [("false sharing", "true sharing", "duplicated work")]


def test_few_samples_do_not_tell_that_it_is_the_same_work():
    few = dict.fromkeys(LOOP, 12)
    found = sampled(few, blocks=3)
    for run in found.tests["hot spots, base"].runs:
        run.record["hotspots"] |= {"samples": 50, "places": [p | {"samples": 5} for p in _places(run)]}
    assert grown(found).alike == 1, "they differ by nothing but chance"
    assert not grown(found).again, "and would, if threads waited at a few places"


def _places(run) -> list[dict]:
    return run.record["hotspots"]["places"]


@pytest.mark.parametrize(("rest", "is_compiled"), [("unnamed", True), ("elsewhere", False)])
def test_code_that_is_compiled_while_it_runs_leaves_open_what_grows(rest, is_compiled):
    """Places that are too many to be listed are none."""
    found = sampled(LOOPS, on_one=0.3, twice=0.4)
    for name in ("hot spots", "hot spots, base"):
        for run in found.tests[name].runs:
            known = run.record["hotspots"]["samples"]
            run.record["hotspots"] |= {"samples": 2 * known, rest: known}
    assert compiles(found) is is_compiled
    if is_compiled:
        assert named(found) == {}


def test_spinning_that_a_run_refutes_is_not_named():
    passive = "spinning: passive waiting"
    found = sampled(LOOPS, on_one=0.3, twice=0.4)
    assert list(named(found)) == [("spinning",)]
    more = sampled(LOOPS, on_one=0.3, twice=0.4, **{passive: Made(0.65, 1.3), f"{passive}, base": BASE})
    assert ("spinning",) not in named(more)


def test_code_that_takes_longer_beside_a_lock_is_not_the_same_work_again():
    """What was in a cache has gone when a lock is handed over."""

    def beside(spots: dict[str, int], sleeps: int) -> list[tuple[str, ...]]:
        many = Made(0.8, 1.3, {"one": 0.3}, sleeps=sleeps, spots=spots)
        tests = {
            "hot spots": many,
            "hot spots, base": BASE,
            "one cpu": Made(1.0, 1.0, sleeps=sleeps // 100),
            "copies": Made(1.0, 2.0),
            "twice the threads": replace(many, seconds=0.82, cpu=1.32, spots=None, shares=(0.25,) * 4),
        }
        found = evidence_of(replace(BASE, spots=None), replace(many, spots=None), tests)
        for run in found.tests["hot spots"].runs:
            samples = run.record["hotspots"]["samples"]
            run.record["hotspots"]["shared"] = {"addressed": samples, "lines": 1, "same": 1, "apart": 0}
        return list(named(found))

    slower = {**LOOP, **dict.fromkeys(("work+0", "work+8", "work+20", "work+32"), 70)}
    assert grown(sampled(slower)).works
    assert not grown(sampled(slower)).again
    assert beside(slower, 20_000) == [("sleeping lock",)]
    assert ("duplicated work",) in beside(AGAIN, 20_000)


def test_spinning_is_told_from_more_work():
    assert list(named(sampled(LOOPS, on_one=0.3, twice=0.4))) == [("spinning",)]
    assert list(named(sampled(ELSEWHERE, on_one=0.3, twice=0.4))) == [("instruction growth",)]
    assert list(named(sampled(LOOPS, on_one=0.3))) == [("instruction growth",)], "another way, however many threads"


def test_growth_at_many_instructions_is_no_spinning_also_where_few_samples_tell():
    few = {**LOOP, **{f"merge+{at}": 5 for at in range(4096, 4136, 4)}}
    found = sampled(few, more=0.125, on_one=0.1, twice=0.2, blocks=3)
    assert grown(found) is None
    assert spread(found)
    assert list(named(found)) == [("instruction growth",)]
    one_place = sampled({**LOOP, "lock+4096": 50}, more=0.125, on_one=0.1, twice=0.2, blocks=3)
    assert not spread(one_place)
    assert list(named(one_place)) == [("spinning",)]
    assert not spread(sampled(dict.fromkeys(LOOP, 41), more=0.02, blocks=3)), "too few samples to show it"


COLLECTS = {**LOOP, **{f"runtime.scanobject+{at}": 6 for at in range(4096, 4136, 4)}, "runtime.gcDrain+5000": 60}


def collecting(processors: int) -> dict:
    return {"processors": 100, "collecting": processors}


def test_a_collector_is_known_by_its_functions_where_no_setting_reaches_it():
    found = sampled(COLLECTS, on_one=0.3, twice=0.4)
    assert growth_in(found, COLLECTING) == pytest.approx(1)
    assert collector_costs(found) == pytest.approx(2 * 120 / 520)
    assert list(named(found)) == [("garbage collection",)]
    setting, loss = "garbage collection: no garbage collection (Go)", Made(0.65, 1.3)
    for left, is_named in ((0, False), (9, True)):
        heard = {setting: replace(loss, goroutines=collecting(left)), f"{setting}, base": BASE}
        found = sampled(COLLECTS, on_one=0.3, twice=0.4, goroutines=collecting(10), **heard)
        assert (("garbage collection",) in named(found)) == is_named, "without the collector the loss is the same"
    allocates = {**LOOP, **{f"runtime.mallocgc+{at}": 12 for at in range(4096, 4136, 4)}}
    assert list(named(sampled(allocates, on_one=0.3, twice=0.4))) == [("instruction growth",)]


@pytest.mark.parametrize(
    ("collecting", "left", "expected"),
    [(16, 15, []), (16, 0, [("instruction growth",)]), (2, 2, [("instruction growth",)])],
    ids=["the program hears of no setting", "nothing is collected", "the collector costs little"],
)
def test_what_a_collector_does_without_end_is_no_more_work_of_the_program(collecting, left, expected):
    setting, more = "garbage collection: no garbage collection (Go)", Made(0.65, 1.3)
    allocates = {**LOOP, **{f"runtime.mallocgc+{at}": 12 for at in range(4096, 4136, 4)}}
    found = sampled(allocates, on_one=0.3, twice=0.4, **{setting: more, f"{setting}, base": BASE})
    sampled_of = {"samples": 40, "processors": 80, "idle": 0, "at_locks": 0, "waits": [], "functions": []}
    for cell, many in ((found.many, collecting), (found.tests[setting], left)):
        for run in cell.runs:
            run.record["goroutines"] = sampled_of | {"collecting": many}
    assert list(named(found)) == expected


@pytest.mark.parametrize("broken", [{"file": 1}, {"function": 3}])
def test_places_in_what_is_not_listed_say_nothing(broken):
    place = {"file": 0, "at": 1, "samples": 5, "function": 0} | broken
    spots = {
        "period_ns": 997_000, "samples": 5, "unnamed": 0, "elsewhere": 0, "cost_ns": 0, "files": ["/bin/p"],
        "functions": ["work"], "places": [place],
    }  # fmt: skip
    spec = {"id": "0001", "block": 1, "threads": 1, "cell": {"threads": 1}}
    made = joined(0, spec, record("0001", 1, 1.0, 1.0) | {"hotspots": spots})
    assert made.record["hotspots"]["unavailable"] == "places are in files or functions that are not listed"


def test_more_samples_alone_than_in_all_are_none():
    (run, *_) = sampled(AGAIN).tests["hot spots"].runs
    (place, *others) = run.record["hotspots"]["places"]
    spots = run.record["hotspots"] | {"places": [place | {"alone": place["samples"] + 1}, *others], "alone": 9}
    made = joined(0, run.spec, record("0001", 1, 1.0, 1.0) | {"hotspots": spots})
    assert made.record["hotspots"]["unavailable"] == "of some places more samples were taken alone than in all"
    assert made.bad is None


@pytest.mark.parametrize(("piece", "told"), [((5, 5, 5), True), ((5, 6, 0), False), ((5, 2, 3), False)])
def test_pieces_of_compiled_code_have_no_more_samples_alone_than_in_all(piece, told):
    (run, *_) = sampled(AGAIN).tests["hot spots"].runs
    spots = run.record["hotspots"] | {"made": [dict(zip(("samples", "alone", "starters"), piece, strict=True))]}
    made = joined(0, run.spec, record("0001", 1, 1.0, 1.0) | {"hotspots": spots})
    assert ("unavailable" not in made.record["hotspots"]) == told


def test_a_loop_that_waits_in_a_function_of_several_threads_alone_may_be_met_at_many_instructions():
    """One thread takes another way; the lock's loop of six instructions is part of the function of each thread."""
    loop = {f"thread+{at}": 30 for at in range(4096, 4120, 4)}
    found = sampled({**LOOP, **loop}, on_one=0.3, twice=0.4)
    assert grown(found).tight
    assert not grown(found).works
    assert list(named(found)) == [("spinning",)]
    # Without a sign that they wait it is other code.
    assert ("spinning",) not in named(sampled({**LOOP, **loop}))
