"""The factorial of placements: known costs are found, shares add up, and interactions are named."""

from itertools import product

import numpy as np
import pytest
from conftest import machine
from told import Made, evidence_of

from knee.explain.asking.wanted import Left, wanted
from knee.explain.ledger.explanation import explanation
from knee.explain.ledger.placements import FACTORS, PLACED, placements
from knee.study.questions.placements import PLACEMENTS
from knee.study.questions.questions import asking
from knee.study.questions.seats import Seats

SOCKETS, SIBLINGS, FAR = (second for _, second in FACTORS)


def cells(cost, factors=(SOCKETS, SIBLINGS, FAR)):
    """Return runs of every placement of these factors; ``cost`` gives the logarithm of the time."""
    made = {}
    for name in PLACED:
        levels = {word for word in name.partition(": ")[2].split(", ") if word in (SOCKETS, SIBLINGS, FAR)}
        if levels <= set(factors):
            made[name] = Made(float(np.exp(cost(levels))), 1.0, threads=2)
    return made


def found(cost, noise=0.003, **more):
    tests = cells(cost, **more)
    return placements(evidence_of(Made(1.0, 1.0), Made(0.75, 1.3), tests, noise=noise))


COSTS = {SOCKETS: 0.1, SIBLINGS: 0.4, FAR: 0.05}


def test_costs_that_add_are_found_in_any_order():
    one = found(lambda levels: sum(COSTS[level] for level in levels))
    assert {each.factor for each in one.effects} == set(COSTS)
    for each in one.effects:
        assert each.share.value == pytest.approx(COSTS[each.factor], abs=0.01)
        assert each.high_order - each.low_order < 0.03
    assert one.interactions == ()


def test_shares_add_up_to_what_all_factors_cost_together():
    one = found(lambda levels: 0.5 * (len(levels) > 1) + 0.1 * len(levels))
    assert sum(each.share.value for each in one.effects) == pytest.approx(0.8, abs=0.01)
    assert all(each.high_order - each.low_order > 0.4 for each in one.effects)


def test_factors_that_act_on_each_other_are_named():
    one = found(lambda levels: 0.3 * ({SOCKETS, FAR} <= levels))
    ((pair, together),) = one.interactions
    assert set(pair.split(" and ")) == {SOCKETS, FAR}
    assert together.value == pytest.approx(0.3, abs=0.02)
    assert "more" in one.sentences[0]


def test_of_two_factors_there_are_four_placements():
    one = found(lambda levels: 0.2 * (SIBLINGS in levels), factors=(SIBLINGS, FAR))
    assert {each.factor: round(each.share.value, 1) for each in one.effects} == {SIBLINGS: 0.2, FAR: 0.0}


def test_a_factorial_with_a_placement_missing_says_nothing():
    tests = cells(lambda levels: 0.1 * len(levels))
    tests.pop(PLACED[3])
    assert placements(evidence_of(Made(1.0, 1.0), Made(0.75, 1.3), tests)) is None
    assert explanation(evidence_of(Made(1.0, 1.0), Made(0.75, 1.3))).placements is None


def test_each_placement_has_as_many_threads():
    assert [one.name for one in PLACEMENTS] == list(PLACED)
    here = two_sockets()
    seats = Seats(tuple(range(16)), here)
    assert (seats.placeable, len(seats.sockets)) == (4, 2)
    used = {}
    spec = {"cell": {"threads": 16}, "threads": 16, "cpus": list(range(16)), "program": {"command": ["p", "{threads}"]}}
    for one, (sockets, siblings, _) in zip(PLACEMENTS, product((0, 1), repeat=3), strict=True):
        assert one.fits(seats)
        made = asking(one, spec, here)
        assert made["threads"] == len(set(made["cpus"])) == 4
        cores = {core["id"] for core in here["cores"] if set(core["cpus"]) & set(made["cpus"])}
        touched = {core["socket"] for core in here["cores"] if core["id"] in cores}
        assert (len(touched), len(cores)) == (1 + sockets, 4 // (1 + siblings))
        used[one.name] = made.get("memory")
    assert sum(memory is not None for memory in used.values()) == 4


def test_on_one_node_without_siblings_nothing_can_be_placed_differently():
    assert not any(one.fits(Seats((0, 1), machine(2))) for one in PLACEMENTS)


def test_placements_are_asked_about_where_copies_cannot_be():
    from told import runs

    made = runs(Made(1.0, 1.0), Made(0.75, 1.5), blocks=4)
    names = [one.name for one in wanted(made, 2, Left(4, 12, 9.0, lambda _, name: name in PLACED))]
    assert [name for name in names if name in PLACED] == list(PLACED)
    with_copies = [one.name for one in wanted(made, 2, Left(4, 12, 9.0, lambda _, name: name in (*PLACED, "copies")))]
    assert not set(PLACED) & set(with_copies)


def two_sockets():
    """Return a machine of two sockets and nodes with four cores of two threads each."""
    cores = [
        {"id": number, "socket": number // 4, "node": number // 4, "cpus": [number, number + 8]} for number in range(8)
    ]
    return machine(16) | {"cores": cores, "nodes": [{"id": 0}, {"id": 1}]}
