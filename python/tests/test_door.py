"""How a command line reaches its verb, and which processes are started for it."""

import json
import keyword
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from knee import _binary, cli
from knee.store import StudyError


@pytest.fixture
def knee(binary, tmp_path) -> Path:
    """The binary in a folder without an interpreter, so that KNEE_PYTHON decides."""
    return Path(shutil.copy(binary, tmp_path / "knee"))


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def run(*words, python=sys.executable, cwd=None, **env) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if name != "KNEE_BIN"} | env
    environment["KNEE_PYTHON"] = str(python)
    called = [str(word) for word in words]
    return subprocess.run(called, capture_output=True, text=True, cwd=cwd, env=environment, check=False)


def test_a_python_without_knee_is_said_in_knees_words(knee, tmp_path):
    bare = script(tmp_path / "bare-python", f'exec {sys.executable} -S -E "$@"')
    done = run(knee, "report", "x", python=bare)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"knee: `knee report` needs knee's Python part: {bare}: it has no package knee\n")
    assert "\nhint: run `pip install .`" in done.stderr


def test_a_python_that_is_too_old_is_said_in_knees_words(knee, tmp_path):
    # Asked whether it is Python, its first argument is -S; else it is -c, and the second the first lines of Python.
    lines = (
        f'[ "$1" = -S ] && exec {sys.executable} "$@"; shift; '
        f'first="import sys; sys.version_info = (3, 10, 1)\n$1"; shift; exec {sys.executable} -c "$first" "$@"'
    )
    done = run(knee, "report", "x", python=script(tmp_path / "old-python", lines))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.partition("\n")[0].endswith("old-python: it is older than Python 3.11")


def test_a_file_of_the_users_folder_is_never_imported(knee, tmp_path):
    for name in ("knee.py", "click.py", "json.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')")
    done = run(knee, "report", "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Rebuild a study's report." in done.stdout


def test_one_interpreter_is_started(knee, tmp_path):
    # One beside the binary, where a wheel puts it. One that KNEE_PYTHON names is first asked whether it is Python.
    script(tmp_path / "python3", f'echo once >> {tmp_path}/starts; exec {sys.executable} "$@"')
    assert run(knee, "help", "report").returncode == 0
    assert (tmp_path / "starts").read_text() == "once\n"


def test_a_study_starts_two_processes_and_only_the_runner_while_it_measures(knee, tmp_path):
    log = tmp_path / "log"
    counted = script(tmp_path / "counted", f'echo "$1" >> {log}; exec {knee} "$@"')
    seen = script(tmp_path / "seen", f"cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' > {tmp_path}/processes")
    words = ["study", "--no-report", "--blocks", "1", "--factor", "threads=1", "--out", tmp_path / "study", "--", seen]
    done = run(sys.executable, "-m", "knee", *words, KNEE_BIN=str(counted))
    assert done.returncode == 0, done.stderr
    assert log.read_text().split() == ["answer", "run"]
    processes = (tmp_path / "processes").read_text()
    assert f"{knee} run --stdin" in processes
    assert f"{knee} answer" not in processes


def test_refusals_keep_their_words_and_the_next_question_is_answered():
    with pytest.raises(StudyError, match="unknown placement 'cores-wide'") as error:
        _binary.ask("place", "cores-wide")
    assert "cpus like" in (error.value.hint or "")
    with pytest.raises(StudyError, match="bad run spec: missing field"):
        _binary.validate([{"schema": 1}])
    with pytest.raises(StudyError, match="answers no questions"):
        _binary.ask("doctor", "--json")
    assert _binary.ask("place", "none")["places"] is None
    _binary.hang_up()
    assert _binary.ask("machine")["schema"] == 1


def test_a_binary_that_does_not_answer_is_said(monkeypatch, tmp_path):
    _binary.hang_up()
    monkeypatch.setenv("KNEE_BIN", str(script(tmp_path / "other", "exit 3")))
    with pytest.raises(StudyError, match="it ended with status 3"):
        _binary.ask("machine")


def test_every_python_verb_of_the_table_has_its_file_and_shows_its_line(binary):
    listed = subprocess.run([binary, "--help"], capture_output=True, text=True, check=True).stdout
    for name, line in cli.listed().items():
        assert cli.verb(name).name == name
        assert bool(line) == (f"\n  {name} " in listed), name
    files = {path.stem for path in (Path(cli.__file__).parent / "verbs").glob("*.py")} - {"__init__"}
    assert files == {f"{name}_" if keyword.iskeyword(name) else name for name in cli.listed()}


def test_the_workload_mine_and_the_verb_read_the_same_words(binary):
    def says(*words: str) -> str:
        done = subprocess.run([binary, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    for words in (["count", "rmat:6", "--pattern", "triangle"], ["--plan=formula", "count", "rmat:6"]):
        assert says("mine", *words) == says("run", "mine", *words)
    resolved = json.loads(says("workloads", "--resolve", "mine", "count", "rmat:6"))["args"]
    helped = says("mine", "--help")
    # A part says itself what is asked, so that nothing has to be given.
    assert [name for name in resolved if f"--{name}" not in helped and f"[{name.upper()}]" not in helped] == []
