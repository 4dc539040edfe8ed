"""Kills processes of studies at random moments, and counts runs lost or doubled and processes left behind.

Studies are numbered, and a study's number is the seed of everything random in it. A signal hits one of its processes,
the study is resumed, and so on until it is complete. Totals are saved after every study, and the next call continues:

    python python/tests/kills.py --kills 1000 --state kills.json
    python python/tests/kills.py --kills 20 --from 321
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import Folder, StudyError

MARK = "71.828182"
"""An argument that no other process has: it marks the programs of these studies."""

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL)
SORTS = ("knee", "python", "answer", "runner", "launcher", "program")
WEIGHTS = (1, 4, 2, 5, 5, 5)

LIMIT_S = 60.0
"""A study that still runs this long after a signal counts as hung."""

# A child and a grandchild, which would both outlive the test by far if nothing ended them.
PROGRAM = ["sh", "-c", f"sleep {MARK} & sh -c 'sleep {MARK} & sleep 0.02; exit 0' & sleep 0.04; exit 0"]
DESIGN = ["--no-report", "--blocks", "12", "--factor", "threads=1"]

Processes = dict[int, tuple[int, list[str]]]
"""Process id to parent and words."""


def processes() -> Processes:
    """Return every process."""
    found: Processes = {}
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
    """Return every process below this one, with its words."""
    found = processes()

    def descends(pid: int) -> bool:
        while pid in found:
            pid = found[pid][0]
            if pid == ancestor:
                return True
        return False

    return [(pid, words) for pid, (_, words) in found.items() if descends(pid)]


def orphans(binary: str) -> list[int]:
    """Return leftover processes of a study: programs, their shells, runners, launchers, answering processes."""

    def ours(words: list[str]) -> bool:
        mine = words[0] == binary and words[1] in ("run", "launch", "answer")
        return mine or any(MARK in word for word in words)

    return [pid for pid, (_, words) in processes().items() if len(words) > 1 and ours(words)]


class Totals:
    """Numbers of studies, kills and failures."""

    def __init__(self) -> None:
        self.next = 1
        self.studies = 0
        self.struck: Counter[str] = Counter()
        self.wrong: Counter[str] = Counter({"lost": 0, "doubled": 0, "left": 0, "hung": 0, "tracebacks": 0})

    @property
    def kills(self) -> int:
        """Signals that reached a process."""
        return sum(self.struck.values())

    def save(self, state: Path) -> None:
        """Write the file, completely or not at all."""
        partial = state.with_name(state.name + ".partial")
        partial.write_text(json.dumps(vars(self), indent=1) + "\n")
        partial.replace(state)

    @classmethod
    def read(cls, state: Path | None) -> Totals:
        """Return the totals so far."""
        totals = cls()
        if state is not None and state.exists():
            found: dict[str, Any] = json.loads(state.read_text())
            totals.next, totals.studies = found["next"], found["studies"]
            totals.struck.update(found["struck"])
            totals.wrong.update(found["wrong"])
        return totals

    def __str__(self) -> str:
        sorts = {sort: sum(n for who, n in self.struck.items() if who.startswith(sort)) for sort in SORTS}
        wrong = ", ".join(f"{count} {what}" for what, count in self.wrong.items())
        hit = ", ".join(f"{sort} {count}" for sort, count in sorts.items())
        return f"{self.kills} kills ({hit}) in {self.studies} studies: {wrong}"


class Case:
    """One study: hit, resumed, and hit again, until it is complete."""

    def __init__(self, number: int, binary: str, folder: Path, totals: Totals, most: int) -> None:
        self.draw = random.Random(f"kills {number}")
        self.binary = binary
        self.out = folder / f"s{number}"
        self.said = folder / f"said{number}"
        self.totals = totals
        self.most = most

    def run(self) -> None:
        """Run the study until it is complete, and count failures."""
        words = ["study", *DESIGN, "--out", str(self.out), "--", *PROGRAM]
        for _ in range(200):
            self._once(words)
            if self.out.exists():
                words = ["study", "--no-report", "--resume", str(self.out)]
                if not self._missing():
                    break
        self.totals.wrong["lost"] += len(self._missing())
        self.totals.studies += 1

    def _once(self, words: list[str]) -> None:
        with self.said.open("w+b") as said:
            study = subprocess.Popen([self.binary, *words], stdout=subprocess.DEVNULL, stderr=said)
            if self.totals.kills < self.most:
                self._strike(study)
            try:
                study.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                self._wrong("hung", f"{words} still ran after {LIMIT_S} s")
                study.kill()
                study.wait()
            said.seek(0)
            if b"Traceback" in (text := said.read()):
                self._wrong("tracebacks", text.decode(errors="replace"))
        end = time.monotonic() + 10
        while (left := orphans(self.binary)) and time.monotonic() < end:
            time.sleep(0.01)
        for pid in left:
            self._wrong("left", str(processes().get(pid)))
            os.kill(pid, signal.SIGKILL)

    def _strike(self, study: subprocess.Popen[bytes]) -> None:
        """Wait for a random time, then send a signal to a process of a random sort as soon as one exists."""
        sort = self.draw.choices(SORTS, WEIGHTS)[0]
        number = self.draw.choice(SIGNALS)
        # A run takes about 0.1 s, and Python needs the first 0.3 s of a study.
        time.sleep(self.draw.uniform(0, 0.005 if sort == "knee" else 0.3 if sort == "answer" else 1.0))
        while study.poll() is None:
            if found := self._of_sort(study, sort):
                try:
                    os.kill(self.draw.choice(found), number)
                except ProcessLookupError:
                    continue
                self.totals.struck[f"{sort} {number.name}"] += 1
                return
            time.sleep(0.002)

    def _of_sort(self, study: subprocess.Popen[bytes], sort: str) -> list[int]:
        if sort in ("knee", "python"):
            # The binary is replaced by Python (exec), so both have this id.
            return [study.pid]
        tree = below(study.pid)
        if sort == "program":
            return [pid for pid, words in tree if any(MARK in word for word in words)]
        word = {"answer": "answer", "runner": "--stdin", "launcher": "launch"}[sort]
        return [pid for pid, words in tree if word in words]

    def _missing(self) -> list[str]:
        """Return planned runs without a record; count a run with several records as doubled."""
        folder = Folder(self.out)
        try:
            records = [record["id"] for record in folder.read_records()]
        except StudyError as error:
            self._wrong("doubled", str(error))
            return []
        return [spec["id"] for spec in folder.read_plan() if spec["id"] not in set(records)]

    def _wrong(self, what: str, how: str) -> None:
        self.totals.wrong[what] += 1
        sys.stderr.write(f"{what}: {self.out.name}: {how}\n")


def kill(kills: int, folder: Path, state: Path | None = None, first: int | None = None) -> Totals:
    """Make this many more kills, in studies from number ``first`` on, or from where the totals end."""
    totals = Totals.read(state)
    totals.next = first or totals.next
    most = totals.kills + kills
    while totals.kills < most:
        Case(totals.next, str(_binary.find()), folder, totals, most).run()
        totals.next += 1
        if state is not None:
            totals.save(state)
    return totals


def main() -> int:
    """Read the command line, and print the totals."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000, help="signals to send")
    parser.add_argument("--from", dest="first", type=int, help="number of the first study")
    parser.add_argument("--state", type=Path, help="file of the totals")
    asked = parser.parse_args()
    before = Totals.read(asked.state).wrong.total()
    with tempfile.TemporaryDirectory() as folder:
        totals = kill(asked.kills, Path(folder), asked.state, asked.first)
    sys.stdout.write(f"{totals}\n")
    return 1 if totals.wrong.total() > before else 0


if __name__ == "__main__":
    sys.exit(main())
