"""Variables of a program: those of its environment, and those that its command sets itself.

A command such as ``sh -c "GOGC=50 program"`` or ``env GOGC=50 program`` sets a variable again, whatever its environment
has, so a changed setting has to be changed there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

BEGINS, ENDS = r"(?:^|(?<=[\s;&|(]))", r"(?=[\s;&|)]|$)"
"""Before and after a word of a shell's text."""

VALUE = rf"""(?:"[^"`\\]*"|'[^']*'|[^\s;&|()"'`\\])*{ENDS}"""
"""A value in a shell's text; not one that another command gives, or that has escaped characters."""


def assigned(command: Sequence[str], name: str) -> str | None:
    """Return the value that a command gives a variable; None if it gives none, or one that a shell has to work out."""
    found = (match[0].partition("=")[2] for word in command if (match := _pattern(name).search(word)))
    value = next(found, None)
    if value is None or "$" in value:
        return None
    return "".join(shlex.split(value))


def with_variables(program: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """Return a program with other values of variables, in its environment and where its command sets them.

    Parameters
    ----------
    program
        The program of a run spec.
    variables
        The values by name. Where the program's environment has the same value already, its command is left alone.
    """
    env: Mapping[str, str] = program.get("env", {})
    changed: dict[str, Any] = {**program, "env": {**env, **variables}}
    if "command" in program:
        new = {name: value for name, value in variables.items() if env.get(name) != value}
        changed["command"] = [_with(word, new) for word in program["command"]]
    return changed


def given_otherwise(command: Sequence[str], name: str, value: str) -> bool:
    """Whether a command gives a variable another value than this one, in a form that is not changed here."""
    forms = rf"(?<!\w){re.escape(name)}=(?!(?:{re.escape(value)}|{re.escape(shlex.quote(value))}){ENDS})"
    return any(re.search(forms, word) for word in command)


def _with(word: str, variables: Mapping[str, str]) -> str:
    for name, value in variables.items():
        # A word of its own, as after env, is no text of a shell.
        alone = word.startswith(f"{name}=") and not re.search(r"[\s;&|()]", word)
        said = f"{name}={value if alone else shlex.quote(value)}"
        word = _pattern(name).sub(said.replace("\\", r"\\"), word)
    return word


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"{BEGINS}{re.escape(name)}={VALUE}")
