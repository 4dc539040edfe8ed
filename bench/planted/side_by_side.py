"""Measures, without knee, what the machine takes from a program whose other cpus are busy, whatever its dial does.

One thread of it runs alone, beside a loop that uses no memory, and beside a copy of itself. What the loop takes is
that of a clock which falls, or of a core that two cpus share, as those of a virtual machine may without saying so.
What the copy takes beyond that is that of caches or of memory.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import numpy as np
from planted.dials import LIMIT_S, Unmeasured, started
from planted.undivided import LEAST

from knee.stats.intervals import Array, t_interval

BLOCKS = 6

ALONE, LOOP, COPY = "alone", "beside a loop", "beside a copy"

COMPUTING = "while [ -d /proc/$PPID ]; do at=0; while [ $at -lt 100000 ]; do at=$((at + 1)); done; done"
"""A loop that uses no memory, starts at once, and also ends when the benchmark itself is killed."""

CORE, MEMORY = ("clock", "SMT sharing"), ("shared cache", "memory bandwidth")
"""Causes of what the loop takes, and of what the copy takes beyond that."""


@cache
def shared(command: tuple[str, ...], directory: Path) -> dict[str, float]:
    """Return the machine's causes that a program has at dial 0, each with the least it costs in logarithms.

    Parameters
    ----------
    command
        The command at dial 0, with ``{threads}``.
    directory
        Where it runs.

    Raises
    ------
    Unmeasured
        When a launch fails.
    """
    draw, kinds = random.Random(str(command)), (ALONE, LOOP, COPY)
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(BLOCKS):
        for kind in draw.sample(kinds, len(kinds)):
            seconds[kind].append(_seconds(command, kind, directory))
    alone, loop, copy = (np.log(seconds[kind]) for kind in kinds)
    parts = {CORE: _least(loop - alone), MEMORY: _least(copy - loop)}
    return {cause: part for causes, part in parts.items() if part > LEAST for cause in causes}


def _least(logs: Array) -> float:
    return t_interval(logs).low


def _seconds(command: tuple[str, ...], kind: str, directory: Path) -> float:
    """Run one thread of a command on the first cpu, with something on the second; return its seconds."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    own = [word.replace("{threads}", "1") for word in command]
    beside = {LOOP: ["sh", "-c", COMPUTING], COPY: own}.get(kind)
    with ExitStack() as stack:
        other = stack.enter_context(started(_pinned(second, beside), directory)) if beside else None
        began = time.perf_counter()
        running = stack.enter_context(started(_pinned(first, own), directory))
        try:
            status = running.wait(LIMIT_S)
            seconds = time.perf_counter() - began
            if other is not None and kind == COPY:
                # It ends by itself at about the same time.
                other.wait(LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise Unmeasured(f"a launch took longer than {LIMIT_S:.0f} s") from error
    if status != 0:
        raise Unmeasured(f"status {status}")
    return seconds


def _pinned(cpu: int, words: list[str]) -> list[str]:
    return ["taskset", "-c", str(cpu), *words]
