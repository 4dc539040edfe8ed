"""Measures, without knee, whether a program does more with more threads, whatever its dial does.

What two threads compute on one cpu, where neither waits for another core, over what one thread computes there. The
kernel's share is left out: it is how threads start, and sleep, and get memory.
"""

from __future__ import annotations

import os
import random
import resource
from functools import cache
from pathlib import Path

import numpy as np
from planted.dials import THREADS, launch
from planted.undivided import LEAST

from knee.stats.intervals import t_interval

BLOCKS = 6


@cache
def more_work(command: tuple[str, ...], directory: Path) -> dict[str, float]:
    """Return the cause ``instruction growth`` if a program has it at dial 0, with the least it costs in logarithms.

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
    draw = random.Random(str(command))
    seconds: dict[int, list[float]] = {1: [], THREADS: []}
    for _ in range(BLOCKS):
        for threads in draw.sample(list(seconds), len(seconds)):
            seconds[threads].append(_user_seconds(command, threads, directory))
    least = t_interval(np.log(seconds[THREADS]) - np.log(seconds[1])).low
    return {"instruction growth": least} if least > LEAST else {}


def _user_seconds(command: tuple[str, ...], threads: int, directory: Path) -> float:
    """Run a command on the first cpu; return the CPU time of it and its children outside of the kernel."""
    cpu = min(os.sched_getaffinity(0))
    words = ["taskset", "-c", str(cpu), *(word.replace("{threads}", str(threads)) for word in command)]
    before = _children_s()
    launch(words, directory)
    return _children_s() - before


def _children_s() -> float:
    """Return the CPU time outside of the kernel of all children that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
