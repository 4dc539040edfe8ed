"""hyperfine after every run of a study: the same command on the same cpus, launched once, by the study's own hook."""

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


def hook(binary: str, words: list[str], variables: dict[str, str], place: Path) -> str:
    """Return the shell command that launches these words once under taskset and keeps the time in a file of its own.

    ``{threads}`` and ``{cpus}`` in it are knee's to replace. taskset stands before hyperfine, so that its own start is
    not in the time.
    """
    told = [f"{name}={value}" for name, value in variables.items()]
    launch = [binary, "--shell=none", "--runs=1", "--style=none", shlex.join(words)]
    before = ["taskset", "-c", "{cpus}", "env", *told]
    return f"{shlex.join([*before, *launch])} --export-json {shlex.quote(str(place))}/{{threads}}-$(date +%s%N).json"


def read_launches(place: Path, threads: int) -> Array:
    """Return seconds, one a block: every block launches each count once, and the names of the files sort by time."""
    files = sorted(place.glob(f"{threads}-*.json"))
    return np.array([json.loads(file.read_text())["results"][0]["mean"] for file in files])
