"""Which part of the loss a change moved: known differences are found, and no others."""

import math
from dataclasses import replace

import pytest
from told import Made, runs

from knee.explain.comparison import parts
from knee.explain.comparison.cells import Side
from knee.explain.comparison.parts import LOSS, losses
from knee.explain.ledger.explanation import explanation

MACHINE = {"allowed": {"cpus": [0, 1]}}
BASE = Made(1.0, 1.0)
SERIAL = Made(0.75, 1.0, {"one": 0.5})
FIXED = Made(0.55, 1.0, {"one": 0.1})
GROWN = Made(0.65, 1.3)


def side(many, tests=None, blocks=8, seed=0, **more):
    made = runs(BASE, many, tests, blocks=blocks, noise=0.005, **more)
    for run in made[: seed % len(made)]:
        run.record["wall_ns"] = int(run.record["wall_ns"] * 1.001)
    return Side(f"side {seed}", made, MACHINE, None)


def moved(a, b, spread=0.01):
    (one,) = losses(a, b, "", spread)
    return one, {part.name: part for part in one.parts}


def test_the_part_that_a_change_took_away_is_named():
    one, parts = moved(side(SERIAL), side(FIXED))
    assert parts["one thread ready"].answer == "less"
    assert parts["one thread ready"].difference == pytest.approx(math.log(0.55 / 0.75), abs=0.02)
    assert parts["CPU time, undivided"].answer == "equal"
    assert parts[LOSS].answer == "less"
    assert one.parts[-1].name == LOSS
    assert one.sentence.startswith('cores-close, 2 threads: B loses less to "one thread ready" (-0.31 [')


def test_parts_that_moved_against_each_other_are_both_named():
    _, parts = moved(side(SERIAL), side(GROWN))
    assert parts["idle"].answer == "less", "B has no idle time to divide, so it is compared undivided"
    assert parts["CPU time, undivided"].answer == "more"
    total = sum(part.difference for name, part in parts.items() if name != LOSS)
    assert total == pytest.approx(parts[LOSS].difference, abs=1e-9)


def test_equals_do_not_move():
    one, parts = moved(side(SERIAL), side(SERIAL, seed=3))
    assert {part.answer for part in parts.values()} <= {"equal", "cannot tell"}
    assert "no part of the loss is shown to have moved" in one.sentence


def test_what_only_one_side_divides_is_compared_undivided():
    asked = {"one cpu": Made(1.3, 1.3), "copies": Made(1.0, 2.0)}
    _, parts = moved(side(SERIAL), side(GROWN, asked))
    assert "CPU time" in parts
    assert "more to do" not in parts
    assert parts["CPU time"].difference == pytest.approx(math.log(1.3), abs=0.02)


def test_causes_are_listed_where_both_sides_were_asked():
    asked = {"one cpu": Made(1.0, 1.0), "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.0, {"one": 0.5})}
    one, _ = moved(side(SERIAL, asked), side(SERIAL, asked, seed=2))
    assert one.causes_a == one.causes_b
    assert "causes named:" in one.sentence
    other, _ = moved(side(SERIAL), side(SERIAL, asked))
    assert other.causes_a is None
    assert "causes named" not in other.sentence


def test_a_cause_whose_part_may_be_0_is_listed_with_these_words(monkeypatch):
    def unsure(found):
        one = explanation(found)
        return replace(one, findings=tuple(replace(each, part=replace(each.part, low=-0.1)) for each in one.findings))

    asked = {"one cpu": Made(1.0, 1.0), "copies": Made(1.0, 2.0), "twice the threads": Made(0.75, 1.0, {"one": 0.5})}
    sure, _ = moved(side(SERIAL, asked), side(SERIAL, asked, seed=2))
    assert sure.sentence.endswith("; causes named: serial part in A, serial part in B.")
    monkeypatch.setattr(parts, "explanation", unsure)
    one, _ = moved(side(SERIAL, asked), side(SERIAL, asked, seed=2))
    assert one.sentence.endswith("; causes named: serial part (may be 0) in A, serial part (may be 0) in B.")


def test_sessions_that_may_differ_widen_the_answer():
    narrow, wide = (moved(side(SERIAL), side(FIXED, seed=1), spread)[1]["one thread ready"] for spread in (0.0, 0.05))
    assert wide.high - wide.low > 0.1 > narrow.high - narrow.low


def test_levels_of_one_study_share_their_blocks():
    (one,) = losses(side(SERIAL), side(FIXED), "", None)
    assert {part.name: part.answer for part in one.parts}["one thread ready"] == "less"


def test_a_study_with_one_thread_count_has_no_parts():
    only = Side("one", [run for run in runs(BASE, SERIAL) if run.threads == 1], MACHINE, None)
    assert losses(only, only, "", 0.0) == []


def test_classes_of_idle_time_add_no_error_to_the_loss():
    def wide(share: float) -> float:
        """Return the width of the whole difference where one class takes this much of another in every second block."""
        sides = [side(Made(0.75, 1.0, {"one": 0.25, "nobody": 0.25}), seed=seed) for seed in (0, 3)]
        moving = [
            replace(one, runs=[
                replace(run, idle=replace(run.idle, one=0.25 + share, nobody=0.25 - share))
                if run.threads == 2 and run.spec["block"] % 2 else run
                for run in one.runs
            ])
            for one in sides
        ]  # fmt: skip
        _, parts = moved(*moving)
        return parts[LOSS].high - parts[LOSS].low

    assert wide(0.2) == pytest.approx(wide(0.0), rel=0.02)
