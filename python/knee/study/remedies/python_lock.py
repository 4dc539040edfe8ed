"""Python's interpreter lock: longer turns, and no lock where the interpreter can do without."""

from __future__ import annotations

from pathlib import Path

from knee.study.remedies.remedy import INTERPRETER, Remedy
from knee.study.remedies.situation import Situation

TREATS = (INTERPRETER,)
TURN_S = 0.1
"""A thread holds the lock this long while others wait; Python's own default is 0.005."""

FOLDER = Path(__file__).with_name("longer_turns")
"""Has the module that Python imports at its start."""

FREE = r".*\.cpython-3\d+t-|libpython3\.\d+t\.so"
"""Libraries of an interpreter that was built to run without the lock."""


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    reason = here.no_variables()
    if reason is None and not (here.library(r"libpython3") or any(one.is_python for one in here.executables)):
        reason = "no Python interpreter runs in it"
    return [_turns(here, reason), _without(here, reason)]


def _turns(here: Situation, reason: str | None) -> Remedy:
    theirs = here.variable("PYTHONPATH")
    value = f"{FOLDER}:{theirs}" if theirs else str(FOLDER)
    return Remedy(
        "longer turns at the interpreter lock",
        TREATS,
        f"sys.setswitchinterval({TURN_S})",
        here.setting(PYTHONPATH=value),
        reason,
    )


def _without(here: Situation, reason: str | None) -> Remedy:
    if reason is None and here.library(FREE) is None:
        reason = "its interpreter has no build without the lock (install one whose name ends in t, like python3.13t)"
    if reason is None and here.variable("PYTHON_GIL") == "0":
        reason = "PYTHON_GIL is 0 already"
    return Remedy("no interpreter lock", TREATS, "PYTHON_GIL=0", here.setting(PYTHON_GIL="0"), reason)
