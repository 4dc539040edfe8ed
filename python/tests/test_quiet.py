"""Other programs on the cpus: reported by the doctor and at the start of a study, and waited for."""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT

from knee import _binary
from knee.explain.disturbance import LIMITS
from knee.store import Folder, StudyError, Wait, read_waits
from knee.study.run import quiet

SHORT = ["--blocks", "2", "--factor", "threads=1", "--factor", "placement=none"]


def knee(binary: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, *words], cwd=cwd, capture_output=True, text=True, check=False)


def test_the_doctor_names_who_uses_the_cpus(binary, tmp_path, busy):
    report = json.loads(knee(binary, "doctor", "--json", cwd=tmp_path).stdout)
    load = report["load"]
    assert load["cpus"] == len(busy)
    assert load["other_busy"] + load["steal"] > 0.5, "they cannot use what a hypervisor takes"
    assert not load["quiet"]
    assert "busybee" in load["programs"]
    (row,) = (one for one in report["conditions"] if one["name"] == "quiet now")
    assert not row["good"]
    assert row["found"].startswith(f"other programs use {100 * load['other_busy']:.0f} % of the cpus (")
    lines = knee(binary, "doctor", cwd=tmp_path).stdout.splitlines()
    (at,) = (number for number, line in enumerate(lines) if line.startswith("no   quiet now "))
    assert "busybee" in lines[at]
    assert "`knee study --wait-quiet` wait until" in " ".join(lines[at + 1 : at + 3])


