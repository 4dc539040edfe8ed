"""``knee try`` on real programs: plan, runs, resuming, trust, and a program that a remedy speeds up."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import time
from pathlib import Path

import pytest
from conftest import VALID, rewrite, skipped
from test_study import knee
from test_trust import state  # noqa: F401 -- a fixture

from knee.opened import Study
from knee.store import Folder, StudyError, read_end
from knee.study.remedies.remedy import Remedy
from knee.study.run import execute
from knee.study.run import trials as run_trials

REMEDIES = """
[[remedy]]
name = "short pause"
treats = ["sleeping lock"]
env = { PAUSE = "0.05" }
[[remedy]]
name = "other answer"
env = { PAUSE = "0.01", ANSWER = "43" }
[[remedy]]
name = "failure"
env = { CODE = "3" }
"""


def program(folder: Path, remedies: str = REMEDIES, **design: object) -> Path:
    """Write a program whose speed, answer and status depend on variables, and a study of it."""
    script = folder / "program"
    script.write_text('#!/bin/sh\nsleep "${PAUSE:-0.15}"\necho "${ANSWER:-42}"\nexit "${CODE:-0}"\n')
    script.chmod(0o755)
    options = "".join(f"{name} = {json.dumps(value)}\n" for name, value in ({"blocks": 2} | design).items())
    file = folder / "study.toml"
    file.write_text(
        f'[program]\ncommand = ["{script}", "{{threads}}"]\n[factors]\nthreads = [1, 2]\nplacement = ["none"]\n'
        f"[design]\n{options}[measure]\nsame_output = true\nprepare = 'touch {folder}/prepared'\n{remedies}"
    )
    return file


def made(binary: str, folder: Path, *options: str, **design: object) -> Folder:
    """Make the study."""
    file = program(folder, **design)
    done = knee(binary, "study", "--no-report", "--no-pilot", "--out", "s", *options, str(file), cwd=folder)
    assert done.returncode == 0, done.stderr
    return Folder(folder / "s")


def trials(folder: Folder) -> list[str]:
    return [spec["test"] for spec in folder.read_plan() if spec.get("role") == "remedy"]


def only(*names: str) -> list[str]:
    return [word for name in names for word in ("--only", name)]


OWN = only("short pause", "other answer", "failure")


def test_remedies_are_tried_beside_the_program_as_it_is(binary, tmp_path):
    folder = made(binary, tmp_path)
    (tmp_path / "prepared").unlink()
    # Of four blocks, one run that is delayed by 0.2 s would leave no answer.
    done = knee(binary, "try", "s", *OWN, "--blocks", "8", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(trials(folder)) == sorted(8 * ["as is", "short pause", "other answer", "failure"])
    found = {one.remedy: one for one in Study.read(folder.path).analysis.tried}
    assert (found["short pause"].answer, found["short pause"].rejected) == ("faster", None)
    assert found["other answer"].rejected == "its output differs from that of 20 other runs (8 of 8 runs)"
    assert found["failure"].rejected == "exit status 3 (8 of 8 runs)"
    assert (tmp_path / "prepared").exists()
    said = " ".join(done.stdout.split())
    assert "Best: short pause, " in said
    assert "(PAUSE=0.05)." in said
    assert "facts (knee machine) are the same after the trials as before." in said
    assert "duration" not in done.stderr
    assert "knee: 3 remedies, 8 blocks, about " in done.stderr
    assert json.loads((folder.path / "analysis.json").read_text())["tried"], "rebuilt, since it was there"
    assert not (folder.path / "report.html").exists()


def test_json_and_list_run_nothing_that_was_not_asked_for(binary, tmp_path):
    folder = made(binary, tmp_path)
    plan = folder.plan.read_bytes()
    done = knee(binary, "try", "s", "--list", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for words in ("Remedies that apply at 2 threads:", "  short pause\n", "      PAUSE=0.05", "Do not apply here:"):
        assert words in done.stdout
    listed = json.loads(knee(binary, "try", "s", "--list", "--json", cwd=tmp_path).stdout)["remedies"]
    reasons = {one["name"]: one["why_not"] for one in listed}
    assert reasons["short pause"] is None
    assert reasons["passive waiting"] == "the program uses no OpenMP library"
    assert folder.plan.read_bytes() == plan
    done = knee(binary, "try", "s", *only("short pause"), "--json", cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert [one["remedy"] for one in answer["tried"]] == ["short pause"]
    assert (answer["threads"], answer["facts_changed"]) == (2, [])
    assert "passive waiting" in {one["name"] for one in answer["not_tried"]}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--only", "shrt pause"], "--only: unknown remedy 'shrt pause'\n\nhint: did you mean short pause?"),
        (["--only", "passive waiting"], "--only: passive waiting: the program uses no OpenMP library"),
        (["--budget", "0.1s"], "--budget: 0.1 s is too little"),
        (["--budget", "soon"], "--budget: 'soon' is not a duration"),
        (["--at", "placement"], "--at: 'placement' is not FACTOR=LEVEL"),
        (["--at", "placement=here"], "--at: placement=here: the study has no such level"),
        (["--blocks", "1"], "--blocks"),
        (["--list", "--budget", "10m"], "--budget has no effect beside --list"),
    ],
)
def test_mistakes_are_errors_before_anything_runs(binary, tmp_path, words, reason):
    folder = made(binary, tmp_path)
    plan = folder.plan.read_bytes()
    done = knee(binary, "try", "s", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert folder.plan.read_bytes() == plan


@pytest.mark.parametrize("words", [["--wait-quiet", "s", "--list"], ["--wait-quiet", "90s", "s", "--list"]])
def test_the_name_of_the_study_is_no_time_to_wait(binary, tmp_path, words):
    made(binary, tmp_path)
    done = knee(binary, "try", *words, cwd=tmp_path)
    # It got as far as to the study.
    assert "--wait-quiet has no effect beside --list" in done.stderr


def test_a_study_that_is_not_complete_or_of_another_machine_is_not_tried(binary, tmp_path):
    folder = made(binary, tmp_path)
    lines = folder.records.read_text().splitlines(keepends=True)
    folder.records.write_text("".join(lines[:-1]))
    done = knee(binary, "try", "s", cwd=tmp_path)
    assert (done.returncode, "the study is not complete (3 of 4 runs are made)" in done.stderr) == (2, True)
    assert "knee study --resume s" in done.stderr
    folder.records.write_text("".join(lines))
    machine = folder.read_machine()
    machine["cores"] = machine["cores"][:1]
    folder.machine.write_text(json.dumps(machine))
    done = knee(binary, "try", "s", cwd=tmp_path)
    assert (done.returncode, "it was made on another machine" in done.stderr) == (2, True)
    assert trials(folder) == []


def test_a_try_that_was_killed_is_continued(binary, tmp_path):
    folder = made(binary, tmp_path)
    words = [binary, "try", "s", *only("short pause"), "--blocks", "10"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = len(folder.read_records())
    while len(folder.read_records()) < before + 4:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = len(execute.remaining(folder))
    assert 0 < left < 20
    done = knee(binary, "try", "s", *only("short pause"), cwd=tmp_path)
    assert (done.returncode, "trials that were interrupted are left" in done.stderr) == (2, True)
    done = knee(binary, "try", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "continuing the trials that were interrupted" in done.stderr
    assert execute.remaining(folder) == []
    assert len(trials(folder)) == 20, "no more were planned"
    ids = [record["id"] for record in folder.read_records()]
    assert sorted(ids) == sorted(spec["id"] for spec in folder.read_plan())
    assert "Best: short pause" in done.stdout


def test_a_resumed_study_goes_on_with_trials(binary, tmp_path):
    folder = made(binary, tmp_path)
    assert knee(binary, "try", "s", *only("short pause"), "--blocks", "2", cwd=tmp_path).returncode == 0
    lines = folder.records.read_text().splitlines(keepends=True)
    folder.records.write_text("".join(lines[:-3]))
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "knee: block 4 of 4 is done" in done.stderr
    assert len(folder.read_records()) == len(lines)


def test_ctrl_c_keeps_what_was_made(binary, tmp_path):
    folder = made(binary, tmp_path)
    words = [binary, "try", "s", *only("short pause"), "--blocks", "10"]
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    before = len(folder.read_records())
    while len(folder.read_records()) < before + 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130
    assert "of 20 runs are done" in said
    assert "hint: knee try s continues" in said
    assert len(folder.read_records()) >= before + 2


@pytest.mark.serial
def test_the_stopping_rule_neither_ends_trials_nor_hides_them(binary, tmp_path):
    folder = made(binary, tmp_path, blocks=9, budget_s=0.9)
    ended = read_end(folder)
    assert ended is not None
    assert ended.block < 9
    records = len(folder.read_records())
    done = knee(binary, "try", "s", *only("short pause"), "--blocks", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert read_end(folder) == ended
    assert len(folder.read_records()) == records + 6
    assert min(spec["block"] for spec in folder.read_plan() if spec.get("role") == "remedy") == 10
    assert execute.remaining(folder) == []
    study = Study.read(folder.path)
    assert (study.planned, len(study.runs)) == (records + 6, records + 6)


def test_trials_are_no_blocks_of_the_design_to_repeat(binary, tmp_path):
    folder = made(binary, tmp_path)
    assert knee(binary, "try", "s", *only("short pause"), "--blocks", "2", cwd=tmp_path).returncode == 0
    tried = {spec["id"] for spec in folder.read_plan() if spec.get("role") == "remedy"}

    def loud(one: dict) -> dict:
        return one | {"validity": VALID | {"other_busy": 0.9 if one["id"] in tried else 0.0}}

    rewrite(folder.records, loud)
    done = knee(binary, "study", "--no-report", "--resume", "s", "--rerun-disturbed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not any("repeats" in spec for spec in folder.read_plan())


def test_a_second_try_adds_blocks_to_the_first(binary, tmp_path):
    folder = made(binary, tmp_path)
    for names in (["short pause"], ["short pause", "failure"]):
        assert knee(binary, "try", "s", *only(*names), "--blocks", "2", cwd=tmp_path).returncode == 0
    found = {one.remedy: one for one in Study.read(folder.path).analysis.tried}
    assert (found["short pause"].time.values, found["short pause"].treats) == (4, ("sleeping lock",))
    assert found["failure"].rejected


def test_a_remedy_that_has_changed_needs_another_name(binary, tmp_path):
    folder = made(binary, tmp_path)
    words = ["try", "s", *only("failure"), "--blocks", "2", "--trust"]
    assert knee(binary, *words, cwd=tmp_path).returncode == 0
    plan = folder.plan.read_bytes()
    folder.study_spec.write_text(folder.study_spec.read_text().replace('CODE = "3"', 'CODE = "0"'))
    done = knee(binary, *words, cwd=tmp_path)
    assert (done.returncode, folder.plan.read_bytes()) == (2, plan)
    assert "cannot try 'failure': it does something else than when it was tried before" in done.stderr
    folder.study_spec.write_text(folder.study_spec.read_text().replace('"failure"', '"success"'))
    done = knee(binary, "try", "s", *only("success"), "--blocks", "2", "--trust", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {one.remedy: one.rejected for one in Study.read(folder.path).analysis.tried}
    assert found == {"failure": "exit status 3 (2 of 2 runs)", "success": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"env": {"GOGC": "700"}}, "another process has added trials"),
        ({"env": {"GOGC": "500"}}, "it does something else than when it was tried before"),
        ({"env": {"GOGC": "700"}, "threads": 1}, "it does something else than when it was tried before"),
    ],
)
def test_a_remedy_of_knee_that_does_something_else_is_not_counted_as_the_first(binary, tmp_path, change, said):
    folder = made(binary, tmp_path)
    as_is = next(spec for spec in folder.read_plan() if spec["threads"] == 2)

    def remedy(env: dict, **more: object) -> Remedy:
        return Remedy("a larger heap", (), "", {"program": as_is["program"] | {"env": env}, **more})

    run_trials.add(folder, as_is, [remedy({"GOGC": "700"})], 2, {})
    # Where it is the same, the first ones would have to be run before others are added.
    with pytest.raises(StudyError, match=said):
        run_trials.add(folder, as_is, [remedy(**change)], 2, {})


@pytest.mark.parametrize(("own", "said"), [(True, "it does something else"), (False, "another process has added")])
def test_another_library_of_a_remedy_of_the_study_is_another_remedy(binary, tmp_path, own, said):
    folder = made(binary, tmp_path)
    as_is = next(spec for spec in folder.read_plan() if spec["threads"] == 2)
    if own:
        spec = (
            folder.study_spec.read_text() + '\n[[remedy]]\nname = "preloaded"\nenv = { LD_PRELOAD = "/5.2/lib.so" }\n'
        )
        folder.study_spec.write_text(spec)

    def remedy(library: str) -> Remedy:
        return Remedy("preloaded", (), "", {"program": as_is["program"] | {"env": {"LD_PRELOAD": library}}})

    run_trials.add(folder, as_is, [remedy("/5.2/lib.so")], 2, {})
    # One that knee makes in the folder of the study has moved with it.
    with pytest.raises(StudyError, match=said):
        run_trials.add(folder, as_is, [remedy("/5.3/lib.so")], 2, {})


def test_a_continued_try_is_that_of_its_thread_count(binary, tmp_path):
    folder = made(binary, tmp_path)
    words = ["try", "s", *only("short pause"), "--blocks", "2", "--at", "threads=1"]
    assert knee(binary, *words, cwd=tmp_path).returncode == 0
    lines = folder.records.read_text().splitlines(keepends=True)
    folder.records.write_text("".join(lines[:-2]))
    done = knee(binary, "try", "s", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["threads"] == 1


def test_remedies_of_somebody_else_run_only_with_trust(binary, tmp_path, state):  # noqa: F811
    folder = made(binary, tmp_path)
    with folder.study_spec.open("a") as file:
        file.write(f'[[remedy]]\nname = "evil"\ncommand = ["touch", "{tmp_path}/evil"]\n')
    done = knee(binary, "try", "s", cwd=tmp_path)
    assert done.returncode == 2
    assert "knee: cannot try remedies: s: you did not plan it on this machine, and it would run" in done.stderr
    assert done.stderr.endswith("then knee try s --trust\n")
    assert not (tmp_path / "evil").exists()
    assert trials(folder) == []
    done = knee(binary, "try", "s", "--trust", "--blocks", "2", *only("evil"), cwd=tmp_path)
    assert (tmp_path / "evil").exists(), done.stderr
    # Trusted once, it stays trusted, also with the trials in its plan.
    assert knee(binary, "try", "s", "--blocks", "2", *only("short pause"), cwd=tmp_path).returncode == 0


IMBALANCE = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    long n = atol(argv[1]);
    double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        double part = 0;
        for (long j = 0; j < i; j++) part += 1.0 / (j + 1);
        sum += part > 5;
    }
    printf("%.0f\\n", sum);
    return 0;
}
"""


