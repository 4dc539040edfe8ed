"""hyperfine beside every run of a study: the same command on the same cpus, launched once, by the study's own hooks."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path

import numpy as np

from knee.stats.intervals import Array


def found() -> str | None:
    """Return hyperfine's binary: HYPERFINE, or the one in PATH."""
    return os.environ.get("HYPERFINE") or shutil.which("hyperfine")


def hooks(binary: str, words: list[str], variables: dict[str, str], place: Path) -> list[str]:
    """Return the options of a study by which these words are launched once beside each run, half of them before it.

    What comes first after a pause may run differently, so a coin decides: the last digit of the clock's nanoseconds.
    ``{threads}`` and ``{cpus}`` are knee's to replace.
    """
    launch, before = _launch(binary, words, variables, place), shlex.quote(str(place / "before"))
    coin = "$(date +%N | tail -c 2)"
    prepare = f"if [ {coin} -lt 5 ]; then touch {before}; {launch}; fi"
    conclude = f"if [ -e {before} ]; then rm {before}; else {launch}; fi"
    return ["--prepare", prepare, "--conclude", conclude]


def _launch(binary: str, words: list[str], variables: dict[str, str], place: Path) -> str:
    """Return the shell command of a launch, whose time goes to a file of its own.

    taskset's start is not in the time, and the output goes through a pipe, as under knee.
    """
    told = [f"{name}={value}" for name, value in variables.items()]
    hyperfine = [binary, "--shell=none", "--runs=1", "--style=none", "--output=pipe", shlex.join(words)]
    pinned = shlex.join(["taskset", "-c", "{cpus}", "env", *told, *hyperfine])
    return f"{pinned} --export-json {shlex.quote(str(place))}/{{threads}}-$(date +%s%N).json"


def read_launches(place: Path, threads: int) -> Array:
    """Return seconds, one a block: every block launches each count once, and the names of the files sort by time."""
    files = sorted(place.glob(f"{threads}-*.json"))
    return np.array([json.loads(file.read_text())["results"][0]["mean"] for file in files])
