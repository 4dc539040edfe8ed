"""What the words of a study are: a command behind ``--``, a workload with its arguments, or a study file."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Any

from knee.store import Level, StudyError
from knee.study.kinds.program import resolved
from knee.study.options.file import from_file
from knee.study.spec import StudySpec


def from_words(words: list[str]) -> StudySpec:
    """Return the study spec that words alone ask: a command, a workload, or a study file."""
    # click swallows `--`, so the raw words are asked whether it stood before ours.
    raw = sys.argv[1:]
    behind = raw[raw.index("--") + 1 :] if "--" in raw else None
    if behind == words:
        program: dict[str, Any] = {"command": words, "directory": str(Path.cwd())}
        return StudySpec(name=_title(words), program=program)
    if "/" in words[0] or words[0].endswith(".toml"):
        if len(words) > 1:
            raise StudyError(
                f"unexpected argument {words[1]!r}", hint="put the program after --, and options before the study file"
            )
        return from_file(Path(words[0]))
    program, phase = resolved(words)
    title = " ".join(Path(w).name if "/" in w else w for w in words if not w.startswith("--"))
    return StudySpec(name=title, program=program, metric={"phase": phase} if phase else None)


def _title(words: list[str]) -> str:
    """Name a program by its own file, a script by the script's; a level that stands for a part of it is left out.

    A line for a shell is named by the first program in it.
    """
    interpreted = re.fullmatch(r"(python|node|ruby|perl|bash|sh)[0-9.]*", Path(words[0]).name)
    script = interpreted and len(words) > 1 and not words[1].startswith("-")
    name = _first_program(words) or Path(words[1] if script else words[0]).name
    return re.sub(r"[-_.]*\{[^{}]*\}", "", name) or name.replace("{", "").replace("}", "")


SHELL = re.compile(r"(ba|da|z|k)?sh")
LINE = re.compile(r"-[a-z]*c[a-z]*")
"""Options of a shell that say that a line to run comes next: ``-c``, ``-ec``, ``-lc``."""

BEFORE = {"exec", "env", "time", "nice", "{", "!", "then", "do"}
"""Words of a shell's line before a program."""

SETTING = {"cd", "export", "set", "ulimit", "umask", ".", "source", "if", "for", "while", "done", "fi", "}"}
"""Words that begin a command which runs no program."""


def _first_program(words: list[str]) -> str:
    """Return the name of the first program in a line that a shell runs; empty where there is no such line."""
    options = list(itertools.takewhile(lambda word: word.startswith("-"), words[1:]))
    if not SHELL.fullmatch(Path(words[0]).name) or not any(map(LINE.fullmatch, options)):
        return ""
    for command in re.split(r"&&|\|\|?|[;\n&]", "".join(words[1 + len(options) :][:1])):
        left = [word.lstrip("(") for word in command.split()]
        while left and (left[0] in BEFORE or re.match(r"\w+=", left[0])):
            left = left[1:]
        name = Path(left[0].strip("\"')")).name if left else ""
        if left and left[0] not in SETTING and re.fullmatch(r"[\w.{][\w.+{}-]*", name):
            return name
    return ""


def of_workloads(names: list[Level]) -> StudySpec:
    """Return the study spec about several workloads, each with its own defaults."""
    program: dict[str, Any] = {"workload": {str(name): {} for name in names}, "directory": str(Path.cwd())}
    return StudySpec(name="-".join(map(str, names)), program=program)