@pytest.mark.serial
def test_a_dynamic_schedule_speeds_up_a_triangle_of_work(binary, tmp_path):
    if not shutil.which("gcc"):
        skipped("an OpenMP program", "there is no gcc")
    if len(os.sched_getaffinity(0)) < 2:
        skipped("an OpenMP program", "there is one cpu")
    (tmp_path / "a.c").write_text(IMBALANCE)
    subprocess.run(["gcc", "-O1", "-fopenmp", "a.c", "-o", "triangle"], cwd=tmp_path, check=True)
    (tmp_path / "s.toml").write_text(
        '[program]\ncommand = ["./triangle", "16000"]\nfor = "openmp"\n[program.env]\nOMP_SCHEDULE = "static"\n'
        'OMP_WAIT_POLICY = "passive"\n'
        "[factors]\nthreads = [1, 2]\n[design]\nblocks = 2\n[measure]\nsame_output = true\n"
    )
    words = ["--no-report", "--no-pilot", "--out", "s", "s.toml"]
    done = knee(binary, "study", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = knee(binary, "try", "s", *only("dynamic schedule"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {one.remedy: one for one in Study.read(tmp_path / "s").analysis.tried}
    dynamic = found["dynamic schedule"]
    # Beside other programs the gain may drown, but not which thread does how much work in the least disturbed run.
    assert (dynamic.rejected, dynamic.treats) == (None, ("imbalance",))
    # While cpus of a virtual machine share a core there is no gain: CPU time was then seen to be 1.34 times as long.
    share_a_core = dynamic.answer == "equal" and dynamic.cpu.interval.low > 1.2
    assert dynamic.answer in ("faster", "cannot tell") or share_a_core
    # The median as it is: the least share is that of a run in which something slowed the thread with less work.
    as_is = statistics.median(busiest(Folder(tmp_path / "s"), "as is"))
    changed = min(busiest(Folder(tmp_path / "s"), "dynamic schedule"))
    # With a static schedule the second of two threads has three quarters of the work; passive, the other one sleeps.
    assert 0.6 < as_is < 0.8
    assert changed < as_is


def busiest(folder: Folder, test: str) -> list[float]:
    """Return the share of CPU time of the busiest thread in each run."""
    ids = {spec["id"] for spec in folder.read_plan() if spec.get("test") == test}
    times = [[one["cpu_ns"] for one in run["observed_threads"]] for run in folder.read_records() if run["id"] in ids]
    return [max(one) / sum(one) for one in times]