def test_a_study_begins_with_who_uses_the_cpus(binary, tmp_path, busy):
    done = knee(binary, "study", "--no-report", "--out", "s", *SHORT, "--", "true", "{threads}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stderr.splitlines() if "of the cpus" in line)
    assert said.startswith("knee: other programs use ")
    assert "busybee" in said
    assert said.endswith(": results may be useless; --wait-quiet waits for a quiet machine")
    again = knee(binary, "study", "--no-report", "--resume", "s", cwd=tmp_path)
    assert "of the cpus" not in again.stderr, "with nothing left to run, there is no wait for quiet"


def test_a_study_waits_until_the_others_are_done(binary, tmp_path, busy):
    words = [binary, "study", "--no-report", "--out", "s", "--wait-quiet", "20s", *SHORT, "--", "true", "{threads}"]
    said = ""
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as study:
        assert study.stderr is not None
        for line in study.stderr:
            said += line
            # Not before: beside them it takes seconds to start.
            if "waiting for a quiet machine" in line:
                for one in busy:
                    one.kill()
    assert study.returncode == 0, said
    assert "knee: waiting for a quiet machine, at most 20 s: other programs use " in said
    first = read_waits(Folder(tmp_path / "s"))[0]
    assert first.block == 1
    assert first.waited_s > 1.5


def test_a_wait_that_is_over_is_said_and_kept(binary, tmp_path, busy):
    words = ["--wait-quiet", "1s", *SHORT, "--", "true", "{threads}"]
    done = knee(binary, "study", "--out", "s", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "knee: not quiet after 1 s of waiting (other programs use " in done.stderr
    assert "): measuring continues\n" in done.stderr
    (wait,) = read_waits(Folder(tmp_path / "s"))
    assert (wait.block, wait.quiet) == (1, False)
    assert wait.other_busy + wait.steal > 0.5
    assert "in vain before block 1 (" in (tmp_path / "s/report.html").read_text()


def test_a_quiet_machine_is_one_on_which_no_run_is_disturbed():
    text = (ROOT / "crates/meter/src/load.rs").read_text()
    rust = {name.lower(): float(value) for name, value in re.findall(r"pub const (\w+): f64 = ([0-9.]+);", text)}
    assert rust == LIMITS


def load(busy: float) -> _binary.Load:
    return {
        "over_s": 1.0,
        "cpus": 2,
        "other_busy": busy,
        "steal": 0.0,
        "programs": ["cc1"],
        "quiet": busy <= 0.05,
        "says": f"other programs use {100 * busy:.0f} % of the cpus (cc1)",
    }


def test_one_quiet_second_is_not_enough(simulated, monkeypatch, capsys):
    folder = simulated({"p": {1: (1.0, 1.0)}})
    looks = [0.5, 0.0, 0.4, 0.01, 0.02, 0.0]
    looks += [0.0]  # before the second block: one quiet look will do
    looks += [0.3, 0.0, 0.0, 0.0]  # before the third
    left = iter(looks)
    monkeypatch.setattr(_binary, "load", lambda seconds: load(next(left)))
    waiting = quiet.Waiting(folder, 600.0)
    for block in (1, 2, 3):
        waiting.before(block)
    assert next(left, None) is None
    assert read_waits(folder) == [Wait(1, 0.0, True, 0.0, 0.0), Wait(3, 0.0, True, 0.0, 0.0)]
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "knee: waiting for a quiet machine, at most 10 min: other programs use 50 % of the cpus (cc1)",
        "knee: quiet after 0 s",
        "knee: waiting for a quiet machine, at most 10 min: other programs use 30 % of the cpus (cc1)",
        "knee: quiet after 0 s",
    ]


def test_the_time_to_wait_is_that_of_the_whole_study(simulated, monkeypatch, capsys):
    folder, asked = simulated({"p": {1: (1.0, 1.0)}}), []
    now = iter(range(0, 1000, 4))
    monkeypatch.setattr(quiet, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    monkeypatch.setattr(_binary, "load", lambda seconds: asked.append(seconds) or load(0.5))
    waiting = quiet.Waiting(folder, 10.0)
    for block in (1, 2, 3):
        waiting.before(block)
    assert len(asked) == 3
    assert [(wait.block, wait.quiet) for wait in read_waits(folder)] == [(1, False)]
    assert capsys.readouterr().err.count("measuring continues") == 1


def test_looking_at_a_quiet_machine_takes_nothing_from_the_time_to_wait(simulated, monkeypatch, capsys):
    folder = simulated({"p": {1: (1.0, 1.0)}})
    now = iter(range(0, 1000, 4))
    looks = iter(8 * [0.0] + 9 * [0.5])
    monkeypatch.setattr(quiet, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    monkeypatch.setattr(_binary, "load", lambda seconds: load(next(looks)))
    waiting = quiet.Waiting(folder, 10.0)
    for block in range(1, 8):
        waiting.before(block)
    assert "waiting for a quiet machine" in capsys.readouterr().err


def test_a_kernel_that_does_not_say_is_not_waited_for(simulated, monkeypatch, capsys):
    def silent(seconds: float) -> _binary.Load:
        raise StudyError("cannot read the load of the cpus: /proc/stat has no line for these cpus")

    folder = simulated({"p": {1: (1.0, 1.0)}})
    monkeypatch.setattr(_binary, "load", silent)
    waiting = quiet.Waiting(folder, 10.0)
    waiting.before(1)
    waiting.before(2)
    quiet.say_load()
    assert capsys.readouterr().err.count("cannot wait for a quiet machine: cannot read the load of the cpus") == 1
    assert read_waits(folder) == []


@pytest.mark.parametrize(
    ("words", "seconds"),
    [(["--wait-quiet"], 600), (["--wait-quiet", "90s"], 90), (["--wait-quiet=2h"], 7200)],
)
def test_the_time_may_be_left_out_before_a_study_file(binary, tmp_path, words, seconds):
    (tmp_path / "w.toml").write_text("[program]\ncommand = ['true', '{threads}']\n")
    done = knee(binary, "plan", "--out", "s", *SHORT, *words, "w.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Folder(tmp_path / "s").read_measure()["wait_quiet_s"] == seconds


def test_a_study_that_goes_on_may_wait_and_repeat_but_not_change(binary, tmp_path):
    assert knee(binary, "plan", "--out", "s", *SHORT, "--", "true", "{threads}", cwd=tmp_path).returncode == 0
    done = knee(binary, "study", "--resume", "s", "--blocks", "3", cwd=tmp_path)
    assert done.returncode == 2
    assert "hint: only --wait-quiet, --rerun-disturbed and --trust go with --resume" in done.stderr
    words = ["--wait-quiet", "1s", "--rerun-disturbed", "--no-report"]
    done = knee(binary, "study", "--resume", "s", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(Folder(tmp_path / "s").read_records()) >= 2


@pytest.mark.parametrize(("quota", "said"), [(1.5, True), (2.0, False), (None, False)])
def test_a_quota_below_the_threads_is_said(simulated, capsys, quota, said):
    folder = simulated({"p": {1: (2.0, 2.0), 2: (1.0, 2.0)}})
    found = folder.read_machine()
    found["allowed"] |= {"quota_cpus": quota}
    folder.machine.write_text(json.dumps(found))
    quiet.say_quota(folder)
    printed = capsys.readouterr().err
    assert (
        "knee: the control group limits CPU time to 1.5 cpus, and the study uses up to 2 threads" in printed
    ) is said
    assert said or printed == ""


def test_quiet_for_a_moment_at_the_end_is_not_quiet(simulated, monkeypatch, capsys):
    folder, now, looks = simulated({"p": {1: (1.0, 1.0)}}), iter(range(0, 1000, 4)), iter([0.5, 0.0, 0.0])
    monkeypatch.setattr(quiet, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    monkeypatch.setattr(_binary, "load", lambda _: load(next(looks)))
    quiet.Waiting(folder, 10.0).before(1)
    assert [wait.quiet for wait in read_waits(folder)] == [False]
    assert "(too short a time at the end)" in capsys.readouterr().err
