"""A study that is continued: with a program that is missing, that was built again, or that no longer works."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from conftest import rewrite
from test_slurm import BLOCKS, finished, planned, records, started
from test_study import knee

from knee.store import Contents, Folder
from knee.study.remedies import python_lock
from knee.study.remedies.executable import executable
from knee.study.run.same_program import say_changed


@pytest.fixture
def half(binary, tmp_path) -> Folder:
    """A study of a script beside it, of which the first block is recorded."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nsleep 0.02\n")
    program.chmod(0o755)
    options = ["--no-report", "--blocks", "4", "--factor", "threads=1,2", "--factor", "placement=none"]
    assert knee(binary, "study", "--out", "s", *options, "--", "./program", cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")
    rewrite(folder.records, lambda one: one | {"start": "2001-02-03T04:05:06.000Z"})
    folder.records.write_text("".join(folder.records.read_text().splitlines(keepends=True)[:2]))
    return folder


def test_a_program_that_is_gone_is_found_before_any_run_is_recorded_as_failed(binary, tmp_path, half):
    (tmp_path / "program").rename(tmp_path / "elsewhere")
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert (done.returncode, "cannot run ./program: no such program" in done.stderr) == (2, True)
    assert len(half.read_records()) == 2
    (tmp_path / "elsewhere").rename(tmp_path / "program")
    assert knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path).returncode == 0
    # Remedies are tried on the same program.
    (tmp_path / "program").unlink()
    done = knee(binary, "try", "s", "--blocks", "2", cwd=tmp_path)
    assert (done.returncode, "cannot run ./program: no such program" in done.stderr) == (2, True), done.stderr
    assert len(half.read_plan()) == 8
    # So are those that are continued.
    (tmp_path / "program").write_text("#!/bin/sh\nsleep 0.02\n")
    (tmp_path / "program").chmod(0o755)
    words = ["try", "s", "--blocks", "2", "--only", "1 thread"]
    done = knee(binary, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    records = half.records.read_text().splitlines(keepends=True)
    half.records.write_text("".join(records[:-2]))
    (tmp_path / "program").unlink()
    done = knee(binary, "try", "s", cwd=tmp_path)
    assert (done.returncode, "cannot run ./program: no such program" in done.stderr) == (2, True), done.stderr
    assert len(half.read_records()) == len(records) - 2


def test_a_folder_that_is_gone_is_found_before_a_workload_fails_in_it(binary, tmp_path):
    (tmp_path / "here").mkdir()
    options = ["--blocks", "2", "--factor", "threads=1", "--factor", "placement=none"]
    done = knee(binary, "plan", "--out", "../s", *options, "sumeuler", "--n", "100", cwd=tmp_path / "here")
    assert done.returncode == 0, done.stderr
    (tmp_path / "here").rmdir()
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert (done.returncode, f"cannot run in {tmp_path}/here: no such folder" in done.stderr) == (2, True), done.stderr
    assert Folder(tmp_path / "s").read_records() == []


def test_other_variables_of_runtimes_than_those_of_the_plan_are_said(binary, tmp_path):
    def study(*words: str, **variables: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in ("GOGC", "OMP_WAIT_POLICY")}
        done = knee(binary, *words, cwd=tmp_path, env=environment | variables)
        assert done.returncode == 0, done.stderr
        return done.stderr

    options = ["--no-report", "--blocks", "1", "--factor", "threads=1,2", "--factor", "placement=none"]
    options += ["--for", "rayon", "--factor", "env:OMP_WAIT_POLICY=active"]
    study("study", "--out", "s", *options, "--", "true", "{threads}", GOGC="50")
    folder, resume = Folder(tmp_path / "s"), ["study", "--no-report", "--resume", "s"]

    def resumed(**variables: str) -> str:
        folder.records.write_text(folder.records.read_text().splitlines(keepends=True)[0])
        return study(*resume, **variables)

    own = {"OMP_WAIT_POLICY": "passive", "RAYON_NUM_THREADS": "9"}
    assert "comparable" not in resumed(GOGC="50", **own), "the study itself sets these two"
    assert "planned with GOGC=50, which this shell does not set: its runs may not be comparable" in resumed()
    assert "planned with GOGC=50, and here it is GOGC=90: its runs may not be comparable" in resumed(GOGC="90")
    folder.machine.write_text(folder.machine.read_text().replace("GOGC=50", "none"))
    assert "planned without GOGC=50, which this shell sets: its runs may not be comparable" in resumed(GOGC="50")


def test_a_program_that_fails_from_now_on_does_not_use_up_the_study(binary, tmp_path, half):
    (tmp_path / "program").write_text("#!/bin/sh\nexit 3\n")
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 2
    assert "every run of blocks 2 to 3 failed, so the study stops here" in done.stderr
    assert len(half.read_records()) == 6, "the last block is left"
    done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert (done.returncode, len(half.read_records())) == (1, 8), "it can be made to go on"


def test_a_program_that_was_built_again_is_said_to_have_changed(binary, tmp_path):
    built = Path(shutil.copy(shutil.which("sleep"), tmp_path / "built"))
    os.utime(built, (1e9, 1e9))
    options = ["--no-report", "--blocks", "2", "--factor", "threads=1,2", "--factor", "placement=none"]
    assert knee(binary, "study", "--out", "s", *options, "--", "./built", "0.05", cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")
    mapped = [one.get("mapped") for one in folder.read_records()]
    assert any(one and str(built) in one["programs"] for one in mapped), mapped

    def resumed() -> str:
        folder.records.write_text("".join(folder.records.read_text().splitlines(keepends=True)[:2]))
        done = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert "has changed" not in resumed()
    os.utime(built)
    assert f"{built} has changed since the first run: the runs that are left measure another program" in resumed()


def test_a_program_that_no_file_can_be_called_has_not_changed(simulated):
    folder = simulated({"none": {1: (1.0, 1.0)}})
    rewrite(folder.records, lambda one: one | {"mapped": {"programs": ["/a\0b"], "libraries": []}})
    say_changed(folder)


def test_copies_of_a_command_are_started_by_the_knee_that_is_here(binary, tmp_path):
    options = ["--copies", "--blocks", "2", "--factor", "threads=1,2", "--factor", "placement=0,1;none"]
    assert knee(binary, "plan", "--out", "s", *options, "--", "true", "{threads}", cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")

    def of_a_lost_environment(spec: dict) -> dict:
        words = spec["program"]["command"]
        return spec | {"program": {"command": ["/gone/bin/knee", *words[1:]] if words[1:2] == ["copies"] else words}}

    rewrite(folder.plan, of_a_lost_environment)
    assert "/gone/bin/knee" in folder.plan.read_text()
    done = knee(binary, "study", "--no-report", "--trust", "--resume", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {one["exit"].get("code") for one in folder.read_records()} == {0}


@pytest.mark.parametrize("own", [None, "/own"])
def test_longer_turns_are_those_of_the_knee_and_of_the_shell_that_are_here(binary, tmp_path, own):
    options = ["--blocks", "1", "--factor", "threads=1,2", "--factor", "placement=none"]
    words = ["plan", "--out", "s", *options, "--", "sh", "-c", "echo $PYTHONPATH; : {threads}"]
    assert knee(binary, *words, cwd=tmp_path).returncode == 0
    folder = Folder(tmp_path / "s")
    one, other = folder.read_plan()

    def planned_elsewhere(spec: dict) -> dict:
        env = {"PYTHONPATH": own} if own else {}
        if spec["id"] == other["id"]:
            asked = {"role": "intervention", "test": "interpreter lock: longer turns", "cell": one["cell"]}
            env = {"PYTHONPATH": "/gone/remedies/longer_turns:" + (own or "/of/the/first/shell")}
            spec = {**spec, **asked}
        return spec | {"program": spec["program"] | {"env": env}}

    rewrite(folder.plan, planned_elsewhere)
    here = ":".join(filter(None, [os.environ.get("PYTHONPATH"), "/of/this/shell"]))
    words = ["study", "--no-report", "--trust", "--resume", "s"]
    done = knee(binary, *words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": here})
    assert done.returncode == 0, done.stderr
    printed = {record["id"]: record["output"]["stdout_tail"] for record in folder.read_records()}
    assert printed[one["id"]] == (own or here)
    assert printed[other["id"]] == f"{python_lock.FOLDER}:{own or here}"


def test_a_build_that_says_why_it_failed_where_others_say_what_they_do_is_quoted(binary, tmp_path):
    options = ["--blocks", "2", "--factor", "threads=1", "--build", "echo 'prog.c:3: no semicolon'; exit 1"]
    done = knee(binary, "study", "--out", "s", *options, "--", "true", cwd=tmp_path)
    assert (done.returncode, "exit status 1: prog.c:3: no semicolon" in done.stderr) == (2, True)


def test_runs_that_were_planned_while_a_study_is_read_are_no_other_studys(simulated, monkeypatch):
    folder = simulated({"none": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    whole, reads = Folder.read_plan(folder), iter(range(9))
    monkeypatch.setattr(Folder, "read_plan", lambda _: whole[:-2] if next(reads) == 0 else whole)
    assert len(Contents.read(folder.path).runs) == len(whole)


def test_a_pipe_in_place_of_a_program_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert executable(str(tmp_path / "pipe")) is None


def test_ctrl_c_that_only_the_batch_script_gets_ends_its_study(binary, tmp_path):
    folder = planned(binary, tmp_path, program="touch begun; sleep 2")
    job = started(binary, folder, None)
    while not (folder.parent / "begun").exists():
        time.sleep(0.01)
    began = time.monotonic()
    os.kill(job.pid, signal.SIGINT)
    status, said = finished(job)
    assert (status, "bash batch.sh continues" in said) == (130, True), said
    assert time.monotonic() - began < 30, "it does not wait for all runs"
    assert records(folder) < len(Folder(folder).read_plan())


def test_a_job_in_which_no_run_fits_is_not_queued_for_ever(binary, tmp_path):
    folder = planned(binary, tmp_path, program="touch begun; sleep 20")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "scontrol").write_text(f'#!/bin/sh\necho "$*" >> {tools}/log\necho "   JobState=RUNNING Reason=None"\n')
    (tools / "scontrol").chmod(0o755)
    job = started(binary, folder, None, SLURM_JOB_ID="7", PATH=f"{tools}:{os.environ['PATH']}")
    while not (folder.parent / "begun").exists():
        time.sleep(0.01)
    os.kill(job.pid, signal.SIGTERM)
    status, said = finished(job)
    assert (status, "no run ended within this job's time: give it more (sbatch --time=" in said) == (2, True), said
    assert not (tools / "log").exists()


def test_counting_runs_that_would_count_nothing_are_not_left(binary, tmp_path):
    done = knee(binary, "run", "--json", "--counters", "instructions", "--", "true", cwd=tmp_path)
    counts = "value" in json.loads(done.stdout)["counters"]["instructions"]
    folder = planned(binary, tmp_path, "--counters", "instructions", program="true")
    status, said = finished(started(binary, folder, None))
    assert (status, "knee: 0 of " in said) == (0, True), said
    left_out = len(Folder(folder).read_plan()) - len(Folder(folder).read_records())
    assert left_out == (BLOCKS - 1) * 2 * (not counts), "those of the first block are made"
