"""Signals to a study: ignored ones, Ctrl-Z, and programs that stop the processes above them."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from knee.study.run import execute
from knee.study.run.signals import Stopped

SHORT = ["--no-report", "--no-pilot", "--blocks", "1", "--factor", "threads=1", "--out", "s"]

ABOVE = 'parent() { cut -d" " -f4 "/proc/$1/stat"; }; launcher=$PPID runner=$(parent $PPID); knee=$(parent $runner);'
"""Shell code that names the processes above a program; ``$knee`` is Python."""

QUICK_S = 30.0
"""Seconds within which a stopped study continues or ends; on an idle machine it takes less than half as long."""


def start(binary: str, folder: Path, script: str, *options: str, shell: str = "") -> subprocess.Popen[bytes]:
    words = [binary, "study", *SHORT, *options, "--", "sh", "-c", script]
    said = (folder / "said").open("wb")
    first = ["sh", "-c", f'{shell} exec "$@"', "sh"] if shell else []
    return subprocess.Popen([*first, *words], cwd=folder, stdout=said, stderr=said, start_new_session=True)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + QUICK_S
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def running(word: str) -> list[int]:
    """Every process with this word in its command line."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def records(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "s" / "records.jsonl").read_text().splitlines()]


def test_under_nohup_a_study_outlives_its_terminal(binary, tmp_path):
    script = "grep SigIgn: /proc/self/status; touch began; sleep 1"
    study = start(binary, tmp_path, script, shell="trap '' HUP INT QUIT;")
    until((tmp_path / "began").exists)
    # What a closed terminal sends, and what Ctrl-C sends to a foreground job.
    os.killpg(study.pid, signal.SIGHUP)
    os.killpg(study.pid, signal.SIGINT)
    assert study.wait(timeout=QUICK_S) == 0, (tmp_path / "said").read_text()
    (record,) = records(tmp_path)
    assert record["exit"] == {"code": 0}
    assert int(record["output"]["stdout_tail"].split()[1], 16) & 7 == 7


@pytest.mark.parametrize("whom", ["$launcher", "$runner", "$knee", "$launcher $runner $knee"])
def test_a_program_that_stops_knee_reaches_its_time_limit(binary, tmp_path, whom):
    study = start(binary, tmp_path, f"{ABOVE} kill -STOP {whom}; sleep 81.25", "--timeout", "1")
    # The only run fails, so there is no verdict.
    assert study.wait(timeout=QUICK_S) == 1, (tmp_path / "said").read_text()
    assert records(tmp_path)[0]["exit"]["timeout_s"] == 1
    assert not running("81.25")


@pytest.mark.parametrize("whom", ["$launcher", "$runner", "$knee", "$launcher $runner $knee"])
def test_one_request_ends_a_study_whose_program_stops_knee(binary, tmp_path, whom):
    study = start(binary, tmp_path, f"{ABOVE} kill -STOP {whom}; touch began; sleep 82.25")
    until((tmp_path / "began").exists)
    study.send_signal(signal.SIGTERM)
    assert study.wait(timeout=QUICK_S) == 130, (tmp_path / "said").read_text()
    assert "stopped: 0 of 1 runs are done" in (tmp_path / "said").read_text()
    assert not running("82.25")
    assert not running(str(tmp_path))


@pytest.mark.parametrize("whom", ["launcher", "runner"])
def test_a_study_goes_on_after_a_program_stopped_knee_for_seconds(binary, tmp_path, whom):
    # Such a loop ends the timers that would continue a process: see crates/knee/src/run/signals.rs.
    loop = f"import os, time\nend = time.time() + 3\nwhile time.time() < end: os.kill(${whom}, {signal.SIGSTOP:d})"
    study = start(binary, tmp_path, f'{ABOVE} {sys.executable} -c "{loop}"')
    assert study.wait(timeout=QUICK_S) == 0, (tmp_path / "said").read_text()
    (record,) = records(tmp_path)
    assert record["exit"] == {"code": 0}


def test_a_second_request_leaves_nothing_behind(binary, tmp_path):
    # Four loops stop the launcher so often that it cannot act, and the runner waits for it.
    loop = f"{sys.executable} -c 'import os\nwhile True: os.kill('$launcher', {signal.SIGSTOP:d})' &"
    script = f"{ABOVE} {loop * 4} sleep 0.3; touch began; sleep 83.25"
    study = start(binary, tmp_path, script)
    until((tmp_path / "began").exists)
    study.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    study.send_signal(signal.SIGTERM)
    assert study.wait(timeout=QUICK_S) == 130
    until(lambda: not running("83.25"))
    until(lambda: not running(str(tmp_path)))


