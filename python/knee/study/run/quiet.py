"""Whether other programs leave the cpus alone: said at the start of a study, and waited for with ``--wait-quiet``."""

from __future__ import annotations

import sys
import time

from knee import _binary
from knee.store import Folder, StudyError, Wait, note_wait

LOOK_S = 0.3
"""Seconds that are watched at the start of a study: enough for ticks of 10 ms to tell 5 % of two cpus."""

PERIOD_S = 1.0
"""Seconds of one look while waiting."""

IN_A_ROW = 3
"""Quiet looks in a row after which a machine counts as quiet: programs pause for a second, too."""


def say_load() -> None:
    """Say on standard error which programs use the cpus, where they use more than a calm run may lose."""
    try:
        load = _binary.load(LOOK_S)
    except StudyError:
        return  # that the kernel does not say it stands in `knee doctor`
    if not load["quiet"]:
        _say(f"{load['says']}: results may say nothing; --wait-quiet waits")


class Waiting:
    """Waits before a block until the machine is quiet, at most ``most_s`` seconds in all; longer waits are noted."""

    def __init__(self, folder: Folder, most_s: float) -> None:
        self._folder = folder
        self._most_s = most_s
        self._left_s = most_s
        self._first = True

    @property
    def over(self) -> bool:
        """Whether the time to wait is used up."""
        return self._left_s <= 0

    def before(self, block: int, otherwise: str = "measuring goes on") -> None:
        """Wait before this block: for several quiet looks before the first one, else for one if that is quiet.

        ``otherwise`` is what happens where the time is over first.
        """
        looks, self._first = (IN_A_ROW if self._first else 1), False
        if self.over:
            return
        began = time.monotonic()
        try:
            load, waited = self._wait(looks, began)
        except StudyError as error:
            self._left_s = 0.0
            _say(f"cannot wait for a quiet machine: {error}")
            return
        finally:
            _binary.hang_up()
        spent = time.monotonic() - began
        self._left_s -= spent
        if not waited:
            return
        note_wait(self._folder, Wait(block, round(spent, 1), load["quiet"], load["other_busy"], load["steal"]))
        if load["quiet"]:
            _say(f"quiet after {words(spent)}")
        else:
            _say(f"not quiet after {words(self._most_s)} of waiting ({load['says']}): {otherwise}")

    def _wait(self, looks: int, began: float) -> tuple[_binary.Load, bool]:
        """Return the last look, and whether any was not quiet."""
        row, waited = 0, False
        while True:
            load = _binary.load(PERIOD_S)
            row = row + 1 if load["quiet"] else 0
            if not load["quiet"] and not waited:
                waited, looks = True, IN_A_ROW
                _say(f"waiting for a quiet machine, at most {words(self._left_s)}: {load['says']}")
            if row >= looks or time.monotonic() - began >= self._left_s:
                return load, waited


def words(seconds: float) -> str:
    """Write a time: seconds up to two minutes, then minutes."""
    return f"{seconds:.0f} s" if seconds <= 120 else f"{seconds / 60:.0f} min"


def _say(text: str) -> None:
    sys.stderr.write(f"knee: {text}\n")
