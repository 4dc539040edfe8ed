"""Python's interpreter lock: longer turns, and no lock where the interpreter can do without."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knee.study.remedies.remedy import INTERPRETER, Remedy
from knee.study.remedies.situation import Situation
from knee.study.remedies.variables import assigned, with_variables

TREATS = (INTERPRETER,)
TURN_S = 0.1
"""A thread holds the lock this long while others wait; Python's own default is 0.005."""

FOLDER = Path(__file__).with_name("longer_turns")
"""Has the module that Python imports at its start."""

PATH = "PYTHONPATH"

FREE = r".*\.cpython-3\d+t-|libpython3\.\d+t\.so"
"""Libraries of an interpreter that was built to run without the lock."""


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    reason = here.no_variables()
    if reason is None and not (here.library(r"libpython3") or any(one.is_python for one in here.executables)):
        reason = "no Python interpreter runs in it"
    return [_turns(here, reason), _without(here, reason)]


def _turns(here: Situation, reason: str | None) -> Remedy:
    theirs = here.variable(PATH)
    value = f"{FOLDER}:{theirs}" if theirs else str(FOLDER)
    return Remedy(
        "longer turns at the interpreter lock",
        TREATS,
        f"sys.setswitchinterval({TURN_S})",
        here.setting(**{PATH: value}),
        reason,
    )


def _without(here: Situation, reason: str | None) -> Remedy:
    if reason is None and here.library(FREE) is None:
        reason = "its interpreter has no build without the lock (install one whose name ends in t, like python3.13t)"
    if reason is None and here.variable("PYTHON_GIL") == "0":
        reason = "PYTHON_GIL is 0 already"
    return Remedy("no interpreter lock", TREATS, "PYTHON_GIL=0", here.setting(PYTHON_GIL="0"), reason)


def turned_here(program: Mapping[str, Any], own: Mapping[str, Any], environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a program with longer turns as it has to be started now: the study may have been planned by a knee of
    another folder, or in a shell with another PYTHONPATH, which its other runs do not get any more.

    Parameters
    ----------
    program
        The program of a run; one without longer turns is returned as it is.
    own
        The program as the study has it. Where that sets PYTHONPATH, the shell's has no effect.
    environ
        The variables of this process.
    """
    planned = str(program.get("env", {}).get(PATH, ""))
    first, _, rest = planned.partition(":")
    if Path(first).name != FOLDER.name or Path(first).parent.name != FOLDER.parent.name:
        return program
    folder = first if Path(first).is_dir() else str(FOLDER)
    if PATH not in own.get("env", {}) and assigned(own.get("command", ()), PATH) is None:
        rest = environ.get(PATH, "")
    value = f"{folder}:{rest}" if rest else folder
    return program if value == planned else with_variables(program, {PATH: value})
