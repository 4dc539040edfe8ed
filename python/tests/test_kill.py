"""kill -9 of any process at a random moment: the study can be resumed, and no run is lost, doubled or left over."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from knee.store import Folder

MARK = "71.828182"
"""An argument that no other process has: it identifies our programs."""


def everybody() -> dict[int, tuple[int, list[str]]]:
    """Every process: pid to (parent, words)."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                found[int(entry.name)] = (int(stat[stat.rfind(")") + 2 :].split()[1]), words)
            except OSError:
                continue
    return found


def below(ancestor: int) -> list[tuple[int, list[str]]]:
    processes = everybody()

    def descends(pid: int) -> bool:
        while pid in processes:
            pid = processes[pid][0]
            if pid == ancestor:
                return True
        return False

    return [(pid, words) for pid, (_, words) in processes.items() if descends(pid)]


def orphans(binary: str) -> list[int]:
    """Return leftover processes of the study: programs, their shells, runners and launchers."""

    def ours(words: list[str]) -> bool:
        return any(MARK in word for word in words) or (words[0] == binary and words[1] in ("run", "launch"))

    return [pid for pid, (_, words) in everybody().items() if len(words) > 1 and ours(words)]


def strike(study: subprocess.Popen[bytes], draw: random.Random) -> str:
    """Kill one of: Python, the runner, a launcher, a measured program or its child. Returns who it was."""
    tree = below(study.pid)
    sorts = {
        "python": [study.pid],
        "runner": [pid for pid, words in tree if "--stdin" in words],
        "launcher": [pid for pid, words in tree if "launch" in words],
        "program": [pid for pid, words in tree if any(MARK in word for word in words)],
    }
    sort = draw.choice([name for name, pids in sorts.items() if pids])
    try:
        os.kill(draw.choice(sorts[sort]), signal.SIGKILL)
    except ProcessLookupError:
        return "nobody"
    return sort


def kill_at_random(binary: str, folder: Path, kills: int, seed: int) -> dict[str, int]:
    draw, struck = random.Random(seed), dict[str, int]()
    number = 0
    while sum(n for who, n in struck.items() if who != "nobody") < kills:
        number += 1
        out = folder / f"s{number}"
        # A child and a grandchild, both of which would outlive the test by far if they were left.
        program = ["sh", "-c", f"sleep {MARK} & sh -c 'sleep {MARK} & sleep 0.02; exit 0' & sleep 0.04; exit 0"]
        first = [binary, "study", "--no-report", "--out", str(out), "--blocks", "12", "--factor", "threads=1", "--"]
        words = [*first, *program]
        for _ in range(40):
            study = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Python alone needs the first part of a second; most of the moments lie behind it.
            pause = draw.uniform(0.05, 0.3) if draw.random() < 0.1 else draw.uniform(0.3, 0.9)
            if sum(n for who, n in struck.items() if who != "nobody") >= kills:
                pause = 60  # enough: let the last study finish
            try:
                study.wait(timeout=pause)
            except subprocess.TimeoutExpired:
                who = strike(study, draw)
                struck[who] = struck.get(who, 0) + 1
                if who not in ("python", "runner"):
                    study.wait(timeout=60)
            study.wait(timeout=60)
            assert no_orphans(binary), f"orphans after {struck}"
            if out.exists():
                words = [binary, "study", "--no-report", "--resume", str(out)]
                if len(Folder(out).read_records()) == len(Folder(out).read_plan()):
                    break
        complete(Folder(out))
    return struck


def no_orphans(binary: str) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if not orphans(binary):
            return True
        time.sleep(0.01)
    return False


def complete(folder: Folder) -> None:
    """Every planned run has one record, and each of them says how it ended."""
    records = folder.read_records()
    assert sorted(record["id"] for record in records) == sorted(spec["id"] for spec in folder.read_plan())
    for record in records:
        end = record["exit"]
        assert (end.get("code"), end.get("signal")) != (None, None) or end.get("error"), record


def test_twelve_kills(binary, tmp_path):
    struck = kill_at_random(binary, tmp_path, 12, seed=11)
    assert sum(n for who, n in struck.items() if who != "nobody") == 12


@pytest.mark.nightly
def test_two_hundred_kills(binary, tmp_path, record_property):
    struck = kill_at_random(binary, tmp_path, 200, seed=2026)
    record_property("killed", str(struck))
    assert min(struck[who] for who in ("python", "runner", "launcher", "program")) >= 10
