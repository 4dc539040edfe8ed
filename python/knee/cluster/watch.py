"""Doing something again and again beside a block of code."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Event, Thread


@contextmanager
def every(seconds: float, act: Callable[[], object]) -> Generator[None]:
    """Call a function every so many seconds in a thread of its own, until the block ends."""
    over = Event()

    def watch() -> None:
        while not over.wait(seconds):
            act()

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()
