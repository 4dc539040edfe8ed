"""Measures what a dial costs, without knee: the four times of a dial, in complete blocks and in random order."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from planted.instances import Instance

from knee.stats.intervals import Array, Interval, t_interval

BLOCKS = 8

THREADS = 2

LIMIT_S = 60.0
"""A launch that takes longer fails."""


class Unmeasured(Exception):
    """Why an instance has no truth: a launch failed, or the dial changes the answer."""


@dataclass(frozen=True)
class Truth:
    """The cost of a dial in logarithms, with its interval; and the seconds of every launch by cell."""

    value: float
    interval: Interval
    loss: float
    """M of the program with the dial: ln(n T(n) / T(1))."""
    seconds: dict[str, list[float]]


def truth(instance: Instance, blocks: int = BLOCKS, halfway: Callable[[], None] = lambda: None) -> Truth:
    """Measure the four cells of a dial; for a clean instance, two.

    Parameters
    ----------
    instance
        The instance.
    blocks
        How many blocks are measured.
    halfway
        Called after half of the blocks. What sharing costs depends on which cores a virtual machine has at the time, so
        what is compared with the truth is measured between its blocks.

    Raises
    ------
    Unmeasured
        When a launch fails, or the answers differ.
    """
    draw = random.Random(instance.name)
    cells = list(product((1, THREADS), (instance.base, instance.command)))
    if instance.base == instance.command:
        cells = [(threads, instance.command) for threads in (1, THREADS)]
    times: dict[tuple[int, tuple[str, ...]], list[float]] = {cell: [] for cell in cells}
    answers: set[str] = set()
    for block in range(blocks):
        if block == blocks // 2:
            halfway()
        for threads, command in draw.sample(cells, len(cells)):
            seconds, answer = _launch(command, threads, instance)
            times[threads, command].append(seconds)
            answers.add(answer)
    if len(answers) > 1:
        raise Unmeasured("the answers differ")
    logs = {cell: np.log(seconds) for cell, seconds in times.items()}
    cost = _growth(logs, instance.command) - _growth(logs, instance.base)
    loss = float((np.log(THREADS) + _growth(logs, instance.command)).mean())
    named = {f"{n} {'dial' if words == instance.command else 'base'}": times[n, words] for n, words in cells}
    return Truth(float(cost.mean()), t_interval(cost), loss, named)


def launch(words: Sequence[str], directory: Path) -> bytes:
    """Run a command; return what it printed. Nothing of it is left when it fails, takes too long, or is interrupted.

    Raises
    ------
    Unmeasured
        When it does.
    """
    with started(words, directory, output=subprocess.PIPE) as running:
        try:
            said, complaints = running.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise Unmeasured(f"a launch took longer than {LIMIT_S:.0f} s") from error
    if running.returncode != 0:
        raise Unmeasured(f"status {running.returncode}: {complaints.decode(errors='replace').strip()[:200]}")
    return said


@contextmanager
def started(
    words: Sequence[str], directory: Path, output: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a session of its own; end all of it that still runs when the block ends."""
    running = subprocess.Popen(words, stdout=output, stderr=output, cwd=directory, start_new_session=True)
    try:
        yield running
    finally:
        # The group outlives its leader while one of its processes runs.
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def _growth(logs: dict[tuple[int, tuple[str, ...]], Array], command: tuple[str, ...]) -> Array:
    """Return the logarithm of the time on all threads over that on one, by block."""
    return logs[THREADS, command] - logs[1, command]


def _launch(command: tuple[str, ...], threads: int, instance: Instance) -> tuple[float, str]:
    """Run a command on the first cpus; return its seconds, and a digest of its answer."""
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    words = [word.replace("{threads}", str(threads)) for word in command]
    began = time.perf_counter()
    said = launch(["taskset", "-c", ",".join(map(str, cpus)), *words], instance.directory)
    seconds = time.perf_counter() - began
    if instance.answer is not None:
        filtered = ["sh", "-c", instance.answer]
        said = subprocess.run(filtered, input=said, capture_output=True, check=True, cwd=instance.directory).stdout
    return seconds, hashlib.sha256(said).hexdigest()
