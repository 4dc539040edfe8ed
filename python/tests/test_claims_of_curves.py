"""Claims about curves: slopes and orders of simulated studies are found; without enough counts there is no number."""

import itertools
import json
import math

import numpy as np
import pytest
from conftest import VALID, judged, rewrite

from knee.explain.claims.disturbed import FITS, Lost, widened
from knee.explain.claims.evidence import Number
from knee.stats.intervals import Interval

CLOSE = {n: (8 / n, 8.0) for n in (1, 2, 4, 8)}
SPREAD = {n: (8 * 1.2 / n**0.9, 8.0) for n in (1, 2, 4, 8)}
CROSSING = {n: (8 * (0.8 if n < 4 else 1.3) / n, 8.0) for n in (1, 2, 4, 8)}
CURVES = {"cores-close": CLOSE, "cores-spread": SPREAD, "threads-close": CROSSING}


def slope(placement: str, between: str = "[1, 8]", more: str = "") -> str:
    return f'slope = {{ placement = "{placement}" }}\nbetween = {between}\n{more}'


def bend(placement: str, between: str = "[1, 8]", more: str = "") -> str:
    return slope(placement, between, more).replace("slope", "bend")


def order(of: str, over: str, between: str = "[1, 8]", more: str = "above = 1") -> str:
    sides = f'of = {{ placement = "{of}" }}, over = {{ placement = "{over}" }}'
    return f"order = {{ {sides} }}\nbetween = {between}\n{more}"


def test_a_slope_is_that_of_the_curve_that_was_made_up(simulated):
    claims = judged(
        simulated(CURVES),
        slope("cores-close", more="above = -1.05\nbelow = -0.95"),
        slope("cores-spread", more='response = "speedup"\nabove = 0.95'),
        slope("cores-spread", more='response = "speedup"\nabove = 0.9'),
        slope("cores-spread", "[2, 8]", 'response = "cpu"\nabove = -0.05\nbelow = 0.05'),
    )
    assert [one.answer for one in claims] == ["confirmed", "refuted", "undecided", "confirmed"]
    assert [one.value for one in claims] == pytest.approx([-1, 0.9, 0.9, 0], abs=0.02)
    assert claims[1].asked == "log-log slope of speedup of placement=cores-spread between 1 and 8 threads: above 0.95"
    assert claims[1].why == "the whole interval lies outside the bounds; over threads=1,2,4,8"
    assert claims[3].why.endswith("over threads=2,4,8")


STRAIGHT = {n: (8 * 1.2 / n**0.9, 8.0) for n in range(1, 9)}
FLAT = {n: (8 / min(n, 8**0.5), 8.0) for n in range(1, 9)}
"""No gain from the middle of the logarithmic axis on."""


def test_a_bend_is_that_of_the_curve_that_was_made_up(simulated):
    speedup = 'response = "speedup"\n'
    claims = judged(
        simulated({"cores-close": STRAIGHT, "cores-spread": FLAT}),
        bend("cores-close", more=f"{speedup}above = -0.1\nbelow = 0.1"),
        bend("cores-spread", more=f"{speedup}above = -0.1\nbelow = 0.1"),
        bend("cores-spread", more="above = 0.9"),
        bend("cores-close", "[2, 4]", "below = 0.3"),
        slope("cores-spread", more=f"{speedup}above = 0.9"),
    )
    assert [one.answer for one in claims] == ["confirmed", "refuted", "confirmed", "confirmed", "refuted"]
    assert [one.value for one in claims[:3]] == pytest.approx([0, -1, 1], abs=0.04)
    assert claims[0].asked.startswith("bend of speedup of placement=cores-close between 1 and 8 threads: above -0.1")
    assert claims[3].why.endswith("over threads=2,3,4")


def test_two_counts_have_a_slope_and_no_bend(simulated):
    few, all_four = (bend("cores-close", between, "above = 0") for between in ("[1, 2]", "[1, 8]"))
    one, two = judged(simulated(CURVES), few, all_four)
    assert one.why == "threads=1,2 between 1 and 2: a bend needs at least three"
    assert two.why.endswith("over threads=1,2,4,8")


def test_a_slope_is_taken_over_the_machines_own_counts(simulated):
    (one,) = judged(simulated(CURVES), slope("cores-close", '[1, "cores"]', "below = -0.9"))
    assert (one.answer, one.why.partition("; ")[2]) == ("confirmed", "over threads=1,2,4")


def test_the_slope_of_weak_scaling_is_that_of_the_work(simulated):
    folder = simulated({"cores-close": {n: (8.0, 8.0 * n) for n in (1, 2, 4)}})
    study = folder.study_spec.read_text()
    folder.study_spec.write_text(f"{study}[design.weak]\nargument = 'n'\none_thread = 10\npower = 1\n")
    time, speedup = judged(
        folder,
        slope("cores-close", more="above = -0.05\nbelow = 0.05"),
        slope("cores-close", more="response = 'speedup'\nabove = 0.95\nbelow = 1.05"),
    )
    assert (time.answer, speedup.answer) == ("confirmed", "confirmed")


def test_a_slope_of_speedup_is_divided_as_any_other(simulated):
    """CPU time grows with the square root of the threads, and so does speedup per CPU time."""
    folder = simulated({"cores-close": {n: (8 / n, 8 * n**0.5) for n in (1, 2, 4, 8)}})
    (one,) = judged(folder, slope("cores-close", more="response = 'speedup'\nper = 'cpu'\nabove = 0.4"))
    assert one.value == pytest.approx(0.5, abs=0.02)


