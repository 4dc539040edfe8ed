"""Accounting of lost time without questions: time taken by other programs is never idle time."""

import math

import pytest
from conftest import THREAD, VALID, rewrite

from knee.explain.ledger.ledger import NOT_COMPUTED, TAKEN, TAKEN_FROM_BASE, UNCLASSED, UNDIVIDED
from knee.opened import Study
from knee.report.page import page

IDLE, INFLATION, BASE = UNCLASSED, UNDIVIDED, NOT_COMPUTED


def parts(folder, threads: int = 2) -> dict[str, float]:
    """Return the parts at a thread count, after checking their sum."""
    explained = Study.read(folder.path).analysis.ledgers["cores-close"]
    (book,) = (one.ledger for one in explained if one.threads == threads)
    found = {part.name: book.value(part.name).value for part in book.entries}
    assert sum(found.values()) == pytest.approx(book.loss.value, abs=1e-12)
    return found


def disturb(folder, threads: int, waited_s: float, busy: float = 0.3) -> None:
    """Let threads of some runs wait this long for a cpu used by other programs."""
    counts = {spec["id"]: spec["threads"] for spec in folder.read_plan()}
    thread = THREAD | {"run_delay_ns": int(waited_s * 1e9)}
    more = {"validity": VALID | {"other_busy": busy}, "observed_threads": [thread]}
    rewrite(folder.records, lambda one: one | (more if counts[one["id"]] == threads else {}))


def test_what_others_took_is_not_idle(simulated):
    # Calm it would take 1 s; others took a cpu for half a second from each thread.
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.5, 2.0)}}, noise=0)
    assert parts(folder)[IDLE] == pytest.approx(math.log(1.5))
    disturb(folder, 2, waited_s=1.0)
    found = parts(folder)
    assert found[IDLE] == pytest.approx(0, abs=1e-9)
    assert found[TAKEN] == pytest.approx(math.log(1.5))
    assert found[TAKEN_FROM_BASE] == found[INFLATION] == 0
    text = page(Study.read(folder.path))
    assert f">{TAKEN}<" in text
    assert "idle is a lower bound" in text
    assert "<td>0.405</td>" in text, "a bound has no interval"


def test_what_the_program_did_not_compute_itself_stays_idle(simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (2.0, 2.0)}}, noise=0)
    disturb(folder, 2, waited_s=0.5)
    found = parts(folder)
    assert found[TAKEN] == pytest.approx(-math.log(1 - 0.25))
    assert found[IDLE] == pytest.approx(math.log(2 * 0.75))


def test_what_was_taken_from_the_base_stands_on_the_other_side(simulated):
    folder = simulated({"cores-close": {1: (4.0, 2.0), 2: (1.0, 2.0)}}, noise=0)
    disturb(folder, 1, waited_s=1.0)
    found = parts(folder)
    assert found[TAKEN_FROM_BASE] == pytest.approx(math.log(0.75))
    assert found[BASE] == pytest.approx(-math.log(2 * 0.75))
    assert (found[TAKEN], found[IDLE]) == (0, pytest.approx(0, abs=1e-9))


def test_threads_that_computed_all_the_time_lost_nothing(simulated):
    folder = simulated({"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}, noise=0)
    disturb(folder, 2, waited_s=1.0)
    found = parts(folder)
    assert found.get(TAKEN, 0) == pytest.approx(0, abs=1e-9)
    assert found[IDLE] == pytest.approx(0, abs=1e-9)


def test_a_calm_study_has_three_parts(simulated):
    folder = simulated({"cores-close": {1: (2.0, 1.9), 2: (1.4, 2.1), 4: (1.0, 2.4)}})
    assert set(parts(folder)) == set(parts(folder, 4)) == {IDLE, INFLATION, BASE}


def test_only_some_counts_are_disturbed_and_every_row_has_every_column(simulated):
    folder = simulated({"cores-close": {1: (2.0, 1.9), 2: (1.4, 2.1), 4: (1.0, 2.4)}})
    disturb(folder, 4, waited_s=0.4)
    assert TAKEN not in parts(folder)
    assert parts(folder, 4)[TAKEN] > 0
    assert page(Study.read(folder.path))
