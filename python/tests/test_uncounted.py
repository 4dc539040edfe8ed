"""Counting runs are left out from the second block on where those of the first had no value for any counter."""

import json

import pytest
from conftest import record, rewrite, shown
from test_study import knee

from knee.opened import Study
from knee.store import Contents, Folder, runs, uncounted
from knee.study.run import execute
from knee.study.run.repeat import repeat

NONE = {"instructions": {"unavailable": "no hardware PMU"}, "cycles": {"unavailable": "no hardware PMU"}}
SOME = NONE | {"cycles": {"value": 5, "unit": "events"}}
EXIT_1 = {"exit": {"code": 1}}


@pytest.fixture
def counting(simulated) -> Folder:
    """A study of which all is made: five blocks of two timed runs and two counting runs without any value."""
    folder = simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    plan = folder.read_plan()
    beside = [
        {**spec, "id": f"c{spec['id']}", "role": "counting", "counters": ["instructions", "cycles"]} for spec in plan
    ]
    whole = sorted([*plan, *beside], key=lambda spec: spec["block"])
    folder.plan.write_text("".join(json.dumps(spec) + "\n" for spec in whole))
    with folder.records.open("a") as file:
        file.writelines(json.dumps(of(spec["id"], spec["block"], NONE)) + "\n" for spec in beside)
    return folder


def of(name: str, block: int, counters: dict) -> dict:
    """A record with counters."""
    return record(name, block, 1.0, 1.0) | {"counters": counters}


def keep(folder: Folder, *names: str) -> None:
    """Keep the records of timed runs, and of these counting runs."""
    lines = [json.loads(line) for line in folder.records.read_text().splitlines()]
    kept = [one for one in lines if one["id"] in names or not one["id"].startswith("c")]
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in kept))


def change(folder: Folder, name: str, **fields: object) -> None:
    """Change the record of a run."""
    rewrite(folder.records, lambda one: one | (fields if one["id"] == name else {}))


def left(folder: Folder) -> list[str]:
    """What is left to run."""
    return [spec["id"] for spec in execute.remaining(folder)]


def of_first(folder: Folder) -> list[str]:
    """The counting runs of the first block."""
    return [spec["id"] for spec in folder.read_plan() if spec["block"] == 1 and spec.get("role") == "counting"]


def test_after_a_block_without_values_nothing_is_left_to_count(counting, monkeypatch):
    keep(counting, *of_first(counting))
    assert left(counting) == []
    assert len(uncounted(counting.read_plan(), counting.read_records())) == 8
    study = Study.read(counting.path)
    assert (study.planned, len(study.runs)) == (12, 12)
    said = shown(study, monkeypatch)
    assert "No counter has a value. Not available: instructions (no hardware PMU)" in said
    assert "Not finished" not in said


def test_until_the_first_block_is_whole_all_of_it_is_planned(counting):
    keep(counting, *of_first(counting)[:1])
    assert len(left(counting)) == 9
    assert Contents.read(counting.path).planned == 20


@pytest.mark.parametrize("name", [0, 1])
def test_one_value_is_worth_all_counting_runs(counting, name):
    first = of_first(counting)
    keep(counting, *first)
    change(counting, first[name], counters=SOME)
    assert len(left(counting)) == 8


def test_runs_that_failed_say_nothing_about_counters(counting):
    first = of_first(counting)
    keep(counting, *first)
    change(counting, first[0], **EXIT_1)
    assert left(counting) == [], "the other one says it"
    change(counting, first[1], **EXIT_1)
    assert len(left(counting)) == 8


def test_questions_that_count_are_asked_nevertheless(counting):
    first = of_first(counting)
    keep(counting, *first)
    rewrite(counting.plan, lambda spec: spec | ({"test": "switches"} if spec["id"] not in first else {}))
    assert len(left(counting)) == 8


def test_a_study_that_made_them_all_has_them_all(counting):
    assert left(counting) == []
    assert Contents.read(counting.path).planned == 20
    assert len(runs(counting)) == 20


def test_a_repeated_block_is_whole_without_them_and_the_reasons_stay(counting, monkeypatch):
    first = of_first(counting)
    keep(counting, *first)
    repeat(counting, [1, 3], 5)
    again = execute.remaining(counting)
    assert [(spec["repeats"], spec.get("role", "measure")) for spec in again] == [
        (1, "measure"), (1, "measure"), (3, "measure"), (3, "measure"),
    ]  # fmt: skip
    with counting.records.open("a") as file:
        file.writelines(json.dumps(record(spec["id"], spec["block"], 1.0, 1.0)) + "\n" for spec in again)
    counted = {run.spec["id"] for run in runs(counting)}
    assert {spec["id"] for spec in again} | set(first) <= counted
    assert len(counted) == 12
    study = Study.read(counting.path)
    assert (study.planned, len(study.runs)) == (12, 12)
    assert "Not available: instructions (no hardware PMU)" in shown(study, monkeypatch)


def test_a_study_ends_them_after_the_first_block_and_says_so(binary, tmp_path):
    (tmp_path / "mine.toml").write_text("")
    file = (
        "[program]\ncommand = ['sh', '-c', 'exit 0 {threads}']\n[measure]\ncounters = ['nosuch']\nevents = 'mine.toml'"
    )
    (tmp_path / "c.toml").write_text(file)
    words = ["-n", "1,2", "--blocks", "2", "--out", "s", "c.toml"]
    done = knee(binary, "study", "--no-report", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "knee: no counter has a value here: the runs that count are left out from now on\n" in done.stderr
    study = Study.read(tmp_path / "s")
    assert [(run.role, run.spec["block"]) for run in study.runs if run.role == "counting"] == [("counting", 1)] * 2
    assert len(study.runs) == 6
    again = knee(binary, "study", "--resume", "s", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert len(Study.read(tmp_path / "s").runs) == 6
    assert "left out where those of the first block had no value" in (tmp_path / "s/report.html").read_text()
