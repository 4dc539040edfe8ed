"""Whether work was divided unevenly, or came in a few equal pieces, as shares of CPU time tell; and a serial part."""

import math
from dataclasses import replace

import pytest
from told import Made, evidence_of, named

from knee.explain.ledger.ledger import ledger
from knee.explain.signs.idle.alone import alone
from knee.explain.signs.idle.pieces import divided_unevenly, may_be_equal
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
CALM = Made(1.0, 1.0, sleeps=4)
STRAIGHT = (0.33, 0.28, 0.22, 0.17)
"""Shares of four threads that get less and less."""


def divided(shares: tuple[float, ...], twice: tuple[float, ...], *, moves: float = 0.0, left: float = 0.05):
    """Return evidence of two threads with these shares; with twice as many, the first two exchange some each time."""
    time = max(shares)
    many = Made(time, 1.0, {"one": 2 * time - 1}, sleeps=10, shares=shares)
    found = evidence_of(
        BASE, many, {"one cpu": CALM, "twice the threads": Made(0.52, 1.0, {"one": left}, sleeps=10, shares=twice)}
    )
    cell = found.tests["twice the threads"]
    runs = [
        replace(run, shares=(twice[0] + by, twice[1] - by, *twice[2:]))
        for run, by in zip(cell.runs, (moves, -moves) * 3, strict=True)
    ]
    found.tests["twice the threads"] = replace(cell, runs=tuple(runs))
    return found


def test_what_was_divided_beforehand_is_the_same_in_each_run():
    assert divided_unevenly(divided((0.64, 0.36), STRAIGHT))
    assert not divided_unevenly(divided((0.64, 0.36), STRAIGHT, moves=0.08)), "pieces go to any thread"
    assert not divided_unevenly(divided((0.64, 0.36), (0.46, 0.18, 0.18, 0.18))), "the others have the same"


@pytest.mark.parametrize(
    ("shares", "equal"),
    [((0.667, 0.333), True), ((0.6, 0.4), True), ((0.571, 0.429), True), ((0.64, 0.36), False), ((0.75, 0.25), False)],
)
def test_equal_pieces_have_two_values_of_shares(shares, equal):
    assert may_be_equal(divided(shares, STRAIGHT, moves=0.08)) == equal


@pytest.mark.parametrize(("more", "equal"), [(1, False), (8, True)])
def test_of_many_threads_hardly_one_alone_has_a_piece_more(more, equal):
    shares = tuple((3 if at < more else 2) / (80 + more) for at in range(40))
    found = evidence_of(BASE, Made(0.05, 1.0, {"one": 0.5}, sleeps=10, shares=shares), {"one cpu": CALM}, n=40)
    assert may_be_equal(found) == equal


def test_as_uneven_pieces_with_twice_the_threads_are_not_equal():
    assert not may_be_equal(divided((0.6, 0.4), (0.275, 0.26, 0.24, 0.225)))
    assert may_be_equal(divided((0.6, 0.4), (0.4, 0.2, 0.2, 0.2)))


def test_both_are_left_where_shares_do_not_tell():
    migrating = (0.3, 0.27, 0.25, 0.18)
    assert list(named(divided((0.66, 0.34), migrating, moves=0.08))) == [("too few tasks", "imbalance")]
    assert list(named(divided((0.64, 0.36), STRAIGHT))) == [("imbalance",)]


def test_the_largest_of_uneven_pieces_is_no_serial_part():
    serial = divided((0.7, 0.3), (0.55, 0.15, 0.15, 0.15), left=0.4)
    assert list(named(serial)) == [("serial part",)]
    assert ("serial part",) not in named(divided((0.7, 0.3), (0.48, 0.22, 0.2, 0.1), left=0.4))


def test_a_serial_part_is_one_threads():
    alone = Alone(share=0.07, intervals=60, longest_s=0.01, helper=False)
    found = divided((0.7, 0.3), (0.55, 0.15, 0.15, 0.15), left=0.4)
    watched = replace(found.many, runs=tuple(_with(run, alone) for run in found.many.runs))
    assert named(replace(found, many=watched)) == {}
    same = replace(found.many, runs=tuple(_with(run, replace(alone, share=0.9)) for run in found.many.runs))
    assert list(named(replace(found, many=same))) == [("serial part",)]


