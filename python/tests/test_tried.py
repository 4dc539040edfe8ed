"""What trials of remedies say: gains, rejections, several at once, the best one."""

import json
import math
import random

import numpy as np
import pytest
from conftest import VALID, record

from knee.explain.tried import AS_IS, best, tried
from knee.opened import Study
from knee.report.terminal import tried as terminal
from knee.store import Contents, FactChange, Folder, Noted, Trials, read_trials, write_trials
from knee.study.design import trials as design
from knee.terminal.console import Console

CELL = {"threads": 2, "placement": "p"}


def add(folder: Folder, factors: dict[str, float], *, blocks: int = 6, noise: float = 0.005, seed: int = 1, **odd):
    """Append trials to a study: remedy to its time over that of the run as it is, which takes a second.

    ``odd`` maps a remedy to the fields of its records that differ.
    """
    draw = random.Random(seed)
    plan = [json.loads(line) for line in folder.plan.read_text().splitlines()]
    first = max(one["block"] for one in plan) + 1
    made = []
    for block in range(first, first + blocks):
        slower = draw.lognormvariate(0, 0.2)
        for name, factor in {AS_IS: 1.0, **factors}.items():
            spec = {**plan[-1], "id": f"{len(plan) + 1:04d}", "role": "remedy", "test": name, "cell": CELL,
                    "block": block, "threads": 2, "cpus": [0, 1]}  # fmt: skip
            plan.append(spec)
            wall = factor * slower * draw.lognormvariate(0, noise)
            made.append(record(spec["id"], block, wall, 2 * wall, validity=VALID) | odd.get(name.replace(" ", "_"), {}))
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in plan))
    with folder.records.open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in made)


def found(folder: Folder) -> dict:
    return {one.remedy: one for one in Study.read(folder.path).analysis.tried}


@pytest.fixture
def folder(simulated) -> Folder:
    return simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}})


def test_the_word_for_runs_without_a_remedy_is_the_same_in_both_rooms():
    assert AS_IS == design.AS_IS


def test_planted_gains_are_found_block_by_block_although_blocks_differ(folder):
    add(folder, {"good": 0.7, "bad": 1.4, "same": 1.0})
    write_trials(folder, Trials((Noted("good", ("spinning",), "A=b", "careful"),)))
    by_name = found(folder)
    assert list(by_name) == ["good", "bad", "same"]
    assert {name: one.answer for name, one in by_name.items()} == {"good": "faster", "bad": "slower", "same": "equal"}
    good = by_name["good"]
    assert good.gain.estimate == pytest.approx(1 / 0.7, rel=0.01)
    assert good.gain.interval.low < 1 / 0.7 < good.gain.interval.high < 1.5
    assert (good.cpu.estimate, good.threads, good.cell) == (pytest.approx(0.7, rel=0.01), 2, CELL)
    assert (good.treats, good.does, good.note, good.rejected) == (("spinning",), "A=b", "careful", None)
    assert best(list(by_name.values())) is good
    written = Study.read(folder.path).analysis.to_json()["tried"]
    assert [one["remedy"] for one in written] == ["good", "bad", "same"]
    assert json.loads(json.dumps(written))[0]["gain"]["estimate"] == pytest.approx(1 / 0.7, rel=0.01)


def test_a_small_or_noisy_gain_is_neither_equal_nor_best(folder):
    add(folder, {"noisy": 0.95}, noise=0.3)
    [one] = found(folder).values()
    assert (one.answer, best([one])) == ("cannot tell", None)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"exit": {"code": 3}}, "exit status 3 (6 of 6 runs)"),
        ({"check": {"ok": False, "reason": "it printed 7"}}, "check failed: it printed 7 (6 of 6 runs)"),
        ({"exit": {"timeout_s": 1.0}}, "stopped after 1.0 s (6 of 6 runs)"),
    ],
)
def test_a_remedy_that_fails_is_rejected_however_fast(folder, odd, reason):
    add(folder, {"wrong": 0.2, "good": 0.9}, wrong=odd)
    by_name = found(folder)
    assert by_name["wrong"].rejected == reason
    assert best(list(by_name.values())) is by_name["good"]


def test_another_output_rejects_a_remedy_where_the_study_compares_outputs(folder):
    out = {"output": {"stdout_bytes": 1, "stdout_xxh3": "aa"}}
    add(
        folder,
        {"wrong": 0.2, "right": 0.9},
        as_is=out,
        right=out,
        wrong={"output": {"stdout_bytes": 1, "stdout_xxh3": "bb"}},
    )
    assert found(folder)["wrong"].rejected is None
    with folder.study_spec.open("a") as file:
        file.write("[measure]\nsame_output = true\n")
    assert found(folder)["wrong"].rejected == "its output differs from that of 12 other runs (6 of 6 runs)"
    assert found(folder)["right"].rejected is None


def test_a_program_that_fails_anyway_rejects_no_remedy(folder):
    add(folder, {"good": 0.5}, as_is={"exit": {"code": 1}}, good={"exit": {"code": 1}})
    [one] = found(folder).values()
    assert (one.rejected, one.answer, best([one])) == (None, "cannot tell", None)


