"""Held facts: which ones, with what value, and which are refused."""

import json
import subprocess

import pytest

from knee.store import StudyError
from knee.study.design import hold
from knee.study.design.hold import held

FACTS = {
    "governor": {"unavailable": "no frequency control here (no cpufreq)"},
    "kernel": "6.1",
    "numa_balancing": "0",
    "smt": "on",
    "transparent_huge_pages": "madvise",
}
USUAL = {"numa_balancing": "0", "smt": "on", "transparent_huge_pages": "madvise"}


def test_the_usual_facts_are_held_where_they_are_known():
    assert held(None, FACTS) == USUAL
    assert held(None, {"kernel": "6.1"}) == {}


def test_names_are_held_instead_and_default_stands_for_the_usual_ones():
    assert held(["kernel"], FACTS) == {"kernel": "6.1"}
    assert held(["default", "kernel"], FACTS) == USUAL | {"kernel": "6.1"}
    assert held([], FACTS) == {}


def test_the_clock_is_held_by_its_time_for_a_link():
    assert held(["clock"], FACTS | {"clock_ns": "1.83"}) == {"clock_ns": "1.83"}


@pytest.mark.parametrize(
    ("name", "facts", "reason"),
    [
        ("governor", FACTS, "cannot hold a fact: governor: no frequency control here (no cpufreq)"),
        ("clock", FACTS, "cannot hold a fact: clock: this binary does not measure it"),
        ("clock", {"clock_ns": {"unavailable": "no cpu"}}, "cannot hold a fact: clock: no cpu"),
        ("colour", FACTS, "unknown fact 'colour'"),
        ("clock_ns", {}, "unknown fact 'clock_ns'"),
    ],
)
def test_what_cannot_be_held_is_refused_with_its_reason(name, facts, reason):
    with pytest.raises(StudyError) as error:
        held([name], facts)
    assert str(error.value) == reason


@pytest.mark.parametrize("name", ["colour", "none"])
def test_an_unknown_fact_is_answered_with_those_there_are(name):
    with pytest.raises(StudyError) as error:
        held([name], FACTS)
    listed = "governor, kernel, numa_balancing, smt, transparent_huge_pages, clock; default"
    assert error.value.hint == f"the facts are {listed}; to hold none: --hold none, or facts = [] in a study file"


def test_the_clock_is_measured_only_when_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(hold._binary, "ask", lambda *words: asked.append(words) or {})
    hold.machine(None)
    hold.machine(["smt"])
    hold.machine(["default", "clock"])
    assert asked == [("machine",), ("machine",), ("machine", "--clock")]


def test_a_binary_that_knows_no_clock_is_said_not_to(monkeypatch):
    def refuse(*words: str) -> None:
        raise StudyError("error: unexpected argument '--clock' found\n\nUsage: knee machine")

    monkeypatch.setattr(hold._binary, "ask", refuse)
    with pytest.raises(StudyError, match="clock: this binary does not measure it: error: unexpected argument") as error:
        hold.machine(["clock"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ([], ("smt", "transparent_huge_pages", "numa_balancing")),
        (["--hold", "none"], ()),
        (["--hold", "kernel"], ("kernel",)),
    ],
)
def test_every_spec_of_a_plan_holds_what_the_machine_is(binary, tmp_path, words, kept):
    facts = json.loads(subprocess.check_output([binary, "machine", "--json"]))["facts"]
    plan = [binary, "plan", *words, "--blocks", "2", "--factor", "threads=1", "--baseline", "true", "--", "true"]
    specs = subprocess.run(plan, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    expected = {name: facts[name] for name in kept if isinstance(facts[name], str)}
    for line in specs:
        got = json.loads(line).get("hold", {})
        assert {name: got[name] for name in got if name != "governor"} == expected
