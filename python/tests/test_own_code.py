"""Whether a thread that works alone executes code of its own, and that this is a serial part however short it is."""

import json
import math
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import skipped
from told import Made, evidence_of, named

from knee.explain.evidence.cell import Cell
from knee.explain.signs.computing.samples import HOTSPOTS
from knee.explain.signs.idle.own_code import _by_chance, _own, own_code
from knee.store.records.idle import Alone

PROGRAM = Path(__file__).parents[2] / "bench/planted/programs/c/city_ticks.c"

WORK = {f"work+{at}": 30 for at in range(0, 640, 64)}
MERGE = {f"merge+{at}": 10 for at in range(4096, 4736, 64)}
BASE = Made(1.0, 1.0)


def sampled(beside: dict[str, int], alone: dict[str, int] | None, own: Alone | None = None, **more: Made):
    """Return evidence of two threads of which one works alone for 0.3 s, with samples beside others and alone."""
    every = {place: beside.get(place, 0) + (alone or {}).get(place, 0) for place in {**beside, **(alone or {})}}
    many = Made(0.65, 1.0, {"one": 0.3}, sleeps=10, shares=(0.5, 0.5), alone=own)
    hot = replace(many, spots=every, spots_alone=alone)
    twice = Made(0.65, 1.0, {"one": 0.3}, sleeps=10, shares=(0.25,) * 4)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": twice, HOTSPOTS: hot, **more}
    return evidence_of(BASE, many, tests)


def test_code_that_is_never_met_beside_others_is_ones_own():
    found = own_code(sampled(WORK, MERGE))
    assert found.most
    assert (found.share, found.function) == (1.0, "merge")
    assert found.said == "100 % of what it executes then, threads hardly execute beside others, most of it in merge"
    half = own_code(sampled(WORK, {**dict.fromkeys(WORK, 10), **MERGE}))
    assert half.share == pytest.approx(0.5, abs=0.05)
    assert not half.most
    assert half.function is None


def test_a_function_that_threads_also_execute_beside_others_is_not_named():
    inlined = {f"main+{place.partition('+')[2]}": often for place, often in MERGE.items()}
    found = own_code(sampled({f"main+{at}": 30 for at in range(0, 640, 64)}, inlined))
    assert found.most
    assert found.function is None


def test_the_same_code_is_nobodys_own_however_seldom_each_place_is_met():
    same = own_code(sampled(WORK, dict.fromkeys(WORK, 10)))
    assert (same.share, same.least, same.alike) == (0.0, 0.0, True)
    # Each place is met once in a run, of which one half by chance while no other thread could run.
    chance = random.Random(5)
    places = [{"file": 0, "at": 64 * at, "samples": 1} for at in range(300)]

    def drawn() -> dict:
        alone = [place | {"alone": 1} if chance.random() < 0.5 else place for place in places]
        return {"places": alone, "samples": len(places), "alone": sum("alone" in one for one in alone)}

    found = sampled(WORK, MERGE)
    for run in found.tests[HOTSPOTS].runs:
        run.record["hotspots"] |= drawn()
    assert own_code(found).share < 0.05


@pytest.mark.parametrize(("starters", "low", "high"), [(0, 0.7, 0.9), (40, 0.0, 0.1)])
def test_of_code_that_a_compiler_makes_the_pieces_of_one_run_tell(starters, low, high):
    # In each run 40 samples are alone in code of all threads, and 10 in code that one executes alone.
    work = {"samples": 100, "alone": 40} | ({"starters": starters} if starters else {})
    made = [work, {"samples": 100}, {"samples": 10, "alone": 10}]
    found = sampled(WORK, MERGE)
    for run in found.tests[HOTSPOTS].runs:
        run.record["hotspots"] |= {"places": [], "made": made, "samples": 210, "unnamed": 210, "alone": 50}
    told = own_code(found)
    assert 0.15 < told.least < told.share < told.at_most < 0.3
    assert low <= told.workers.low < told.workers.high < high
    assert own_code(sampled(WORK, MERGE)).workers is None, "code of files is known by its places"