def test_many_remedies_that_change_nothing_seldom_look_faster(folder):
    contents, wrong, trials = Contents.read(folder.path), 0, 300
    draw = np.random.default_rng(1)
    from knee.stats.paired import answers_apart, paired

    for _ in range(trials):
        as_is = draw.lognormal(0, 0.05, 5)
        words = answers_apart([paired(as_is, draw.lognormal(0, 0.05, 5)) for _ in range(10)])
        wrong += any(word in ("faster", "slower") for word in words)
    # Of ten comparisons without correction, about half of all trials would be wrong.
    assert wrong / trials < 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
    assert tried(contents.folder, contents.runs, 4) == []


def test_trials_change_no_other_result_of_the_study(folder):
    before = Study.read(folder.path).analysis.to_json()
    add(folder, {"good": 0.5, "1 thread": 2.0})
    after = Study.read(folder.path).analysis.to_json()
    for one in (before, after):
        one["verdict"]["lines"] = [line for line in one["verdict"]["lines"] if line["label"] != "tried"]
    for name in ("verdict", "series", "ledgers", "contrasts", "factorial", "drift", "outliers"):
        assert after[name] == before[name], name
    assert after["planned"] == before["planned"] + 18 == after["made"]


def test_trials_count_as_planned_also_after_a_study_that_ended_early(folder):
    (folder.path / "ended.json").write_text('{"schema": 1, "block": 4, "why": "narrow"}')
    before = Contents.read(folder.path).planned
    add(folder, {"good": 0.5})
    assert Contents.read(folder.path).planned == before + 12


def said(monkeypatch, folder: Folder, changed, width: int = 80) -> str:
    import io

    printed = io.StringIO()
    monkeypatch.setattr(terminal, "Console", lambda: Console(file=printed, width=width))
    terminal.show("study", 2, list(found(folder).values()), changed)
    return printed.getvalue()


def test_the_terminal_says_what_is_best_what_it_fits_and_what_was_rejected(folder, monkeypatch):
    add(folder, {"passive waiting": 0.7, "one": 1.0, "two": 1.0, "wrong": 0.3}, wrong={"exit": {"code": 3}})
    names = (
        Noted("passive waiting", ("spinning",), "OMP_WAIT_POLICY=passive"),
        Noted("one", ("TLB",), ""),
        Noted("two", ("TLB",), ""),
    )
    write_trials(folder, Trials(names))
    text = said(monkeypatch, folder, [])
    assert max(map(len, text.splitlines())) <= 80
    whole = " ".join(text.split())
    assert "Best: passive waiting, 1.43x as fast [1.4" in whole
    assert "(OMP_WAIT_POLICY=passive)." in whole
    assert "Faster, which fits spinning: passive waiting." in whole
    assert "Equal, which does not fit TLB: one, two." in whole
    assert "wrong: rejected: exit status 3 (6 of 6 runs)" in whole
    assert "Answers allow for 3 remedies that were tried at once (Holm); intervals are for single ones." in whole
    assert "facts (knee machine) are the same after the trials as before" in whole
    assert "which disturbed some runs" not in whole
    text = said(monkeypatch, folder, [FactChange("smt", "on", "off")])
    assert "smt: on before, off after" in " ".join(text.split())


@pytest.mark.parametrize(
    ("factor", "noise", "words"),
    [
        (1.0, 0.005, "No remedy gains: each is equal within 3 %, or slower."),
        (0.95, 0.2, "Cannot tell whether any remedy gains. About "),
    ],
)
def test_without_a_gain_nothing_is_recommended(folder, monkeypatch, factor, noise, words):
    add(folder, {"one": factor, "two": 1.5 if noise < 0.1 else 1.0}, noise=noise)
    assert words in " ".join(said(monkeypatch, folder, None).split())


def test_notes_on_trials_are_read_as_written_and_damage_is_an_error(folder):
    notes = Trials((Noted("a", ("b", "c"), "d", "e"),), {"smt": "on"}, (FactChange("x", "1", "2"),))
    assert read_trials(folder) == Trials()
    for one in (notes, Trials(notes.remedies, notes.facts)):
        write_trials(folder, one)
        assert read_trials(folder) == one
    (folder.path / "trials.json").write_text('{"schema": 1, "remedies": [{"name": 1}], "facts": {}}')
    with pytest.raises(Exception, match=r"cannot read the trials of remedies: .*trials.json: remedies 1"):
        read_trials(folder)


@pytest.mark.parametrize(("blocks", "says"), [(1, "one: 1.4"), (0, "one: no block has a good run with it")])
def test_a_single_block_of_trials_has_no_interval(folder, monkeypatch, blocks, says):
    add(folder, {"one": 0.7}, blocks=1, **({"as_is": {"exit": {"code": 1}}} if blocks == 0 else {}))
    from knee.report.terminal import explanation

    gain = explanation._gain(found(folder)["one"])
    assert "nan" not in gain
    assert gain.startswith(says)
