"""The ledger adds up whatever was asked, and its checks fail on programs made to break them."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from told import Made, evidence_of, runs, series_of

from knee.explain.evidence.evidence import evidence
from knee.explain.ledger.checks import checks
from knee.explain.ledger.explanation import explanation
from knee.explain.ledger.ledger import INFLATION, MACHINE, ledger
from knee.report.terminal.explanation import _parts
from knee.terminal.console import Console

BASE, MANY = Made(1.0, 1.0), Made(0.75, 1.3, {"one": 0.2})
TESTS = {
    "one cpu": Made(1.1, 1.1, sleeps=4),
    "copies": Made(1.05, 2.1),
    "twice the threads": Made(0.75, 1.3, {"one": 0.2}),
    "switches": Made(0.75, 1.3, {"one": 0.15, "waiting": 0.05}),
}


@pytest.mark.parametrize("asked", [[], ["one cpu"], ["copies"], ["one cpu", "copies"], list(TESTS)])
def test_parts_add_up_to_the_loss(asked):
    book = ledger(evidence_of(BASE, MANY, {name: TESTS[name] for name in asked}))
    assert sum(book.value(one.name).value for one in book.entries) == pytest.approx(book.loss.value, abs=1e-12)
    assert book.loss.value == pytest.approx(math.log(1.5), abs=0.01)


def test_a_question_that_was_asked_in_fewer_blocks_is_a_sample_of_its_own():
    found = evidence_of(BASE, MANY, TESTS, blocks=8, noise=0.01)
    found.tests["copies"] = type(found.tests["copies"])(2, found.tests["copies"].runs[:3], 8)
    book = ledger(found)
    assert book.value(MACHINE).blocks == 3
    assert sum(book.value(one.name).value for one in book.entries) == pytest.approx(book.loss.value, abs=1e-12)
    whole = book.group(INFLATION).interval
    assert whole.high - whole.low < 0.03, "what cancels adds no error"


def test_idle_time_that_no_class_has_fails_the_check():
    good, bad = (evidence_of(BASE, Made(0.75, 1.3, {"one": one})) for one in (0.2, 0.02))
    assert checks(good, ledger(good))[0].ok is True
    failed = checks(bad, ledger(bad))[0]
    assert failed.ok is False
    assert "differ" in failed.says
    assert explanation(evidence_of(BASE, Made(0.75, 1.3, {"one": 0.02}), {"one cpu": TESTS["one cpu"]})).findings == ()


def test_idle_time_may_be_larger_by_what_switches_cost():
    def agree(one: float, sleeps: int) -> bool | None:
        found = evidence_of(BASE, Made(0.75, 1.3, {"one": one}, sleeps=sleeps))
        return checks(found, ledger(found))[0].ok

    assert [agree(0.32, sleeps) for sleeps in (100, 20_000)] == [False, True], "8 % of the thread-seconds more"
    assert not agree(0.40, 20_000)
    assert not agree(0.08, 20_000), "no switch makes it smaller"


def test_all_idle_time_has_an_interval_though_one_run_alone_says_what_it_is():
    many = Made(0.75, 1.5)
    made = [
        replace(run, idle=replace(run.idle, one=0.01)) if run.threads == 2 and run.spec["block"] == 1 else run
        for run in runs(BASE, many, {"one cpu": BASE, "copies": Made(1.0, 2.0)})
    ]
    book = ledger(evidence(series_of(made), 2))
    whole = book.value(*(one.name for one in book.entries))
    assert (whole.value, whole.blocks) == (pytest.approx(book.loss.value), book.loss.blocks)
    assert whole.interval.low == pytest.approx(book.loss.interval.low, abs=0.01)
    assert np.isnan(book.value("one thread ready").interval.low), "of one run there is none"


def test_copies_that_ran_once_have_no_interval_and_tell_nothing():
    found = evidence_of(BASE, MANY, TESTS)
    found.tests["copies"] = replace(found.tests["copies"], runs=found.tests["copies"].runs[:1])
    one = explanation(found)
    check = next(check for check in one.checks if check.name == "shared hardware")
    assert check.ok is None
    assert check.says == "the program or its copies ran undisturbed once, which is too seldom to compare"
    printed = io.StringIO()
    Console(file=printed, width=80).table(_parts(one))
    assert "nan" not in printed.getvalue()
    assert "one run" in printed.getvalue()


def test_copies_that_are_slower_than_the_program_itself_fail_the_check():
    # n private heaps do not fit the cache that the program's threads share.
    found = evidence_of(BASE, Made(0.6, 1.2), {**TESTS, "copies": Made(1.6, 3.2), "switches": Made(0.6, 1.2)})
    _, machine = checks(found, ledger(found))
    assert machine.ok is False
    told = explanation(found)
    assert (told.status, told.findings) == ("not explained", ())


@pytest.mark.parametrize(
    ("before", "now", "collector", "status"),
    [
        ("the serial collector", "G1", 0.2, "not explained"),
        ("the serial collector", "G1", 0.01, "explained"),
        ("G1", "G1", 0.2, "explained"),
        (None, "G1", 0.2, "explained"),
    ],
)
def test_java_with_another_collector_on_one_cpu_is_another_program(before, now, collector, status):
    many = Made(0.75, 1.0, {"one": 0.5}, shares=(0.75, 0.25), collector=collector, collector_kind=now)
    tests = {"one cpu": Made(1.0, 1.0, sleeps=4), "twice the threads": many}
    told = explanation(evidence_of(Made(1.0, 1.0, collector=0.0, collector_kind=before), many, tests))
    assert told.status == status
    says = [one.says for one in told.checks if one.name == "runtime"]
    assert all("at 1 and with G1 at 2, which costs up to 20 % of the CPU time" in one for one in says)
    assert len(says) == (status == "not explained")


def test_nothing_is_named_where_there_is_nothing_to_explain():
    told = explanation(evidence_of(BASE, Made(0.51, 1.02), TESTS))
    assert (told.status, told.findings) == ("nothing to explain", ())


def test_nothing_is_named_where_too_much_is_unexplained():
    # CPU time grows side by side, and twice the threads are slower, but on one cpu nothing grows: no cause has both.
    odd = {
        "one cpu": Made(1.0, 1.0, sleeps=4),
        "copies": Made(1.0, 2.0),
        "twice the threads": Made(1.0, 1.5, {"one": 0.2}),
        "switches": Made(0.85, 1.5, {"one": 0.2}),
    }
    told = explanation(evidence_of(BASE, Made(0.85, 1.5, {"one": 0.2}), odd))
    assert told.unexplained.value == pytest.approx(math.log(1.5), abs=0.02)
    assert (told.status, told.findings) == ("not explained", ())


def test_fewer_than_three_blocks_name_nothing():
    told = explanation(evidence_of(BASE, MANY, TESTS, blocks=2, noise=1e-5))
    assert (told.status, told.findings) == ("provisional", ())


def test_a_study_without_questions_has_the_accounting_alone():
    told = explanation(evidence_of(BASE, MANY))
    assert (told.status, told.findings) == ("not asked", ())
    assert np.isfinite(told.ledger.loss.value)