def test_work_of_all_that_a_worker_does_alone_in_code_of_a_compiler_is_uneven():
    def found(starters: int, left: float = 0.3) -> list[tuple[str, ...]]:
        alone = Alone(share=0.7, intervals=9, longest_s=0.1, helper=False, own=0.7, place=2.0)
        # Twice the threads leave so much of 0.3 s.
        twice = Made(0.5 + left / 2, 1.0, {"one": left}, sleeps=10, shares=(0.4, 0.15, 0.15, 0.15, 0.15))
        made = sampled(WORK, MERGE, alone, **{"twice the threads": twice})
        for run in made.tests[HOTSPOTS].runs:
            pieces = [{"samples": 100, "alone": 40, "starters": starters}, {"samples": 100}]
            run.record["hotspots"] |= {"places": [], "made": pieces, "samples": 200, "unnamed": 200, "alone": 40}
        tests = made.tests | {HOTSPOTS: _with_shares(made.tests[HOTSPOTS], (0.4, 0.3, 0.3))}
        many = _with_shares(made.many, (0.75, 0.25) if starters == 0 else (0.4, 0.3, 0.3))
        return list(named(replace(made, many=many, tests=tests)))

    assert found(starters=0) == [("imbalance",)]
    assert found(starters=40) == [("serial part",)], "the thread that starts the others works alone"
    assert found(starters=40, left=0.15) == [("serial part",)], "whatever twice the threads leave"


@pytest.mark.parametrize(("alone", "beside"), [(100, 400), (500, 300), (40, 60)])
def test_what_chance_makes_of_the_same_code_is_the_mean_of_draws(alone, beside):
    draw = np.random.default_rng(5)
    every = draw.integers(1, 40, 200).astype(float)
    drawn = draw.binomial(every.astype(int), alone / (alone + beside), (4000, every.size)).astype(float)
    apart = (drawn * _own(drawn, every, alone, beside)).sum(axis=1)
    error = apart.std() / math.sqrt(apart.size)
    assert _by_chance(every, alone, beside).sum() == pytest.approx(apart.mean(), abs=4 * error)


def test_nothing_is_said_of_few_samples_and_of_records_that_do_not_tell():
    assert own_code(sampled(WORK, None)) is None
    assert own_code(sampled(WORK, {"merge+4096": 3})) is None
    assert own_code(sampled({"work+0": 3}, MERGE)) is None
    assert own_code(evidence_of(BASE, BASE, {})) is None


def test_short_stretches_of_any_thread_are_a_serial_part_where_they_have_code_of_their_own():
    short = Alone(share=0.3, intervals=300, longest_s=0.002, helper=False)
    assert named(sampled(WORK, dict.fromkeys(WORK, 10), short)) == {}
    assert named(sampled(WORK, MERGE, short))["serial part",] == pytest.approx(math.log(1.3), abs=0.02)


def test_the_same_code_alone_is_a_piece_of_the_work_where_its_thread_is_a_worker():
    def found(place: float, own: float) -> list[tuple[str, ...]]:
        alone = Alone(share=0.99, intervals=3, longest_s=0.2, helper=False, own=own, place=place)
        made = sampled(WORK, dict.fromkeys(WORK, 10), alone)
        # With twice the threads it stays as long as it is.
        tests = {name: (cell, (0.75, 0.25, 0.0)) for name, cell in made.tests.items()}
        tests["twice the threads"] = (made.tests["twice the threads"], (0.65, 0.12, 0.12, 0.11))
        changed = {name: _with_shares(cell, shares) for name, (cell, shares) in tests.items()}
        return list(named(replace(made, many=_with_shares(made.many, (0.75, 0.25)), tests=changed)))

    assert found(place=1.0, own=0.7) == [("imbalance",)]
    assert found(place=0.0, own=0.7) == [("serial part",)], "it starts the others"
    assert found(place=1.0, own=0.95) == [("serial part",)], "it never works beside others"


