"""The rules by which explanations are scored (bench/truth.py), on findings made by hand."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from planted import on_one_cpu
from planted.instances import HALVES, Instance, Places, instances
from planted.on_one_cpu import more_work
from planted.scores import Found, Part, Scored, over_programs, report
from planted.undivided import SAME, WINDOW, in_long_stretches, surely, undivided

PLACES = Places(Path("built"), Path("inputs"), Path("venv"))
GROUP = frozenset({"false sharing", "true sharing"})


def scored(*names: set[str], cause: str | None = "false sharing", also: str = "", part: float = 0.2, at: float = 0.2):
    acceptable = (frozenset({"false sharing"}), GROUP) if cause else ()
    instance = Instance("p", "1", cause, acceptable, frozenset({also} if also else ()), ("p",), ("p",))
    found = tuple(Found(frozenset(one), Part(part, part - 0.03, part + 0.03)) for one in names)
    return Scored(instance, Part(at, at - 0.04, at + 0.04), found)


@pytest.mark.parametrize(
    ("one", "outcome"),
    [
        (scored({"false sharing"}), "right"),
        (scored(set(GROUP)), "group"),
        (scored(), "silent"),
        (scored({"spinning"}), "wrong"),
        (scored({"false sharing"}, {"spinning"}), "wrong"),
        (scored({"false sharing"}, {"serial part"}, also="serial part"), "right"),
        (scored({"serial part"}, also="serial part"), "silent"),
        (scored({"false sharing", "true sharing", "spinning"}), "wrong"),
        # The other name of the group is not the cause.
        (scored({"true sharing"}), "silent"),
        (scored(cause=None), "silent"),
        (scored({"false sharing"}, cause=None), "wrong"),
        (scored({"serial part"}, cause=None, also="serial part"), "silent"),
    ],
)
def test_findings_are_right_or_wrong(one, outcome):
    assert one.outcome == outcome


def test_what_was_measured_at_dial_0_is_not_wrong():
    one = scored({"false sharing"}, {"serial part"})
    measured = replace(one, own=frozenset({"serial part"}))
    assert (one.outcome, measured.outcome, measured.by_table) == ("wrong", "right", "wrong")
    assert replace(scored({"serial part"}, cause=None), own=frozenset({"serial part"})).outcome == "silent"


def test_only_one_and_the_same_thread_is_alone_for_long():
    turns, busy = [1, 1, 2, 2] * 10, [0] * 40
    assert in_long_stretches([]) == in_long_stretches(turns) == in_long_stretches(busy) == 0
    assert in_long_stretches([7] * (WINDOW - 1)) == 0
    assert in_long_stretches([7] * 40 + busy) == pytest.approx(0.5, abs=0.02)
    # A sample in which another thread was ready for a moment does not end it.
    assert in_long_stretches(([7] * SAME + [0] * (WINDOW - SAME)) * 4) > 0.9


# Loops end at one moment and not after some work: on a busy machine one of two equal loops would end late. They last so
# long that the start of shells is a small part.
UNTIL = "until [ -e {name} ]; do :; done"
ONE, ALL = UNTIL.format(name="one"), UNTIL.format(name="all")
END = "sleep 0.8; touch all; wait; rm all"


@pytest.mark.serial
@pytest.mark.parametrize(
    ("program", "has"),
    [
        (f"({ALL}) & {END}", {"serial part"}),
        (f"for t in $(seq {{threads}}); do ({ALL}) & done; {END}", set()),
        # One of two threads works for longer. With four threads, three of them do.
        (f"({ONE}) & for t in $(seq 2 {{threads}}); do ({ALL}) & done; sleep 0.4; touch one; {END} one",
         {"imbalance"}),
    ],
)  # fmt: skip
def test_what_a_program_has_at_dial_0_is_measured(program, has, tmp_path):
    amounts = undivided(("sh", "-c", program), tmp_path)
    assert set(surely(amounts)) == has
    assert all(0 <= one.low <= one.value <= one.high for one in amounts.values())


def test_more_work_with_more_threads_is_measured_on_one_cpu(tmp_path):
    # Long enough that a cpu which is slow for a moment changes no run by half.
    work = "import sys; n = 1000000 * {threads}\nfor _ in range(4 * n): pass"
    assert set(more_work((sys.executable, "-S", "-c", work), tmp_path)) == {"instruction growth"}


@pytest.mark.parametrize(("more", "has"), [(1.0, set()), (1.01, set()), (1.1, {"instruction growth"})])
def test_more_work_counts_where_it_surely_is_more(monkeypatch, tmp_path, more, has):
    draw = random.Random(7)
    monkeypatch.setattr(
        on_one_cpu,
        "_user_seconds",
        lambda _, threads, __: (more if threads > 1 else 1.0) * draw.lognormvariate(0, 0.01),
    )
    assert set(more_work(("a program", str(more)), tmp_path)) == has


def test_a_small_loss_need_not_be_named():
    assert scored().counts
    assert not scored(at=0.08).counts
    assert not scored(cause=None).counts


def test_the_size_of_a_part_holds_if_both_intervals_allow_it():
    # The half widths are 0.03 and 0.04, so the difference may be 0.05.
    assert scored({"false sharing"}, part=0.249).size_holds
    assert scored({"false sharing"}, part=0.251).size_holds is False
    assert scored({"spinning"}).size_holds is None
    # Of an interval that is wider upwards, a smaller truth is as far away as the lower end says.
    wide = Found(frozenset({"false sharing"}), Part(0.3, 0.26, 0.5))
    assert replace(scored(at=0.24), found=(wide,)).size_holds is False
    assert replace(scored(at=0.36), found=(wide,)).size_holds


def test_a_part_is_compared_with_what_the_program_has_without_its_dial_too():
    one = replace(scored({"false sharing"}, part=0.3), base=Part(0.1, 0.08, 0.12))
    assert (one.size_holds, one.size_with_base_holds) == (False, True)
    # With three half widths of 0.03, 0.04, and 0.02 the difference may be 0.054.
    assert replace(one, base=Part(0.045, 0.025, 0.065)).size_with_base_holds is False
    assert scored({"spinning"}).size_with_base_holds is None


def test_instances_of_one_program_are_no_independent_trials():
    alike = [scored({"false sharing"})] * 50 + [scored({"spinning"})] * 50
    names = [Scored(Instance(f"p{n // 50}", *list(vars(one.instance).values())[1:]), one.truth, one.found)
             for n, one in enumerate(alike)]  # fmt: skip
    wide = over_programs(names, [float(one.outcome == "right") for one in names])
    assert wide.high - wide.low > 0.9
    apart = [Scored(Instance(f"p{n}", *list(vars(one.instance).values())[1:]), one.truth, one.found)
             for n, one in enumerate(alike)]  # fmt: skip
    narrow = over_programs(apart, [float(one.outcome == "right") for one in apart])
    assert 0.12 < narrow.high - narrow.low < 0.22


def test_the_report_has_rates_and_the_confusion_matrix():
    said = report(([scored({"false sharing"}), scored(set(GROUP)), scored({"spinning"})], {"q-1": "it failed"}))
    assert "| named right | 1.5 | 3 | 50.0 % |" in said
    assert "| named wrong, small ones too | 1 | 3 | 33.3 % |" in said
    assert "| false sharing | false sharing or true sharing | 1 |" in said
    assert "- q-1: it failed" in said


@pytest.mark.parametrize("half", HALVES)
def test_every_table_of_programs_can_be_read(half):
    found = instances(half, PLACES)
    assert len({one.name for one in found}) == len(found)
    loaded = [one for one in found if one.loaded]
    assert len(loaded) == round((len(found) - len(loaded)) / 3)
    assert all("{threads}" in " ".join(one.command) for one in found)


def test_enough_instances_have_a_cause():
    score = [one for one in instances("score", PLACES) if not one.loaded]
    assert sum(one.cause is not None for one in score) >= 100
    natural = [one for half in HALVES for one in instances(half, PLACES) if one.directory != Path() and not one.loaded]
    assert sum(one.cause is not None for one in natural) >= 60


def test_the_halves_share_no_program():
    tune, score = ({one.program for one in instances(half, PLACES)} for half in HALVES)
    assert not tune & score
