"""Setup runs once before the first run of a session, cleanup once at its end, whatever happens in between."""

import os
import signal
import subprocess
import time
import tracemalloc
from contextlib import nullcontext
from pathlib import Path

import pytest
from test_study import knee

from knee.store import Folder, StudyError
from knee.study.run import execute

ONE = ("study", "--out", "s", "--no-report", "--blocks", "2", "--factor", "threads=1", "--factor", "placement=none")


def log(folder: Path) -> list[str]:
    return (folder / "log").read_text().split()


def test_both_happen_once_around_all_runs(binary, tmp_path):
    around = ["--setup", "echo up >> log; echo noise", "--cleanup", "echo down >> log"]
    done = knee(binary, *ONE, *around, "--", "sh", "-c", "echo run >> log", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert log(tmp_path) == ["up", "run", "run", "down"]
    assert "noise" not in done.stdout + done.stderr
    knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert len(log(tmp_path)) == 4, "nothing was left to do"


def test_a_setup_that_fails_stops_the_study_and_is_cleaned_up(binary, tmp_path):
    around = ["--setup", "echo why >&2; exit 3", "--cleanup", "echo down >> log"]
    done = knee(binary, *ONE, *around, "--", "sh", "-c", "echo run >> log", cwd=tmp_path)
    assert done.returncode == 2
    assert "knee: setup failed: echo why >&2; exit 3: exit status 3: why" in done.stderr
    assert "hint: knee study --resume s" in done.stderr
    assert log(tmp_path) == ["down"]
    assert Folder(tmp_path / "s").read_records() == []


def test_a_cleanup_that_fails_is_said_and_no_run_is_lost(binary, tmp_path):
    done = knee(binary, *ONE, "--cleanup", "exit 4", "--", "true", cwd=tmp_path)
    assert done.returncode == 2
    assert "knee: cleanup failed: exit 4: exit status 4" in done.stderr
    assert "hint: all runs are kept: knee report s" in done.stderr
    assert len(Folder(tmp_path / "s").read_records()) == 2
    assert knee(binary, "report", "s", cwd=tmp_path).returncode == 0


def test_a_study_that_only_fails_is_cleaned_up_and_both_failures_are_said(binary, tmp_path):
    done = knee(binary, *ONE, "--cleanup", "echo down >> log; exit 4", "--", "false", cwd=tmp_path)
    assert done.returncode == 2
    assert log(tmp_path) == ["down"]
    said = done.stderr
    assert said.index("cleanup failed") < said.index("every run of the first block failed")


@pytest.mark.parametrize("status", [0, 3])
def test_of_a_step_that_prints_much_only_the_end_is_read(tmp_path, status):
    text = f"head -c 40000000 /dev/zero; echo; echo why; exit {status}"
    tracemalloc.start()
    try:
        with pytest.raises(StudyError, match=r"exit status 3: .*\nwhy$") if status else nullcontext():
            execute._shell(Folder(tmp_path), "setup", text, None)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4_000_000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_study_is_cleaned_up_and_set_up_again_on_resume(binary, tmp_path, number):
    around = ["--setup", "echo up >> log", "--cleanup", "echo down >> log"]
    # The second run lasts until the study is stopped.
    program = "echo run >> runs; if [ $(wc -l < runs) = 2 ]; then sleep 60; fi"
    words = [binary, *ONE, *around, "--", "sh", "-c", program]
    study = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL)
    runs = tmp_path / "runs"
    while not runs.exists() or len(runs.read_text().split()) < 2:
        assert study.poll() is None
        time.sleep(0.01)
    os.kill(study.pid, number)
    assert study.wait(timeout=20) == 130
    assert log(tmp_path) == ["up", "down"]
    assert knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path).returncode == 0
    assert log(tmp_path) == ["up", "down", "up", "down"]
    assert len(Folder(tmp_path / "s").read_records()) == 2


def test_a_server_that_setup_leaves_running_holds_nothing_up(binary, tmp_path):
    around = ["--setup", "sleep 60 & echo $! > pid", "--cleanup", "kill $(cat pid)"]
    begun = time.monotonic()
    done = knee(binary, *ONE, *around, "--", "sh", "-c", "kill -0 $(cat pid)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begun < 30
    assert all(record["exit"] == {"code": 0} for record in Folder(tmp_path / "s").read_records())


def test_steps_run_in_the_folder_of_the_study_file(binary, tmp_path):
    (tmp_path / "in").mkdir()
    file = "[program]\ncommand = ['true']\n[measure]\nsetup = 'touch here'\n"
    (tmp_path / "in/s.toml").write_text(file)
    done = knee(binary, *ONE, "in/s.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "in/here").exists()
