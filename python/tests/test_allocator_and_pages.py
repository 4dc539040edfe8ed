"""Where pages fault, another allocator takes away some of the time for pages as well: that is no time of its own."""

from dataclasses import replace

import pytest
from told import Made, evidence_of, runs, series_of

from knee.explain.evidence.evidence import Evidence, evidence
from knee.explain.ledger.ledger import ledger
from knee.explain.ledger.naming import candidates

KEPT, OTHER = "page faults: kept memory", "allocator: another one"
FOUR = (0.3, 0.27, 0.23, 0.2)
BASE = Made(1.0, 1.0, system=0.25, faults=150_000)
MANY = Made(0.68, 1.22, {"one": 0.14}, sleeps=3000, system=0.45, faults=150_000, disk=0.1)
TESTS = {
    "one cpu": replace(BASE, sleeps=4),
    "copies": Made(1.0, 2.0, system=0.5, faults=300_000),
    "twice the threads": replace(MANY, shares=FOUR),
}
KEEPS = {
    KEPT: Made(0.42, 0.82, {"one": 0.02}, sleeps=200, system=0.03, faults=900),
    f"{KEPT}, base": Made(0.79, 0.79, system=0.02, faults=900),
}


def with_another(seconds: float, cpu: float, **more: float) -> dict[str, Made]:
    """Return the runs with another allocator, which leads to as many faults."""
    off = {"one": 2 * seconds - cpu}
    return {OTHER: Made(seconds, cpu, off, faults=140_000, **more), f"{OTHER}, base": replace(BASE, faults=140_000)}


IN_THE_KERNEL = with_another(0.615, 1.14, sleeps=1500, system=0.37, disk=0.05)
OUTSIDE = with_another(0.615, 1.10, sleeps=2900, system=0.45, disk=0.1)


def found(tests: dict[str, Made]) -> Evidence:
    libc = {"programs": ["/p"], "libraries": ["libc.so.6"]}
    return evidence(series_of(runs(BASE, MANY, TESTS | tests, mapped=libc)), 2)


@pytest.mark.parametrize("kept", [KEEPS, {}], ids=["tested", "by copies"])
def test_time_for_pages_that_another_allocator_takes_away_is_page_faults(kept):
    one = found(kept | IN_THE_KERNEL)
    assert [each.names for each in candidates(one, ledger(one))] == [("page faults",)]


@pytest.mark.parametrize("other", [OUTSIDE, with_another(0.51, 1.0, sleeps=300, system=0.3, disk=0.06)])
def test_causes_that_settings_take_away_hold_no_more_than_the_loss(other):
    one = found(KEEPS | other)
    book = ledger(one)
    named = {each.cause: each.part for each in candidates(one, book)}
    assert set(named) == {"page faults", "allocator"}
    assert sum(part.value for part in named.values()) == pytest.approx(book.loss.value, abs=0.01)


def test_it_is_said_how_much_of_what_goes_is_time_for_pages():
    one = found(KEEPS | with_another(0.51, 1.0, sleeps=300, system=0.3, disk=0.06))
    (allocator,) = [each for each in candidates(one, ledger(one)) if each.cause == "allocator"]
    assert any("of that is time for pages, and not its own" in sign for sign in allocator.signs)


def test_without_page_faults_all_that_another_allocator_takes_away_is_its_own():
    base, many = replace(BASE, faults=0), replace(MANY, faults=0)
    tests = {name: replace(each, faults=0) for name, each in (TESTS | IN_THE_KERNEL).items()}
    one = evidence_of(base, many, tests)
    (allocator,) = [each for each in candidates(one, ledger(one)) if each.cause == "allocator"]
    assert allocator.part.value == pytest.approx(0.10, abs=0.01)
