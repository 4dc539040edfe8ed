"""Study files of examples/programs, and the studies made from them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from contradiction import Times

from knee import _binary
from knee.opened import Study
from knee.stats.intervals import Array

FOLDER = Path(__file__).parents[1] / "examples/programs"


@dataclass(frozen=True)
class Program:
    """A study file and its program."""

    file: Path

    @cached_property
    def tables(self) -> dict:
        return tomllib.loads(self.file.read_text())

    @property
    def words(self) -> list[str]:
        return self.tables["program"]["command"]

    @property
    def factor(self) -> str | None:
        """The factor other than threads and placement, if there is one."""
        return next((name for name in self.tables["factors"] if name not in ("threads", "placement")), None)

    @property
    def levels(self) -> list[str]:
        return self.tables["factors"][self.factor] if self.factor else [""]


def missing(words: list[str]) -> str | None:
    """Return the first program or file of a command that does not exist."""
    program, *rest = words
    if "/" not in program and shutil.which(program) is None:
        return program
    files = [word for word in (program, *rest) if word.startswith("../") or word.endswith(".py")]
    return next((name for name in files if not (FOLDER / name).exists()), None)


@dataclass(frozen=True)
class Made:
    """A finished study, and the seconds from Enter to its report."""

    took_s: float
    study: Study

    @property
    def disturbed(self) -> str:
        """The number of disturbed runs, in words."""
        return f"{len(self.study.analysis.disturbed)} of {len(self.study.runs)} runs disturbed"

    def times(self, program: Program) -> Times:
        """Return the seconds by level and thread count, for counts with a cpu for each thread."""
        cpus = len(self.study.machine["allowed"]["cpus"])
        runs = [run for run in self.study.runs if run.bad is None and not run.is_control and run.threads <= cpus]
        blocks = max(run.spec["block"] for run in runs)
        times: dict[tuple[str, int], Array] = {}
        for run in sorted(runs, key=lambda run: run.threads):
            level = str(run.cell[program.factor]) if program.factor else ""
            times.setdefault((level, run.threads), np.full(blocks, np.nan))[run.spec["block"] - 1] = run.time_s
        return times


def make(program: Program, folder: Path, *options: str) -> Made:
    """Make a study; exit with its error if it fails."""
    began = time.monotonic()
    words = [str(_binary.find()), "study", "--no-pilot", "--out", str(folder), *options, str(program.file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not (folder / "analysis.json").exists():
        sys.exit(f"{program.file.name}: {done.stderr.strip()}")
    return Made(time.monotonic() - began, Study.read(folder))