def test_an_order_holds_where_it_holds_at_every_count(simulated):
    claims = judged(
        simulated(CURVES),
        order("cores-spread", "cores-close"),
        order("cores-close", "cores-spread", more="below = 1"),
        order("cores-spread", "cores-close", more='response = "speedup"\nbelow = 1'),
        order("threads-close", "cores-close"),
        order("threads-close", "cores-close", "[4, 8]"),
    )
    assert [one.answer for one in claims] == ["confirmed", "confirmed", "confirmed", "refuted", "confirmed"]
    assert claims[0].value == pytest.approx(1.2, abs=0.02)
    assert claims[0].why == "the whole interval lies within the bounds; smallest at threads=1, of threads=1,2,4,8"
    assert claims[1].why.endswith("largest at threads=1, of threads=1,2,4,8")
    # With one thread a speedup is 1 on either side: there is nothing to compare.
    assert claims[2].why.endswith("of threads=2,4,8")
    assert claims[3].value == pytest.approx(0.8, abs=0.02)
    assert claims[4].asked.startswith(
        "time of placement=threads-close over that of placement=cores-close at every count"
    )


def test_an_order_is_undecided_where_one_count_is(simulated):
    same = {"cores-close": CLOSE, "cores-spread": {n: (8 / n * (1.5 if n > 1 else 1.0), 8.0) for n in CLOSE}}
    (one,) = judged(simulated(same), order("cores-spread", "cores-close"))
    assert one.answer == "undecided"
    assert one.interval.low < 1 < one.interval.high


def without(folder, threads: int, *, first_block: int) -> None:
    """Make every run of a thread count bad from a block on."""
    plan = {spec["id"]: spec for spec in folder.read_plan()}
    lines = [json.loads(line) for line in folder.records.read_text().splitlines()]
    for one in lines:
        if plan[one["id"]]["threads"] == threads and one["block"] >= first_block:
            one["exit"] = {"code": 1}
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))


def test_a_count_without_good_runs_leaves_no_slope_and_no_order(simulated):
    folder = simulated(CURVES)
    without(folder, 4, first_block=2)
    claims = judged(
        folder,
        slope("cores-close", more="below = 0"),
        order("cores-spread", "cores-close"),
        slope("cores-close", "[1, 2]", "below = -0.9"),
        slope("cores-close", "[5, 9]", "below = -0.9"),
        order("cores-spread", "cores-close", "[9, 99]"),
    )
    assert [one.answer for one in claims] == [*["not measurable here"] * 2, "confirmed", *["not measurable here"] * 2]
    assert claims[0].why == "fewer than two blocks have a good run of each count"
    assert claims[1].why == "fewer than two blocks have a good run of both with threads=4"
    assert claims[3].why == "threads=8 between 5 and 9: a slope needs at least two"
    assert claims[4].why == "no thread count between 9 and 99 was run with both"


def test_a_slope_that_other_programs_may_have_changed_is_undecided(simulated):
    folder = simulated(CURVES)
    lines = [
        json.loads(line) | {"validity": VALID | {"other_busy": 0.5}} for line in folder.records.read_text().splitlines()
    ]
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in lines))
    (one,) = judged(folder, slope("cores-close", more="below = -0.9"))
    assert (one.answer, one.why.partition(" of the time")[0]) == (
        "undecided",
        "other programs may have taken 99 %",
    )


@pytest.mark.parametrize(
    ("kind", "counts"),
    [("slope", (1, 2, 4)), ("slope", (1, 2, 3, 64)), ("bend", (1, 2, 4, 8)), ("bend", (1, 2, 63, 64))],
)
def test_what_others_took_at_the_worst_counts_is_in_the_interval_of_a_fit(kind, counts):
    most, made = 0.1, np.array(counts, float)
    number = Number(0.0, Interval(-0.01, 0.01))
    ends = widened(kind, number, Lost(most, counts))
    every = itertools.product([0.0, -most], repeat=len(counts))
    found = [FITS[kind](made, np.exp(np.array([lost])))[0] for lost in every]
    assert (ends.low, ends.high) == pytest.approx((min(found) - 0.01, max(found) + 0.01))


def test_what_others_took_of_the_side_that_counts_often_counts_as_often(simulated):
    folder = simulated({"cores-close": {1: (1.0, 1.0)}, "none": {1: (1.0, 1.0)}})
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.06}})
    # Written in this order on purpose: what the claim takes several times is `from`.
    sides = 'from = { placement = "none", threads = 1 }, of = { placement = "cores-close", threads = 1 }'
    near, far = judged(folder, *(f"difference = {{ {sides} }}\ntimes = 10\nbelow = {below}" for below in (-7, -5)))
    assert (near.answer, far.answer) == ("undecided", "confirmed")


def test_what_others_took_widens_a_difference_and_leaves_a_variation_open():
    # A takes 1.015 s and B 1 s, and others may have taken 1.9 % of either: the truth may be no difference.
    number = Number(0.015, Interval(0.013, 0.017))
    assert widened("difference", number, Lost(0.0, level=2.015)) == number.interval
    ends = widened("difference", number, Lost(0.019, level=2.015))
    assert (ends.low, ends.high) == pytest.approx((0.013 - 0.019 * 2.015, 0.017 + 0.019 * 2.015))
    # Of runs that vary by 1.8 % they may be all the variation; of those that differ by half they are none to speak of.
    share = Number(0.02, Interval(0.01, 0.03))
    assert widened("variation", share, Lost(0.018, spread=0.018)) == Interval(-math.inf, math.inf)
    assert widened("explains", share, Lost(0.018, spread=0.5)) == share.interval
