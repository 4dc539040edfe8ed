"""Disturbed blocks are repeated: which runs count then, and which are kept on file."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from unittest import mock

import pytest
from conftest import VALID, record, rewrite, shown

from knee import _binary
from knee.opened import Study
from knee.report.page import page
from knee.store import Contents, End, Folder, StudyError, all_runs, read_waits, runs, write_end
from knee.study.run import execute
from knee.study.run.repeat import repeat
from knee.verbs import study as verb

TWO = {"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}}
LOUD = VALID | {"other_busy": 0.4}


def disturb(folder: Folder, *blocks: int) -> None:
    rewrite(folder.records, lambda one: one | ({"validity": LOUD} if one["block"] in blocks else {}))


def make(folder: Folder, wall_s: float = 1.0, most: int | None = None, validity: dict | None = None) -> None:
    """Make the remaining runs, or the first of them."""
    with folder.records.open("a") as file:
        for spec in execute.remaining(folder)[:most]:
            one = record(spec["id"], spec["block"], wall_s, wall_s, validity=validity or VALID)
            file.write(json.dumps(one) + "\n")


def counted(folder: Folder) -> dict[str, int]:
    return {run.spec["id"]: run.spec["block"] for run in runs(folder)}


def test_a_repeated_block_counts_once_it_is_whole(simulated, monkeypatch):
    folder = simulated(TWO)
    disturb(folder, 3)
    before = counted(folder)
    assert repeat(folder, [3], 5) == 1
    _binary.validate(folder.read_plan())
    assert counted(folder) == before, "planned is not made"
    make(folder, most=1)
    assert counted(folder) == before, "half a block is none"
    assert Contents.read(folder.path).planned == 10
    make(folder)
    now = counted(folder)
    assert sorted(now.values()) == sorted(before.values())
    assert {name: block for name, block in now.items() if name not in before} == {"0011": 3, "0012": 3}
    assert {name for name, block in before.items() if block != 3} < set(now)
    assert len(all_runs(folder)) == 12
    study = Study.read(folder.path)
    assert (study.planned, len(study.runs)) == (10, 10)
    assert study.analysis.disturbed == {}
    assert study.analysis.to_json()["repeated"] == [3]
    said = "disturbed block 3: repeated whole; its first runs are kept on file, excluded from results"
    assert said in shown(study, monkeypatch)
    assert said in page(study)


def test_a_block_is_repeated_whole_in_an_order_of_its_own(simulated):
    folder = simulated({"p": {n: (8.0 / n, 8.0) for n in range(1, 9)}})
    repeat(folder, [1, 2, 4], 5)
    plan = folder.read_plan()
    blocks = {spec["block"] for spec in plan}
    orders = {block: [spec["threads"] for spec in plan if spec["block"] == block] for block in blocks}
    assert {spec["block"]: spec.get("repeats") for spec in plan[-24:]} == {6: 1, 7: 2, 8: 4}
    assert all(sorted(order) == list(range(1, 9)) for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) == 8, "none has the order of another"
    assert len({spec["id"] for spec in plan}) == len(plan)


@pytest.mark.parametrize("block", [1, 2])
def test_pairs_stay_together_and_turned_as_they_were(simulated, block):
    folder = simulated(
        {"near": {n: (8.0 / n, 8.0) for n in range(1, 5)}, "far": dict.fromkeys(range(1, 5), (9.0, 9.0))}
    )

    lines = [json.loads(line) for line in folder.plan.read_text().splitlines()]
    first, second = ("near", "far") if block % 2 else ("far", "near")
    ordered = sorted(
        (spec for spec in lines if spec["block"] == block),
        key=lambda spec: (spec["threads"], spec["cell"]["placement"] == second),
    )
    others = [spec for spec in lines if spec["block"] != block]
    folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in [*ordered, *others]))
    with folder.study_spec.open("a") as file:
        file.write("[design]\npair = 'placement'\n")
    repeat(folder, [block], 5)
    added = [spec for spec in folder.read_plan() if "repeats" in spec]
    assert [spec["cell"]["placement"] for spec in added] == [first, second] * 4
    assert all(a["threads"] == b["threads"] for a, b in zip(added[::2], added[1::2], strict=True))


def test_no_more_is_repeated_than_was_asked_for(simulated):
    folder = simulated(TWO)
    disturb(folder, 1, 2, 3, 4, 5)
    assert repeat(folder, [1, 2, 3, 4, 5], 3) == 3
    assert repeat(folder, [1, 2, 3], 5) == 0, "what is planned has to be made first"
    make(folder, validity=LOUD)
    assert repeat(folder, [1, 2, 3, 4, 5], 2) == 2
    again = {spec["repeats"] for spec in folder.read_plan() if spec["block"] > 8}
    assert again == {4, 5}, "those that were never repeated come first"
    make(folder)
    assert repeat(folder, [1, 2, 3], 0) == 0


def test_the_last_whole_repeat_counts(simulated):
    folder = simulated(TWO)
    for wall in (1.1, 1.2):
        repeat(folder, [2], 5)
        make(folder, wall)
    repeat(folder, [2], 5)
    make(folder, 1.3, most=1)
    assert {run.time_s for run in runs(folder) if run.spec["block"] == 2} == {1.2}


def test_a_failure_does_not_disappear_with_its_block(simulated):
    folder = simulated(TWO)
    disturb(folder, 3)
    (bad, *_) = [one["id"] for one in folder.read_records() if one["block"] == 3]
    rewrite(folder.records, lambda one: one | ({"exit": {"code": 1}} if one["id"] == bad else {}))
    repeat(folder, [3], 5)
    make(folder)
    study = Study.read(folder.path)
    assert study.analysis.bad == {bad: "exit status 1"}
    assert study.planned == len(study.runs) == 11
    assert sum(point.runs for series in study.analysis.series for point in series.curve.points) == 10


def test_a_study_that_ended_early_repeats_what_it_has(simulated):
    folder = simulated(TWO)
    kept = [one for one in folder.read_records() if one["block"] <= 3]
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in kept))
    write_end(folder, End(3, "enough"))
    disturb(folder, 2)
    assert repeat(folder, [2], 5) == 1
    assert [spec["repeats"] for spec in execute.remaining(folder)] == [2, 2]
    make(folder)
    assert execute.remaining(folder) == []
    contents = Contents.read(folder.path)
    assert contents.planned == len(contents.runs) == 6


@pytest.mark.parametrize(("block", "of"), [(6, 7), (3, 2)], ids=["of no block", "a block of the design"])
def test_a_plan_that_repeats_nonsense_is_damaged(simulated, block, of):
    folder = simulated(TWO)
    spec = folder.read_plan()[-1] | {"id": "x", "block": block, "repeats": of}
    with folder.plan.open("a") as file:
        file.write(json.dumps(spec) + "\n")
    with pytest.raises(StudyError, match=f"line 11: .*: block {block} cannot repeat block {of}"):
        folder.read_plan()


def test_the_rule_is_not_asked_before_a_repeat(simulated, monkeypatch):
    folder = simulated(TWO)
    repeat(folder, [2], 5)
    made = {spec["id"]: record(spec["id"], spec["block"], 1.0, 1.0) for spec in folder.read_plan()}
    runner = mock.Mock(exchange=lambda spec, hint: json.dumps(made[spec["id"]]).encode() + b"\n")
    monkeypatch.setattr(execute, "started", lambda samples: contextlib.nullcontext(runner))
    began: list[int] = []
    execute.run(folder, lambda spec, record, left: None, lambda: "it is enough", began.append)
    assert began == [6]
    assert execute.remaining(folder) == []
    assert not (folder.path / "ended.json").exists()


def test_of_a_budget_one_block_after_the_other_is_spent(simulated):
    folder = simulated(TWO)
    disturb(folder, 1, 2, 3, 4, 5)
    with folder.study_spec.open("a") as file:
        file.write("[design]\nbudget_s = 1000\n")
    assert verb._repeat(folder, 5) == 1
    assert len({spec["block"] for spec in folder.read_plan()}) == 6
    make(folder)
    spent = folder.study_spec.read_text().replace("1000", "10")
    folder.study_spec.write_text(spent)
    assert verb._repeat(folder, 5) == 0


def knee(binary: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, *words], cwd=cwd, capture_output=True, text=True, check=False)


SHORT = ["--blocks", "2", "--factor", "threads=1", "--factor", "placement=cores-close", "--no-report"]
SLEEP = ["--", "sh", "-c", "sleep 0.2; exit 0 {threads}"]


def test_on_a_machine_that_stays_busy_repeating_ends(binary, tmp_path, busy):
    done = knee(binary, "study", "--out", "s", "--rerun-disturbed", *SHORT, *SLEEP, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "knee: 2 of 2 blocks were disturbed: repeating 2 of them" in done.stderr
    assert "knee: 2 of 2 blocks were disturbed: no more will be repeated now" in done.stderr
    folder = Folder(tmp_path / "s")
    assert [spec.get("repeats") for spec in folder.read_plan()] == [None, None, 1, 2]
    assert len(folder.read_records()) == 4
    analysis = json.loads((tmp_path / "s/analysis.json").read_text())
    assert (analysis["planned"], analysis["made"], analysis["repeated"]) == (2, 2, [1, 2])
    assert len(analysis["disturbed"]) == 2


def test_where_waiting_was_in_vain_nothing_is_repeated(binary, tmp_path, busy):
    words = ["--wait-quiet", "1s", "--rerun-disturbed", *SHORT]
    done = knee(binary, "study", "--out", "s", *words, *SLEEP, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "knee: 2 of 2 blocks were disturbed: no more will be repeated now" in done.stderr
    again = knee(
        binary, "study", "--resume", "s", "--wait-quiet", "1s", "--rerun-disturbed", "--no-report", cwd=tmp_path
    )
    assert "): no block will be repeated now\n" in again.stderr
    folder = Folder(tmp_path / "s")
    assert len(folder.read_plan()) == len(folder.read_records()) == 2
    assert [wait.block for wait in read_waits(folder)] == [1, 3]


def test_a_study_that_was_disturbed_is_repeated_later_even_if_killed(binary, tmp_path, busy):
    assert knee(binary, "study", "--out", "s", *SHORT, *SLEEP, cwd=tmp_path).returncode == 0
    words = [binary, "study", "--resume", "s", "--rerun-disturbed", "--no-report"]
    for one in busy:
        one.kill()
    again = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    folder = Folder(tmp_path / "s")
    while len(folder.read_plan()) == 2 or len(folder.read_records()) == 2:
        assert again.poll() is None
        time.sleep(0.01)
    os.kill(again.pid, signal.SIGKILL)
    again.wait()
    assert len(folder.read_plan()) == 4
    # What was begun is completed without being asked for again.
    done = knee(binary, "study", "--resume", "s", "--no-report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    records = [one["id"] for one in folder.read_records()]
    assert sorted(records) == sorted(spec["id"] for spec in folder.read_plan())
    assert {run.spec["repeats"] for run in runs(folder)} == {1, 2}