def test_what_a_thread_does_that_never_works_beside_others_was_not_divided():
    alone = Alone(share=0.85, intervals=200, longest_s=0.014, helper=False)
    twice = Made(0.65, 1.0, {"one": 0.21}, sleeps=10, shares=(0.3, 0.18, 0.18, 0.17, 0.17))

    def found(own: float) -> dict:
        many = Made(0.65, 1.0, {"one": 0.3}, sleeps=10, shares=(0.35, 0.35, 0.3), alone=replace(alone, own=own))
        return named(evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": twice}))

    assert found(0.95)["serial part",] == pytest.approx(0.85 * math.log(1.3), abs=0.02)
    assert found(0.5)["serial part",] < 0.17, "it has a part of the others' work, maybe a larger one"


def test_cpu_time_that_more_threads_add_fills_no_gap():
    many = Made(0.9, 1.4, {"one": 0.4}, sleeps=10, shares=(0.65, 0.35), alone=Alone(0.98, 20, 0.3, False))
    more = Made(0.9, 1.65, {"one": 0.15}, sleeps=10, shares=(0.4, 0.3, 0.15, 0.15))
    tests = {"one cpu": Made(1.4, 1.4, sleeps=4), "twice the threads": more}
    assert list(named(evidence_of(Made(1.4, 1.4), many, tests))) == [("serial part",)]
    filled = Made(0.75, 1.4, {"one": 0.1}, sleeps=10, shares=(0.4, 0.3, 0.15, 0.15))
    assert ("serial part",) not in named(evidence_of(Made(1.4, 1.4), many, {**tests, "twice the threads": filled}))


def _with(run, alone):
    return replace(run, idle=replace(run.idle, alone=alone))


@pytest.mark.parametrize("noise", [0.003, 0.15])
def test_a_clock_that_changes_from_run_to_run_hides_no_serial_part(noise):
    many = Made(0.65, 1.0, {"one": 0.3}, sleeps=10, shares=(0.65, 0.35))
    tests = {"one cpu": CALM, "twice the threads": replace(many, shares=(0.48, 0.18, 0.17, 0.17))}
    found = evidence_of(BASE, many, tests, noise=noise, blocks=4)
    assert alone(found, ledger(found), "one").stays.interval.low > 0.99
    assert list(named(found)) == [("serial part",)]


def test_a_base_that_waits_as_much_has_no_serial_part():
    waits = Made(1.0, 0.7, {"nobody": 0.3})
    many = Made(0.6, 0.7, {"nobody": 0.2, "one": 0.3}, sleeps=10, shares=(0.5, 0.5))
    tests = {"one cpu": Made(0.8, 0.7, sleeps=10), "twice the threads": replace(many, shares=(0.25,) * 4)}
    assert ("serial part",) not in named(evidence_of(waits, many, tests))


def test_threads_that_come_and_go_leave_open_how_many_pieces_there_are():
    def found(*shares: float, idle: float = 0.3) -> dict:
        many = Made((1 + idle) / 2, 1.0, {"one": idle}, sleeps=10, shares=shares)
        twice = Made(0.5 + idle / 6, 1.0, {"one": idle / 8}, sleeps=10, shares=(0.07,) * 14)
        return named(evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": twice}))

    assert list(found(0.64, 0.36)) == [("imbalance",)]
    assert list(found(*(0.125,) * 8)) == [("too few tasks", "imbalance")]
    assert list(found(*(0.125,) * 8, idle=0.1)) == [("too few tasks", "imbalance")]
    assert found(*(0.125,) * 8, idle=0.06) == {}, "a part that may be below 0.05, and two causes for it"


def test_work_in_fewer_pieces_than_threads_is_too_few_tasks():
    many = Made(1 / 3, 1.0, {"few": 1 / 3}, sleeps=10, shares=(1 / 3,) * 3)
    found = evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": many}, n=4)
    assert named(found) == {("too few tasks",): pytest.approx(math.log(4 / 3), abs=0.02)}


def test_equal_pieces_are_no_serial_part_though_twice_the_threads_compute_more():
    stretch = Alone(share=0.94, intervals=5, longest_s=0.3, helper=False)
    many = Made(2 / 3, 1.0, {"one": 1 / 3}, sleeps=10, shares=(0.66, 0.34), alone=stretch)
    twice = Made(0.62, 1.2, {"one": 0.1}, sleeps=10, shares=(0.34, 0.33, 0.33))
    found = evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": twice})
    assert named(found) == {("too few tasks",): pytest.approx(math.log(4 / 3), abs=0.03)}
    unequal = replace(twice, shares=(0.42, 0.33, 0.25))
    found = evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": unequal})
    assert list(named(found)) == [("serial part",)], "what more threads compute may not fill the gap"


def test_many_equal_pieces_are_not_surely_uneven():
    def found(*more: float) -> dict:
        many = Made(4 / 13, 1.0, {"one": 3 / 13}, sleeps=10, shares=(4 / 13, 3 / 13, 3 / 13, 3 / 13))
        twice = Made(0.27, 1.0, {"one": 0.03}, sleeps=10, shares=more)
        return named(evidence_of(BASE, many, {"one cpu": CALM, "twice the threads": twice}, n=4))

    assert list(found(*(2 / 13,) * 5, *(1 / 13,) * 3)) == [("too few tasks", "imbalance")]
    assert list(found(0.2, 0.17, 0.15, 0.13, 0.11, 0.09, 0.08, 0.07)) == [("imbalance",)]
