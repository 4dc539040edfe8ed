"""How CPU time grows over thread counts tells work that is done twice from shared lines and from more work."""

from __future__ import annotations

import math

import pytest
from told import Made, evidence_of, named

from knee.explain.ledger.ledger import ledger
from knee.explain.signs.computing.growth import growth

BASE = Made(1.0, 1.0)
N = 8

GROWN = {
    "in proportion": lambda n: 1 + 0.1 * (n - 1),
    "has a limit": lambda n: 1 + 1.4 * (1 - 1 / n),
    "accelerates": lambda n: 1 + 0.002 * n**3,
}


def told(grown, tests=None):
    counts = {count: Made(grown(count) / count, grown(count)) for count in (2, 4)}
    return evidence_of(BASE, Made(grown(N) / N, grown(N)), tests, n=N, between=counts)


def grown_of(found):
    return growth(found, ledger(found))


@pytest.mark.parametrize("how", GROWN)
def test_growth_is_told_apart(how):
    found = grown_of(told(GROWN[how]))
    assert (found.how, found.fewer, found.threads) == (how, 4, N)
    assert found.limited == (how == "has a limit")


def test_growth_that_is_too_small_or_has_no_count_in_between_tells_nothing():
    assert grown_of(told(lambda n: 1 + 0.0001 * n)) is None
    assert grown_of(evidence_of(BASE, Made(0.3, 2.4), n=N)) is None


def test_what_the_machine_adds_makes_growth_uncertain_by_as_much():
    linear = GROWN["in proportion"]
    slow = {"copies": Made(1.3, N * 1.3), "one cpu": Made(1.0, 1.0, sleeps=4)}
    found = grown_of(told(lambda n: 1.3 * linear(n), slow))
    assert found is not None
    assert found.ratio.interval.low < 0 < found.ratio.interval.high
    assert found.how is None


def side_by_side(grown) -> dict[str, Made]:
    """Return answers that say: it grows only where threads run at the same time."""
    many = Made(grown(N) / N, grown(N))
    return {"one cpu": Made(1.0, 1.0, sleeps=4), "copies": Made(1.0, N * 1.0), "twice the threads": many}


def test_what_grows_side_by_side_is_no_more_than_what_grows_from_the_base():
    def found(grown: float, on_one: float) -> dict[tuple[str, ...], float]:
        many = Made(grown / 2, grown)
        tests = {"one cpu": Made(on_one, on_one, sleeps=4), "copies": Made(1.0, 2.0), "twice the threads": many}
        return named(evidence_of(BASE, many, tests))

    (names, part), *rest = found(1.3, 1.0).items()
    assert not rest
    assert part == pytest.approx(math.log(1.3), abs=0.01), names
    # What one cpu needs less does not make it more; where nothing else grows, nothing is named.
    assert found(1.3, 0.96)[names] == pytest.approx(math.log(1.3), abs=0.01)
    assert found(1.01, 0.96) == {}


def test_only_growth_in_proportion_is_duplicated_work():
    linear, limited = GROWN["in proportion"], GROWN["has a limit"]
    whole = pytest.approx(math.log(linear(N)), abs=0.05)
    assert named(told(linear, side_by_side(linear))) == {("duplicated work",): whole}
    assert list(named(told(limited, side_by_side(limited)))) == [("false sharing", "true sharing")]


def test_a_spin_lock_needs_growth_on_one_cpu_and_more_work_slows_down():
    faster, limited = GROWN["accelerates"], GROWN["has a limit"]
    many = faster(N)
    spins = {**side_by_side(faster), "one cpu": Made(1.1, 1.1, sleeps=4)}
    assert list(named(told(faster, spins))) == [("spinning",)]
    more = {
        "one cpu": Made(limited(N), limited(N), sleeps=4),
        "copies": Made(1.0, N * 1.0),
        "twice the threads": Made(1.2 * limited(N) / N, 1.2 * limited(N)),
    }
    assert list(named(told(limited, more))) == [("instruction growth",)]
    assert many > 1
