"""Load beside a study: one busy process, or one that comes and goes. Each is killed by its own process id."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = (0.5, 4.0)
"""Range of the times that it computes and pauses, drawn uniformly."""


COMPUTING = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
"""Busy loop that also ends when the benchmark itself is killed."""


@contextmanager
def busy() -> Iterator[None]:
    """Keep one process busy on any cpu."""
    process = subprocess.Popen([sys.executable, "-c", COMPUTING])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def comes_and_goes(seed: int = 1) -> Iterator[None]:
    """Let a process compute and pause in turns, for random times drawn with this seed."""
    over = threading.Event()
    turns = threading.Thread(target=_turns, args=(random.Random(seed), over))
    turns.start()
    try:
        yield
    finally:
        over.set()
        turns.join()


def _turns(draw: random.Random, over: threading.Event) -> None:
    while not over.wait(draw.uniform(*SECONDS)):
        with busy():
            over.wait(draw.uniform(*SECONDS))
