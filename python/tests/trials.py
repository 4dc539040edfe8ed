"""Parts of every trial of ``surroundings.py``: its folder, a program that counts its runs, the faults of all of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from knee import _binary
from knee.store import Folder, StudyError
from knee.store.files.samples import noted

EMULATED = "KNEE_EMULATED" in os.environ
"""Whether this process runs in a machine of its own, where everything takes ten times as long."""

LIMIT_S = 600.0 if EMULATED else 90.0
"""A verb that still runs after this long hangs."""

BLOCKS = 3
STUDY = ("study", "--no-pilot", "--blocks", str(BLOCKS), "--factor", "threads=1")
STOPPED = 130
FULL = "No space left on device"


class Missing(Exception):
    """What a case needs and this machine does not have."""


@dataclass
class Done:
    """How a command ended: negative for a signal, None for a hang."""

    status: int | None
    said: str

    def fault(self, *expected: int) -> str | None:
        """Return what is wrong whatever was tried: a hang, a signal, a crash, another status, no word about it."""
        if self.status is None:
            return "hangs"
        for word in ("Traceback", "panicked", "Fatal Python error", "Warning:"):
            if word in self.said:
                return word
        if self.status not in expected:
            return f"status {self.status}"
        # With status 1 the results themselves, on standard output, say that runs failed.
        return None if self.status < 2 or re.search("^knee: ", self.said, re.MULTILINE) else "fails without a word"


@dataclass
class Place:
    """A folder of one trial. The study's folder is ``study``; its program counts its runs in ``count``."""

    path: Path
    env: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def study(self) -> Path:
        return self.path / "s"

    def program(self, at: int, act: str) -> list[str]:
        """Return a program that counts its runs, prints the number, and acts in one of them."""
        text = f"n=$(cat count); n=$((n+1)); echo $n > count; echo run $n; if [ $n = {at} ]; then {act}; fi; sleep 0.02"
        (self.path / "count").write_text("0\n")
        return ["sh", "-c", text]

    def knee(self, *words: str, env: dict[str, str] | None = None) -> Done:
        """Run a verb."""
        return self.call([str(_binary.find()), *words], env)

    def call(self, words: list[str], env: dict[str, str] | None = None) -> Done:
        """Run a command in this folder, and end what it leaves in its session."""
        with (self.path / "said").open("w+b") as said:
            one = subprocess.Popen(
                words, cwd=self.path, env=os.environ | self.env | (env or {}), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=said, start_new_session=True,
            )  # fmt: skip
            try:
                status = one.wait(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                status = None
            with suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()
            said.seek(0)
            return Done(status, said.read().decode(errors="replace"))

    def resumed(self, *words: str) -> str | None:
        """Resume the study; return what is wrong with it or its runs."""
        done = self.knee("study", "--resume", str(self.study), *words)
        return with_said(done, done.fault(0)) or runs_fault(Folder(self.study))


def runs_fault(folder: Folder, *, samples: bool = True, ended: bool = True) -> str | None:
    """Return which runs are lost, doubled, half-written or failed, or have no samples without saying so."""
    try:
        planned = [spec["id"] for spec in folder.read_plan()]
        records = folder.read_records()
    except StudyError as error:
        return f"unreadable: {error}"
    if [record["id"] for record in records] != planned:
        return f"runs {planned} have records {[record['id'] for record in records]}"
    if not folder.records.read_bytes().endswith(b"\n"):
        return "half-written: records.jsonl"
    for record in records:
        if ended and record["exit"] != {"code": 0}:
            return f"run {record['id']}: {record['exit']}"
        if samples and (name := record.get("samples")):
            try:
                noted(folder.path / name, "cpu_ns")
            except StudyError as error:
                return f"half-written: {error}"
    left = [one.name for one in folder.path.rglob("*.partial")]
    return f"left: {left}" if left else None


def times_fault(folder: Folder) -> str | None:
    """Return which run took a time that cannot be, given that its program sleeps for 20 ms."""
    for record in folder.read_records():
        if not 0.02e9 <= record["wall_ns"] <= 20e9:
            return f"run {record['id']} took {record['wall_ns']} ns"
    negative = re.search(r"[:\[ ,]-\d", folder.records.read_text())
    return f"a negative number: {negative}" if negative else None


def with_said(done: Done, fault: str | None) -> str | None:
    return fault and f"{fault}: {done.said[-600:]}"


Trial = tuple[str, Callable[[Place], str | None]]
"""Its name, and the function that makes it and returns what went wrong."""