def test_an_interrupted_setup_leaves_nothing_behind(binary, tmp_path):
    setup = "sleep 84.25 & touch began; wait"
    study = start(binary, tmp_path, "true", "--setup", setup, "--cleanup", "touch cleaned")
    until((tmp_path / "began").exists)
    study.send_signal(signal.SIGTERM)
    assert study.wait(timeout=QUICK_S) == 130, (tmp_path / "said").read_text()
    assert (tmp_path / "cleaned").exists()
    until(lambda: not running("84.25"))


@pytest.mark.serial
def test_ctrl_z_pauses_a_study_and_its_program_until_it_is_continued(binary, tmp_path):
    beats = tmp_path / "beats"
    study = start(binary, tmp_path, "for i in $(seq 15); do echo >> beats; sleep 0.1; done", "--blocks", "3")
    until(beats.exists)
    (runner,) = running("--stdin\0--samples\0s/samples")
    (launcher,) = running("launch\0--samples\0s/samples")
    began = time.monotonic()
    # Only Python gets the signal, as with `kill -TSTP`, and passes it on. The launcher stops the program before itself.
    study.send_signal(signal.SIGTSTP)
    until(lambda: state(study.pid) == state(runner) == state(launcher) == "T")
    size = beats.stat().st_size
    time.sleep(3)
    assert (state(study.pid), state(runner)) == ("T", "T")
    assert beats.stat().st_size == size < 15
    study.send_signal(signal.SIGCONT)
    until(lambda: beats.stat().st_size > size)
    most_s = time.monotonic() - began
    assert study.wait(timeout=60) == 0
    first, *others = records(tmp_path)
    (changed,) = first["changed"]
    paused_s = float(changed["found"].removeprefix("paused for ").removesuffix(" s"))
    assert 3 <= paused_s < most_s + 0.1, "it is rounded"
    assert ["changed" in other for other in others] == [False, False]


@pytest.mark.serial
def test_ctrl_z_pauses_a_setup(binary, tmp_path):
    beats = tmp_path / "beats"
    setup = "for i in $(seq 15); do echo >> beats; sleep 0.1; done"
    study = start(binary, tmp_path, "true", "--setup", setup)
    until(beats.exists)
    study.send_signal(signal.SIGTSTP)
    until(lambda: state(study.pid) == "T")
    time.sleep(0.3)
    size = beats.stat().st_size
    time.sleep(1)
    assert beats.stat().st_size == size < 15
    study.send_signal(signal.SIGCONT)
    assert study.wait(timeout=60) == 0
    assert beats.stat().st_size == 15


def test_a_step_of_another_user_is_named_and_not_waited_for(tmp_path, monkeypatch, capsys):
    def refused(*_: object) -> None:
        raise PermissionError

    def stopped(*_: object) -> None:
        raise Stopped

    monkeypatch.setattr(execute, "GRACE_S", 0.1)
    monkeypatch.setattr(execute.os, "killpg", refused)
    monkeypatch.setattr(execute, "_ended", stopped)
    with (tmp_path / "said").open("wb") as said, pytest.raises(Stopped):
        execute._in_a_group(["sleep", "2"], None, said)
    assert "a step still runs, as another user" in capsys.readouterr().err


def on_a_terminal(binary: str, folder: Path, *words: str) -> tuple[int, str]:
    """Run a study in the foreground of a terminal of its own; return its exit status and what it printed."""
    pid, terminal = os.forkpty()
    if pid == 0:
        os.chdir(folder)
        os.execv(binary, [binary, "study", *SHORT, *words])
    said, end = b"", time.monotonic() + QUICK_S
    # Reading fails when nobody has the terminal any more.
    with suppress(OSError):
        while time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                said += os.read(terminal, 1 << 16)
    os.close(terminal)
    until(lambda: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


@pytest.mark.parametrize("step", ["--setup", "--prepare"])
def test_a_step_that_asks_the_terminal_fails_at_once(binary, tmp_path, step):
    """As `sudo` does for a password: in the background the kernel would stop it for ever."""
    asks = "read word </dev/tty; sleep 85.25"
    status, said = on_a_terminal(binary, tmp_path, step, asks, "--", "true")
    assert status != 0
    assert "asked the terminal" in said
    assert not running("85.25")


def test_a_program_that_asks_the_terminal_does_not_wait_for_its_time_limit(binary, tmp_path):
    on_a_terminal(binary, tmp_path, "--", "sh", "-c", "read word </dev/tty; sleep 86.25")
    (record,) = records(tmp_path)
    assert "asked the terminal" in record["exit"]["error"]
    assert not running("86.25")
