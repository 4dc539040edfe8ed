"""Checks whether other programs use the cpus: a warning at the start of a study, or a wait with ``--wait-quiet``."""

from __future__ import annotations

import time

from knee import _binary, terminal
from knee.store import Folder, StudyError, Wait, note_wait

LOOK_S = 0.3
"""Seconds to watch at the start of a study: with ticks of 10 ms, enough to detect 5 % of two cpus."""

PERIOD_S = 1.0
"""Seconds of one check while waiting."""

IN_A_ROW = 3
"""Quiet checks in a row after which a machine counts as quiet: a busy program may pause for a second."""


def say_load() -> None:
    """Warn which programs use the cpus, where that would disturb runs."""
    try:
        load = _binary.load(LOOK_S)
    except StudyError:
        return  # `knee doctor` says why the load is unknown
    if not load["quiet"]:
        _say(f"{load['says']}: results may be useless; --wait-quiet waits for a quiet machine")


def say_quota(folder: Folder) -> None:
    """Warn where a control group limits CPU time to fewer cpus than the study uses threads."""
    quota = folder.read_machine()["allowed"].get("quota_cpus")
    most = max(spec["threads"] for spec in folder.read_plan())
    if quota is not None and quota < most:
        said = f"the control group limits CPU time to {quota:g} cpus, and the study uses up to {most} threads"
        _say(f"{said}: the kernel pauses threads that have used it up; raise cpu.max, or use fewer threads")


class Waiting:
    """Waits before blocks until the machine is quiet, at most ``most_s`` seconds in total, and notes each wait."""

    def __init__(self, folder: Folder, most_s: float) -> None:
        self._folder = folder
        self._most_s = most_s
        self._left_s = most_s
        self._first = True

    @property
    def over(self) -> bool:
        """Whether the waiting time is used up."""
        return self._left_s <= 0

    def before(self, block: int, otherwise: str = "measuring continues") -> None:
        """Wait before this block: before the first for several quiet checks, later for one if that is quiet.

        ``otherwise`` is what happens when the time runs out.
        """
        looks, self._first = (IN_A_ROW if self._first else 1), False
        if self.over:
            return
        began = time.monotonic()
        try:
            load, quiet, waited = self._wait(looks, began)
        except StudyError as error:
            self._left_s = 0.0
            _say(f"cannot wait for a quiet machine: {error}")
            return
        finally:
            _binary.hang_up()
        spent = time.monotonic() - began
        if not waited:
            # Looking is not waiting: over a long study the looks alone would use up the time.
            return
        self._left_s -= spent
        note_wait(self._folder, Wait(block, round(spent, 1), quiet, load["other_busy"], load["steal"]))
        if quiet:
            _say(f"quiet after {words(spent)}")
        else:
            why = "too short a time at the end" if load["quiet"] else load["says"]
            _say(f"not quiet after {words(self._most_s)} of waiting ({why}): {otherwise}")

    def _wait(self, looks: int, began: float) -> tuple[_binary.Load, bool, bool]:
        """Return the last check, whether so many in a row were quiet, and whether any was not."""
        row, waited = 0, False
        while True:
            load = _binary.load(PERIOD_S)
            row = row + 1 if load["quiet"] else 0
            if not load["quiet"] and not waited:
                waited, looks = True, IN_A_ROW
                _say(f"waiting for a quiet machine, at most {words(self._left_s)}: {load['says']}")
            if row >= looks or time.monotonic() - began >= self._left_s:
                return load, row >= looks, waited


def words(seconds: float) -> str:
    """Write a time: seconds up to two minutes, then minutes."""
    return f"{seconds:.0f} s" if seconds <= 120 else f"{seconds / 60:.0f} min"


def _say(text: str) -> None:
    terminal.err(f"knee: {text}")