@pytest.mark.parametrize(
    ("place", "left", "expected"),
    [(1.0, 0.2, [("too few tasks", "imbalance")]), (0.0, 0.2, []), (1.0, 0.3, [])],
    ids=["of any worker", "also the first thread's", "nothing is filled"],
)
def test_the_same_code_alone_by_one_worker_after_another_comes_in_pieces(place, left, expected):
    alone = Alone(share=0.6, intervals=30, longest_s=0.02, helper=False, own=0.3, place=place)
    fewer = Made(0.6, 1.0, {"one": left}, sleeps=10, shares=(0.3, 0.27, 0.23, 0.2))
    made = sampled(WORK, dict.fromkeys(WORK, 10), alone, **{"twice the threads": fewer})
    found = [one for one in named(made) if one != ("serial part",)]
    assert found == expected


@pytest.mark.parametrize(("share", "expected"), [(0.1, [("too few tasks", "imbalance")]), (0.6, [])])
def test_what_short_lived_threads_each_do_alone_comes_in_pieces_though_more_threads_fill_no_gap(share, expected):
    many = Made(0.65, 1.0, {"one": 0.3}, sleeps=10, shares=(0.05,) * 20)
    alone = Alone(share=share, intervals=30, longest_s=0.02, helper=False, own=0.3, place=5.0)
    made = sampled(WORK, dict.fromkeys(WORK, 10), alone, **{"twice the threads": many})
    brief = {name: _with_shares(cell, many.shares) for name, cell in made.tests.items()}
    found = named(replace(made, many=_with_shares(made.many, many.shares), tests=brief))
    assert [one for one in found if one != ("serial part",)] == expected


def test_what_only_the_first_thread_does_is_a_serial_part_however_the_rest_is_divided():
    def found(own: float) -> list[tuple[str, ...]]:
        alone = Alone(share=0.97, intervals=15, longest_s=0.065, helper=False, own=own, place=0.0)
        made = sampled(WORK, dict.fromkeys(WORK, 10), alone)
        twice = _with_shares(made.tests["twice the threads"], (0.57, 0.16, 0.12, 0.1, 0.05))
        return list(named(replace(made, tests=made.tests | {"twice the threads": twice})))

    assert found(1.0) == [("serial part",)]
    assert ("serial part",) not in found(0.5), "the others' work was divided unevenly, and maybe its own, too"


def _with_shares(cell: Cell, shares: tuple[float, ...]) -> Cell:
    return replace(cell, runs=tuple(replace(run, shares=shares) for run in cell.runs))


def test_pieces_that_have_no_code_of_their_own_stay_uneven():
    uneven = Made(0.52, 1.0, {"one": 0.05}, sleeps=10, shares=(0.33, 0.28, 0.22, 0.17))
    found = sampled(WORK, dict.fromkeys(WORK, 10), **{"twice the threads": uneven})
    many = replace(found.many, runs=tuple(replace(run, shares=(0.64, 0.36)) for run in found.many.runs))
    assert list(named(replace(found, many=many))) == [("imbalance",)]


def test_a_real_program_shows_the_code_of_its_serial_part(binary, tmp_path):
    program = tmp_path / "ticks"
    subprocess.run(["gcc", "-O2", "-pthread", PROGRAM, "-o", program], check=True)
    spots = _hotspots(binary, program, "0.55")
    assert spots["alone"] > 50
    found = sampled(WORK, MERGE)
    cell = found.tests[HOTSPOTS]
    runs = tuple(replace(run, record=run.record | {"hotspots": spots}) for run in cell.runs)
    assert own_code(replace(found, tests=found.tests | {HOTSPOTS: replace(cell, runs=runs)})).most


def _hotspots(binary: str, program: Path, dial: str) -> dict:
    words = [binary, "run", "--json", "--switches", "--hotspots", "-n", "2", "--", program, "2", dial, "100"]
    record = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    if "unavailable" in record["hotspots"] or "alone" not in record["hotspots"]:
        skipped("code of a serial part", "this kernel takes no samples of instructions, or records no context switches")
    return record["hotspots"]
