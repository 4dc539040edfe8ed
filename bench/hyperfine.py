"""Runs hyperfine beside every run of a study, by the study's hooks: one launch of the same command on the same cpus."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

import numpy as np

from knee.stats.intervals import Array


def found() -> str | None:
    """Return the path of hyperfine: the variable HYPERFINE, or the one in PATH."""
    return os.environ.get("HYPERFINE") or shutil.which("hyperfine")


def hooks(binary: str, words: list[str], variables: dict[str, str], place: Path) -> list[str]:
    """Return the options of a study that launch this command once beside each run, half of the time before it.

    The first program after a pause may run differently, so the order is random: the last digit of the clock's
    nanoseconds. knee replaces ``{threads}`` and ``{cpus}``.
    """
    launch, before = _launch(binary, words, variables, place), shlex.quote(str(place / "before"))
    coin = "$(date +%N | tail -c 2)"
    prepare = f"if [ {coin} -lt 5 ]; then touch {before}; {launch}; fi"
    conclude = f"if [ -e {before} ]; then rm {before}; else {launch}; fi"
    return ["--prepare", prepare, "--conclude", conclude]


def _launch(binary: str, words: list[str], variables: dict[str, str], place: Path) -> str:
    """Return the shell command of a launch, which writes its time to a file of its own.

    The time excludes the start of taskset, and the output goes through a pipe, as with knee.
    """
    told = [f"{name}={value}" for name, value in variables.items()]
    hyperfine = [binary, "--shell=none", "--runs=1", "--style=none", "--output=pipe", shlex.join(words)]
    pinned = shlex.join(["taskset", "-c", "{cpus}", "env", *told, *hyperfine])
    return f"{pinned} --export-json {shlex.quote(str(place))}/{{threads}}-$(date +%s%N).json"


def read_launches(place: Path, threads: int) -> Array:
    """Return seconds, one per block: every block launches each count once, and file names sort by time."""
    files = sorted(place.glob(f"{threads}-*.json"))
    return np.array([json.loads(file.read_text())["results"][0]["mean"] for file in files])
