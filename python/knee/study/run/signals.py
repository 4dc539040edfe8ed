"""Signals to a study: those that stop it, and Ctrl-Z, which pauses its runner too."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType


class Stopped(Exception):
    """Ctrl-C, SIGTERM or SIGHUP: the records so far are kept."""


@contextmanager
def stoppable() -> Generator[None]:
    """Raise :class:`Stopped` on SIGINT, SIGTERM and SIGHUP; those that were ignored (``nohup``) stay ignored."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Stopped

    with _handling(stop, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        yield


@contextmanager
def pausable(send: Callable[[int], object]) -> Generator[None]:
    """Pass Ctrl-Z on to the runner, which would otherwise continue this process (``crates/knee/src/run/signals.rs``),
    or to a build or setup step. ``send`` sends it a signal.
    """

    def pause(_signal: int, _frame: FrameType | None) -> None:
        send(signal.SIGTSTP)
        os.kill(os.getpid(), signal.SIGSTOP)
        send(signal.SIGCONT)

    with _handling(pause, signal.SIGTSTP):
        yield


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Generator[None]:
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
