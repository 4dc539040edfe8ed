"""Rules that leave a cause unnamed where runs do not tell it apart from another one."""

from dataclasses import replace

import pytest
from told import Made, evidence_of, named

from knee.explain.causes.idle import imbalance
from knee.explain.ledger.ledger import ledger
from knee.explain.ledger.memory import distance_untold
from knee.explain.signs.computing.each_thread import may_be_each
from knee.explain.signs.idle import alone as dividing
from knee.explain.signs.idle.stretches import bottleneck
from knee.store.records.idle import Alone

BASE = Made(1.0, 1.0)
FOUR = (0.3, 0.27, 0.23, 0.2)


@pytest.mark.parametrize(
    ("shares", "share", "expected"),
    [((0.95, 0.05), 1.0, True), ((0.95, 0.05), 0.6, False), ((0.7, 0.3), 1.0, False), ((0.95, 0.05), None, False)],
)
def test_a_thread_that_never_sleeps_waits_for_no_lock(shares, share, expected):
    alone = None if share is None else Alone(share, 5000, 0.001, False)
    assert bottleneck(evidence_of(BASE, Made(1.0, 1.05, sleeps=5000, shares=shares, alone=alone))) == expected


@pytest.mark.parametrize(("left", "is_named"), [(3500, True), (1800, False)])
def test_a_lock_is_named_beside_settings_that_take_few_waits_away(left, is_named):
    many = Made(0.75, 1.0, {"one": 0.5}, sleeps=4000, shares=(0.5, 0.5))
    kept, other = "page faults: kept memory", "allocator: jemalloc as allocator"
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": replace(many, shares=FOUR)}
    for setting in (kept, other):
        tests |= {setting: replace(many, sleeps=left), f"{setting}, base": BASE}
    assert (("sleeping lock",) in named(evidence_of(BASE, many, tests))) == is_named


@pytest.mark.parametrize(("twice", "noise", "expected"), [(1.315, 0.03, True), (2.5, 0.03, False), (1.5, 0.001, False)])
def test_each_thread_may_do_the_same_more_where_times_vary(twice, noise, expected):
    tests = {"one cpu": Made(1.105, 1.105), "twice the threads": Made(twice / 2, twice, shares=FOUR)}
    found = evidence_of(BASE, Made(0.555, 1.105, shares=(0.5, 0.5)), tests, noise=noise)
    assert may_be_each(found, ledger(found)) == expected


@pytest.mark.parametrize(
    ("pages", "asked", "expected"), [({"0": 95, "1": 5}, True, True), ({"0": 5, "1": 5}, True, False),
                                     ({"0": 95, "1": 5}, False, False)],
)  # fmt: skip
def test_interleaved_pages_leave_the_distance_of_half_of_them(pages, asked, expected):
    many = Made(0.7, 1.4, pages=pages)
    tests = {"interleaved memory": replace(many, pages={"0": 50, "1": 50})} if asked else {}
    assert distance_untold(evidence_of(BASE, many, tests)) == expected


def test_pieces_that_are_shorter_than_waking_up_are_known_by_their_sleeps():
    def asleep_s(sleeps: int) -> float:
        return imbalance._asleep_s(evidence_of(BASE, Made(0.75, 1.0, {"one": 0.5}, sleeps=sleeps)))

    assert asleep_s(10_000) == pytest.approx(50e-6, rel=0.05)
    assert asleep_s(100) == pytest.approx(5e-3, rel=0.05)


@pytest.mark.parametrize(
    ("shares", "expected"), [((0.55, 0.15, 0.15, 0.15), True), ((0.4, 0.3, 0.2, 0.1), False), ((0.7, 0.3), False)]
)
def test_the_threads_beside_the_busiest_may_have_as_much(shares, expected):
    n = len(shares)
    found = evidence_of(BASE, Made(0.475, 1.0, {"one": 0.9}, shares=shares), n=n)
    assert dividing._others_have_as_much(found) == expected
