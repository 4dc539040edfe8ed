"""Measures, without knee, what of a program nobody divided, or what was divided unevenly, whatever its dial does.

Samples which threads are ready. Where one and the same thread alone is, for a long time and with twice the threads on
the same cpus as well, that part has one thread; where it is gone with twice the threads, the work was divided unevenly.
Threads that take turns, at a lock or at an interpreter, are never alone for long.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from planted.dials import LIMIT_S, THREADS, Unmeasured, started

from knee.stats.intervals import Array, t_interval

LAUNCHES = 4

PERIOD_S = 0.002

WINDOW, SAME = 12, 11
"""Samples in a row, and how many of them find the same thread alone, where it is alone for long."""

LEAST = 0.02
"""A part of the loss, in logarithms, that is surely not smaller counts."""


@dataclass(frozen=True)
class Amount:
    """What a cause costs in logarithms, with its interval."""

    value: float
    low: float
    high: float


@cache
def undivided(command: tuple[str, ...], directory: Path) -> dict[str, Amount]:
    """Return what the serial part and imbalance of a program cost at dial 0.

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
    shares: dict[int, list[float]] = {THREADS: [], 2 * THREADS: []}
    for _ in range(LAUNCHES):
        for threads, each in shares.items():
            each.append(_alone(command, threads, directory))
    few, twice = (np.array(shares[threads]) for threads in (THREADS, 2 * THREADS))
    serial = min(few, twice, key=lambda shares: t_interval(shares).low)
    return {"serial part": _lost(serial), "imbalance": _lost(few - twice)}


def surely(amounts: dict[str, Amount]) -> dict[str, float]:
    """Return the causes that surely cost more than `LEAST`, each with the least it costs."""
    return {cause: amount.low for cause, amount in amounts.items() if amount.low > LEAST}


def _lost(shares: Array) -> Amount:
    """Return what is lost while one cpu of two works for a share of the time."""
    ends = t_interval(shares)
    value, low, high = np.clip([shares.mean(), ends.low, ends.high], 0, 1)
    lost = -np.log(1 - np.array([value, low, high]) * (THREADS - 1) / THREADS)
    return Amount(*map(float, lost))


def _alone(command: tuple[str, ...], threads: int, directory: Path) -> float:
    """Run a command; return the share of its time in which one and the same thread alone was ready for long."""
    cpus = sorted(os.sched_getaffinity(0))[:THREADS]
    words = [word.replace("{threads}", str(threads)) for word in command]
    pinned = ["taskset", "-c", ",".join(map(str, cpus)), *words]
    seen: list[int] = []
    with started(pinned, directory) as running:
        end = time.monotonic() + LIMIT_S
        while running.poll() is None:
            if time.monotonic() > end:
                raise Unmeasured(f"a launch took longer than {LIMIT_S:.0f} s")
            ready = list(_ready(running.pid))
            seen.append(ready[0] if len(ready) == 1 else 0)
            time.sleep(PERIOD_S)
    if running.returncode != 0:
        raise Unmeasured(f"status {running.returncode}")
    return in_long_stretches(seen)


def in_long_stretches(seen: list[int]) -> float:
    """Return the share of samples that lie where one thread is alone for long.

    Parameters
    ----------
    seen
        For each sample the id of the only thread that was ready, or 0 where there was none or several.
    """
    alone = np.zeros(len(seen), dtype=bool)
    for start in range(len(seen) - WINDOW + 1):
        thread, times = Counter(seen[start : start + WINDOW]).most_common(1)[0]
        if thread and times >= SAME:
            alone[start : start + WINDOW] = True
    return float(alone.mean()) if seen else 0.0


def _ready(process: int) -> Iterator[int]:
    """Yield the ready threads of a process and its children."""
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:
        return
    for thread in threads:
        try:
            state = (thread / "stat").read_text().rpartition(")")[2].split()[0]
            children = (thread / "children").read_text().split()
        except OSError:
            continue
        if state == "R":
            yield int(thread.name)
        for child in children:
            yield from _ready(int(child))
