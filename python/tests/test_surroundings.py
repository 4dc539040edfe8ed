"""Studies where the system gives less than usual: names taken, locks forbidden, no /proc, full disks, odd folders."""

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest
from conftest import skipped

from knee.store import Folder, StudyError, write_whole
from knee.study import planning
from knee.study.run import execute
from knee.study.run.create import Taken, create

SHORT = ("--no-pilot", "--blocks", "2", "--factor", "threads=1")


def test_a_thousand_studies_of_a_name_on_one_day_are_not_the_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    today = planning._unused("x")
    for name in (today.name, *(f"{today.name}-{number}" for number in range(2, 1000))):
        (tmp_path / today.parent / name).mkdir(parents=True)
    assert planning._unused("x").name == f"{today.name}-1000"


def apart(script: str, cwd: Path, binary: str, test: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script with mounts of its own; `$KNEE` is the binary."""
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if shutil.which("unshare") is None or subprocess.call([*unshare, "true"], stderr=subprocess.DEVNULL):
        skipped(test, "no right to unshare --mount")
    words = [*unshare, "sh", "-c", script]
    return subprocess.run(
        words, cwd=cwd, env=os.environ | {"KNEE": binary}, capture_output=True, text=True, timeout=120, check=False
    )


def test_studies_that_begin_at_once_get_different_folders(binary, tmp_path):
    words = [binary, "study", "--no-report", *SHORT, "--", "true"]
    begun = [subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for study in begun:
        _, said = study.communicate(timeout=120)
        assert study.returncode == 0, said
    folders = list((tmp_path / "knee-studies").iterdir())
    assert [len(Folder(folder).read_records()) for folder in folders] == [2, 2, 2]


def test_a_name_that_was_just_taken_is_not_tried_again(tmp_path, monkeypatch):
    taken, free = tmp_path / "s-1", tmp_path / "s-2"
    names = iter([taken, free])
    monkeypatch.setattr(planning, "_unused", lambda name: next(names))
    monkeypatch.setattr(planning, "run_specs", lambda study_spec: ({}, []))
    monkeypatch.setattr(planning, "find_program", lambda program: None)
    monkeypatch.setattr(planning.trust, "note", lambda folder: None)
    # The other study's rename comes between our look and our rename.
    rename = Path.rename

    def later(one: Path, target: Path) -> Path:
        if target == taken:
            raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))
        return rename(one, target)

    monkeypatch.setattr(Path, "rename", later)
    study_spec = planning.StudySpec(name="s", program={"command": ["true"], "directory": str(tmp_path)})
    assert planning.planned(study_spec).path == free
    with pytest.raises(Taken, match="the folder is not empty"):
        create(taken, "", "{}", [])


def test_a_forbidden_lock_is_not_reported_as_a_running_study(simulated):
    folder = simulated({"none": {1: (1.0, 1.0)}})
    denied = mock.patch("fcntl.flock", side_effect=PermissionError(errno.EPERM, "Operation not permitted"))
    refused = pytest.raises(StudyError, match=r"cannot lock the study: .*: Operation not permitted")
    with denied, refused, execute.locked(folder):
        pass


def test_without_proc_a_study_runs_and_says_what_is_missing(binary, tmp_path):
    script = f"umount -l /proc && $KNEE study --no-report --out s {' '.join(SHORT)} -- sh -c 'echo {{threads}}'"
    done = apart(script, tmp_path, binary, "test_without_proc_a_study_runs_and_says_what_is_missing")
    assert done.returncode == 0, done.stderr
    for record in Folder(tmp_path / "s").read_records():
        assert record["exit"]["code"] == 0
        assert record["unseen"] == "/proc is not mounted here"


def test_without_proc_and_sys_a_run_is_possible_and_a_study_says_what_is_missing(binary, tmp_path):
    test = "test_without_proc_and_sys_a_run_is_possible_and_a_study_says_what_is_missing"
    script = f"umount -l /sys /proc; $KNEE run --json -- true; $KNEE study --out s {' '.join(SHORT)} -- true; echo $?"
    done = apart(script, tmp_path, binary, test)
    record, status = done.stdout.splitlines()
    assert (json.loads(record)["exit"], status) == ({"code": 0}, "2")
    missing = "knee: cannot read the machine: /sys/devices/system/cpu: No such file or directory (os error 2)"
    noted = missing.replace("knee: ", "knee: note: ")
    assert done.stderr.startswith(f"{noted}; the run continues, because it is not pinned\n")
    assert done.stderr.endswith(
        f"{missing}\n\nhint: mount /sys; without it only unpinned runs are possible: `knee run -- COMMAND`\n"
    )


def test_a_folder_whose_name_is_not_utf_8(binary, tmp_path):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    done = subprocess.run([binary, "run", "--json", "--", "true"], cwd=folder, capture_output=True, check=False)
    assert json.loads(done.stdout)["exit"] == {"code": 0}
    words = [binary, "study", "--no-report", "--out", "s", *SHORT, "--", "true"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    message, _, hint = done.stderr.partition("\n\n")
    assert "\nknee: cannot write the study: directory = " in message
    assert message.endswith(r'/caf\xe9": it is not UTF-8')
    assert hint == "hint: rename the folder, or start knee in another one\n"
    assert list(folder.iterdir()) == []


def test_an_argument_that_is_not_utf_8(binary, tmp_path):
    for verb in ([], ["run"], ["run", "--", "echo"], ["study", "--out", "s", *SHORT, "--", "echo"]):
        words = [binary, *verb, b"caf\xe9"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
        assert done.returncode == 2, (verb, done.stderr)
        assert done.stderr.startswith("knee: "), (verb, done.stderr)


def test_a_disk_that_is_full_in_the_middle_of_a_record(binary, tmp_path):
    test = "test_a_disk_that_is_full_in_the_middle_of_a_record"
    # Half a page is left when the program ends; its record needs more.
    fill = "head -c 100000 /dev/zero | tr '\\0' x; cat /dev/zero > small/fill 2>/dev/null; true"
    options = " ".join(["--no-report", "--out small/s", *SHORT, "--sample-ms 0"])
    script = f"""mkdir small && mount -t tmpfs -o size=256k none small
        $KNEE study {options} -- sh -c "test -e kept || {{ {fill}; }}"; echo $?
        cp small/s/records.jsonl torn; rm small/fill; touch kept
        $KNEE study --no-report --resume small/s; echo $?; cp small/s/records.jsonl whole"""
    done = apart(script, tmp_path, binary, test)
    assert done.stdout.split()[0] == "2", done
    assert "cannot write a record: small/s/records.jsonl: No space left on device" in done.stderr
    torn = (tmp_path / "torn").read_text()
    assert torn == "" or torn.endswith("\n")
    assert len((tmp_path / "whole").read_text().splitlines()) == 2, done.stderr


def test_samples_that_do_not_fit_on_the_disk_are_named(binary, tmp_path):
    script = """mkdir small; mount -t tmpfs -o size=4k none small; cat /dev/zero > small/fill 2>/dev/null
        $KNEE run --samples small -- sleep 0.05"""
    done = apart(script, tmp_path, binary, "test_samples_that_do_not_fit_on_the_disk_are_named")
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^knee: cannot write the samples of run \S+: small/\S+\.csv\.gz: No space left", done.stderr, re.MULTILINE
    )


def test_a_shared_memory_that_is_full(binary, tmp_path):
    script = """mount -t tmpfs -o size=4k none /dev/shm; cat /dev/zero > /dev/shm/fill 2>/dev/null
        $KNEE run --json -- true"""
    done = apart(script, tmp_path, binary, "test_a_shared_memory_that_is_full")
    assert json.loads(done.stdout)["exit"] == {"code": 0}


PART = """
import sys
from knee.cluster.parts import split_count
from knee.cluster.worker import Limits, Worker, outcome

(line,) = split_count("count", "rmat:14", {"pattern": "triangle"}, 1).lines
for cache in (True, False):
    print(outcome(line, Worker("here", "small", 1), Limits(threads=1, cache=cache)).error)
"""
"""Answers a part in a folder of a worker, with its graph kept there and without."""


def test_a_worker_whose_disk_is_full_says_so_and_answers_without_it(binary, tmp_path):
    script = f"""mkdir small && mount -t tmpfs -o size=64k none small && cat > part.py <<'EOF'
{PART}
EOF
        {shlex.quote(sys.executable)} part.py"""
    done = apart(script, tmp_path, binary, "test_a_worker_whose_disk_is_full_says_so_and_answers_without_it")
    full, *hint, answered = done.stdout.splitlines()
    assert full.startswith("part 0 of 1 failed on here: cannot write small/knee-graphs/"), done
    assert "No space left on device" in full, done
    assert hint[-1] == "hint: give the worker a folder with room for the graph, or pass cache=False"
    assert answered == "None"


GONE = "removed or replaced during the study"
UNTRUSTED = "changed during the study, so its results are not trusted"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("echo garbage >> s/records.jsonl", "s/records.jsonl: changed during the study"),
        ("printf garbage >> s/records.jsonl", "s/records.jsonl: changed during the study"),
        ("rm s/records.jsonl", GONE),
        ("cp s/plan.jsonl new; mv new s/records.jsonl", GONE),
        ("rm -r s", GONE),
        ("mv s t", GONE),
        ("rm s/plan.jsonl", "s/plan.jsonl: No such file or directory"),
        ("echo '{}' > s/plan.jsonl", f"{UNTRUSTED}: s/plan.jsonl"),
        ("echo '[' > s/study.toml", "cannot read the study: "),
        ("rm -r s/samples; echo > s/samples", ""),
        ("sed -i 's/cores-close/threads-close/' s/plan.jsonl", f"{UNTRUSTED}: s/plan.jsonl"),
        ("sed -i 's/size_bytes\": /&9/' s/machine.json", f"{UNTRUSTED}: s/machine.json"),
        ("echo > s/study.toml", f"{UNTRUSTED}: s/study.toml"),
        ("printf '[[claim]]\\nsays = \"so\"\\nspeedup = { threads = 2 }\\nabove = 0.1\\n' >> s/study.toml", ""),
    ],
)
def test_a_program_that_edits_its_own_study(binary, tmp_path, edit, message):
    words = [binary, "study", "--out", "s", *SHORT, "--", "sh", "-c", f"test -e done || {{ touch done; {edit}; }}"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if message else 0), done.stderr
    assert message in done.stderr
    if message == GONE:
        assert "cannot read: " not in done.stderr


def test_a_program_that_changes_an_earlier_record(binary, tmp_path):
    edit = 'sed \'s/"code":1/"code":0/\' s/records.jsonl > new; cat new > s/records.jsonl'
    words = ["sh", "-c", f"test -e failed || {{ touch failed; exit 1; }}; {edit}"]
    options = ["--no-report", "--no-pilot", "--blocks", "1", "--factor", "threads=1", "--factor", "x=1,2"]
    done = subprocess.run(
        [binary, "study", "--out", "s", *options, "--", *words, "{x}"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert '"code":1' not in (tmp_path / "s" / "records.jsonl").read_text()
    assert done.returncode == 2, done.stderr
    assert f"knee: {UNTRUSTED}: s/records.jsonl\n" in done.stderr


def test_a_file_that_does_not_fit_on_the_disk_is_named(tmp_path):
    full = mock.patch("os.fsync", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    with full, pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(tmp_path / "waits.jsonl", "text")
    assert caught.value.filename == str(tmp_path / "waits.jsonl")
    assert list(tmp_path.iterdir()) == []
