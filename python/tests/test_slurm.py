"""The batch script, with and without Python: stopped and restarted, it makes every run exactly once."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import machine
from test_study import knee

from knee.store import Folder
from knee.study.run import slurm
from knee.study.spec import StudySpec

BLOCKS = 4
PLAN = (
    "plan",
    "--slurm",
    "--out",
    "s",
    "--blocks",
    str(BLOCKS),
    "--factor",
    "threads=1,2",
    "--factor",
    "placement=none",
)


def planned(binary: str, tmp_path: Path, *options: str, program: str = "sleep 0.3") -> Path:
    """Plan a study with its script; the folder has a space in its name."""
    (tmp_path / "a b").mkdir()
    done = knee(binary, *PLAN, *options, "--", "sh", "-c", f"{program} # {{threads}}", cwd=tmp_path / "a b")
    assert done.returncode == 0, done.stderr
    return tmp_path / "a b/s"


def started(binary: str, folder: Path, lone: str | None, **more: str) -> subprocess.Popen[str]:
    """Start the script. `lone` is a binary that finds no Python."""
    environment = os.environ | {"KNEE_BIN": binary}
    environment |= {"KNEE_BIN": lone, "KNEE_PYTHON": "/nonexistent/python"} if lone else {}
    environment.pop("SLURM_JOB_ID", None)
    return subprocess.Popen(
        ["bash", folder / "batch.sh"],
        env=environment | more,
        cwd=folder.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(job: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = job.communicate(timeout=120)
    return job.returncode, out + err


def records(folder: Path) -> int:
    path = folder / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def stopped_after(job: subprocess.Popen[str], folder: Path, runs: int) -> tuple[int, str]:
    end = time.monotonic() + 60
    while records(folder) < runs:
        assert time.monotonic() < end, finished(job)
        time.sleep(0.01)
    # As SLURM does it: the script alone hears of it.
    os.kill(job.pid, signal.SIGTERM)
    return finished(job)


def each_once(folder: Path) -> None:
    made = Folder(folder).read_records()
    assert sorted(one["id"] for one in made) == sorted(spec["id"] for spec in Folder(folder).read_plan())
    assert {one["exit"].get("code") for one in made} == {0}


@pytest.fixture(params=["with Python", "without Python"])
def lone(request, binary, tmp_path_factory) -> str | None:
    """Path of a copy of the binary without Python beside it; None for the one with Python."""
    if request.param == "with Python":
        return None
    return shutil.copy(binary, tmp_path_factory.mktemp("bin") / "knee")


def test_stopped_in_the_middle_and_started_again_it_makes_every_run_once(binary, tmp_path, lone):
    folder = planned(binary, tmp_path)
    status, said = stopped_after(started(binary, folder, lone), folder, 2)
    assert status == 0, said
    assert "bash batch.sh continues" in said
    kept = records(folder)
    assert 2 <= kept < 2 * BLOCKS
    status, said = finished(started(binary, folder, lone))
    assert status == 0, said
    assert f"0 of {2 * BLOCKS} runs are left" in said
    each_once(folder)
    assert (folder / "report.html").exists() == (lone is None)
    assert finished(started(binary, folder, lone))[0] == 0
    each_once(folder)


def test_killed_with_everything_below_it_and_a_torn_record_it_makes_every_run_once(binary, tmp_path, lone):
    folder = planned(binary, tmp_path)
    job = started(binary, folder, lone)
    while records(folder) < 3:
        time.sleep(0.01)
    os.killpg(job.pid, signal.SIGKILL)
    job.communicate(timeout=60)
    whole = (folder / "records.jsonl").read_bytes()
    (folder / "records.jsonl").write_bytes(whole[:-10])
    status, said = finished(started(binary, folder, lone))
    assert status == 0, said
    each_once(folder)


def test_setup_and_cleanup_are_around_every_session(binary, tmp_path, lone):
    options = ["--setup", "echo up >> 'lo g'", "--cleanup", 'echo "down" >> lo\\ g']
    folder = planned(binary, tmp_path, *options)
    stopped_after(started(binary, folder, lone), folder, 1)
    assert finished(started(binary, folder, lone))[0] == 0
    assert (folder.parent / "lo g").read_text().split() == ["up", "down", "up", "down"]
    each_once(folder)


def test_a_setup_that_fails_is_the_scripts_failure_and_is_cleaned_up(binary, tmp_path, lone):
    folder = planned(binary, tmp_path, "--setup", "exit 3", "--cleanup", "echo down >> log")
    status, said = finished(started(binary, folder, lone))
    assert status != 0
    assert "setup failed: exit 3: exit status 3" in said
    assert (folder.parent / "log").read_text() == "down\n"
    assert records(folder) == 0


@pytest.mark.parametrize(("state", "queued"), [("RUNNING", True), ("COMPLETING", False)])
def test_it_queues_itself_again_unless_it_is_cancelled(binary, tmp_path, lone, state, queued):
    folder = planned(binary, tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    # What SLURM's tool prints and does, as far as the script uses it.
    scontrol = (
        f'#!/bin/sh\necho "$*" >> {tools}/log\n[ "$1" = show ] && echo "   JobState={state} Reason=None"\nexit 0\n'
    )
    (tools / "scontrol").write_text(scontrol)
    (tools / "scontrol").chmod(0o755)
    slurm_says = {"SLURM_JOB_ID": "77", "PATH": f"{tools}:{os.environ['PATH']}"}
    status, said = stopped_after(started(binary, folder, lone, **slurm_says), folder, 1)
    assert status == 0, said
    assert (tools / "log").read_text().splitlines() == ["show job 77", *(["requeue 77"] if queued else [])]


def test_slurms_copy_of_the_script_finds_the_folder_it_was_submitted_from(binary, tmp_path):
    folder = planned(binary, tmp_path, program="true")
    copy = tmp_path / "slurm_script"
    copy.write_text((folder / "batch.sh").read_text())
    environment = os.environ | {"KNEE_BIN": binary}
    done = subprocess.run(["bash", copy], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "submit this from inside the study's folder" in done.stderr
    environment["SLURM_SUBMIT_DIR"] = str(folder)
    done = subprocess.run(["bash", copy], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    each_once(folder)


def test_another_machine_than_that_of_the_plan_is_refused(binary, tmp_path, lone):
    folder = planned(binary, tmp_path)
    here = json.loads((folder / "machine.json").read_text())
    (folder / "machine.json").write_text(json.dumps(machine(300), indent=1))
    status, said = finished(started(binary, folder, lone))
    assert status == 2
    sizes = [len(here[kind]) for kind in ("sockets", "nodes", "cores")] + [len(here["allowed"]["cpus"])]
    counted = "{} sockets, {} nodes, {} cores, {} cpus allowed".format(*sizes)
    assert f"here {counted}; planned 1 sockets, 1 nodes, 300 cores, 300 cpus allowed" in said
    assert records(folder) == 0


@pytest.mark.serial
def test_two_jobs_do_not_share_a_study(binary, tmp_path, lone):
    folder = planned(binary, tmp_path, program="touch begun; until [ -e go ]; do sleep 0.05; done")
    first = started(binary, folder, lone)
    while not (folder.parent / "begun").exists():
        assert first.poll() is None
        time.sleep(0.01)
    status, said = finished(started(binary, folder, lone))
    (folder.parent / "go").touch()
    assert status == 2
    assert "already running" in said
    assert finished(first)[0] == 0
    each_once(folder)


def test_the_script_needs_a_folder(binary, tmp_path):
    done = knee(binary, "plan", "--slurm", "--", "true", cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no --out" in done.stderr


def test_name_and_limit_are_what_slurm_can_read():
    plan = [{"timeout_s": 600.0, "warmup": 1}] * 80 + [{"timeout_s": 600.0, "cache": "warm"}] + [{"timeout_s": 0.5}]
    text = slurm.script(StudySpec(name="my prog\n#SBATCH -x", program={"directory": "/a b"}), plan)
    assert "#SBATCH --job-name=my-prog-SBATCH--x\n" in text
    # 81 runs and their warm-ups of 600 s, half a second, and a minute to spare: 97260 s.
    assert "\n##SBATCH --time=1-03:01:00\n" in text
    assert "\ndirectory='/a b'\n" in text
    assert "@" not in text.replace("TERM@60", "").replace("$@", "")


def test_builds_come_before_setup_without_python_too(binary, tmp_path, lone):
    log = tmp_path / "log"
    options = ["--factor", "env:V=a,b", "--factor", "v=1,2", "--build", f"echo build {{v}} >> {log}"]
    program = f"grep -q 'build {{v}}' {log}; exit $?"
    folder = planned(binary, tmp_path, *options, "--setup", f"echo setup >> {log}", program=program)
    code, said = finished(started(binary, folder, lone))
    assert code == 0, said
    lines = log.read_text().splitlines()
    assert (sorted(lines), lines[-1]) == (["build 1", "build 2", "setup"], "setup")
    assert all(one["exit"] == {"code": 0} for one in Folder(folder).read_records())


def test_a_study_that_its_own_rule_ended_is_not_queued_again(binary, tmp_path):
    folder = planned(binary, tmp_path, "--budget", "0.1s")
    code, said = finished(started(binary, folder, None))
    assert code == 0, said
    assert (folder / "ended.json").exists()
    assert "knee: 0 of 8 runs are left" in said
