"""A thread that looks again and again whether others are done computes as long as the run takes: no work grows."""

import math
from dataclasses import replace

import pytest
from told import Made, evidence_of, named

from knee.explain.ledger.explanation import explanation, unexplained
from knee.explain.ledger.ledger import MORE, ledger
from knee.explain.ledger.naming import candidates
from knee.explain.signs.computing.polling import polled
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0, shares=(1.0,))
FIVE = (0.24, 0.23, 0.23, 0.22, 0.08)
POLL = 0.12
"""CPU seconds of a second in which a thread polls."""


def with_polls(many: Made, one_cpu: Made, poll: float = POLL, own: float = 0.0) -> tuple[Made, Made]:
    """Return both with a third thread that polls as long as they take, 15,000 times a second, and computes some of the
    work of its own.
    """
    made = []
    for one in (many, one_cpu):
        seconds = one.seconds / (1 - poll) if one is one_cpu else one.seconds
        cpu = one.cpu + poll * seconds
        shares = ((one.cpu - own) / 2 / cpu, (one.cpu - own) / 2 / cpu, (poll * seconds + own) / cpu)
        sleeps = one.sleeps + round(15_000 * seconds)
        made.append(replace(one, seconds=seconds, cpu=cpu, shares=shares, sleeps=sleeps, own_sleeps=one.sleeps))
    return made[0], made[1]


def study(many: Made, one_cpu: Made):
    tests = {"one cpu": one_cpu, "copies": Made(1.0, 2.0), "twice the threads": replace(many, shares=FIVE)}
    return evidence_of(BASE, many, tests)


SERIAL = Made(0.72, 1.0, {"one": 0.35}, sleeps=4, alone=Alone(1.0, 3, 0.3, helper=False))
ON_ONE = Made(1.0, 1.0, sleeps=4)


@pytest.mark.parametrize("own", [0.0, 0.15])
def test_a_main_thread_that_polls_is_no_growth_of_the_work(own):
    found = study(*with_polls(SERIAL, ON_ONE, own=own))
    assert ("instruction growth",) not in named(found)
    assert polled(found).value == pytest.approx(math.log(1 + POLL * 0.72), abs=0.01)
    told = explanation(found)
    assert told.unexplained.interval.low < 0.02, "it is known what computes"
    assert [one.names for one in told.findings] == [("serial part",)]


def test_what_grows_beside_it_is_still_named_and_without_it():
    many, one_cpu = (replace(one, seconds=1.2 * one.seconds, cpu=1.2 * one.cpu) for one in (Made(0.5, 1.0), ON_ONE))
    found = study(*with_polls(many, one_cpu, 0.05))
    (one,) = [each for each in candidates(found, ledger(found)) if each.cause == "instruction growth"]
    assert one.part.value == pytest.approx(math.log(1.2), abs=0.02)
    assert any("a thread that polls until the others are done" in sign for sign in one.signs)


@pytest.mark.parametrize("sleeps", [4, 9000])
@pytest.mark.parametrize("own_sleeps", [4, None])
def test_a_thread_that_merges_results_does_as_much_on_one_cpu(sleeps, own_sleeps):
    # Its CPU time does not depend on how long the run takes.
    many = Made(0.72, 1.15, {"one": 0.29}, sleeps=sleeps, shares=(0.435, 0.435, 0.13), own_sleeps=own_sleeps)
    one_cpu = Made(1.15, 1.15, sleeps=sleeps, shares=(0.435, 0.435, 0.13), own_sleeps=own_sleeps)
    found = study(many, one_cpu)
    assert polled(found) is None
    assert ("instruction growth",) in named(found)


def test_what_more_there_is_to_do_has_the_polls_already():
    # Side by side CPU time grows for no known reason beside instruction growth, which has the polls.
    many, one_cpu = with_polls(Made(0.85, 1.6), replace(ON_ONE, seconds=1.3, cpu=1.3), 0.05)
    found = study(many, one_cpu)
    book, named = ledger(found), candidates(found, ledger(found))
    growth = [one for one in named if one.holds == (MORE,)]
    assert growth
    assert unexplained(book, growth, polled(found)).value == pytest.approx(unexplained(book, growth).value)
    assert unexplained(book, [], polled(found)).value < unexplained(book, []).value
