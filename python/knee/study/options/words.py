"""Reads the words of a study: a command after ``--``, a workload with its arguments, or a study file."""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import Level, StudyError
from knee.study.kinds.near import nearest, suggestion
from knee.study.kinds.program import resolved
from knee.study.options.file import from_file, is_study_file
from knee.study.spec import OPTIONS, StudySpec


def from_words(words: list[str]) -> StudySpec:
    """Return the study spec from words alone: a command, a workload, or a study file.

    Raises
    ------
    StudyError
        When they are none of these. A program without ``--`` gets the command line that would run it as a hint.
    """
    # click drops `--`, so the raw words show whether it was before ours.
    raw = sys.argv[1:]
    behind = raw[raw.index("--") + 1 :] if "--" in raw else None
    if behind == words:
        program: dict[str, Any] = {"command": words, "directory": str(Path.cwd())}
        return StudySpec(name=_title(words), program=program)
    if is_study_file(words[0]):
        return _of_file(words)
    listed = {one["name"]: one["params"] for one in _binary.ask("workloads")["workloads"]}
    if words[0] not in listed:
        raise _not_studied(words, [*listed])
    own = [f"--{param['name']}" for param in listed[words[0]]]
    for word in words[1:]:
        flag = word.partition("=")[0]
        if flag.startswith("--") and flag not in own:
            known = [*own, *(flag.name for one in OPTIONS for flag in one.flags)]
            raise StudyError(
                f"unknown option {flag!r}", hint=suggestion(flag, known, f"{words[0]} takes {', '.join(own)}")
            )
    program, phase = resolved(words)
    title = " ".join(Path(w).name if "/" in w else w for w in words if not w.startswith("--"))
    return StudySpec(name=title, program=program, metric={"phase": phase} if phase else None)


def _of_file(words: list[str]) -> StudySpec:
    path = Path(words[0])
    if len(words) > 1:
        message = f"unexpected argument {words[1]!r} after the study file {path}"
        raise StudyError(message, hint="the file names the program; leave the argument out")
    if not path.exists():
        beside = [one.name for one in path.parent.glob("*.toml")]
        near = nearest(path.name, beside)
        hint = f"did you mean {path.with_name(near)}?" if near else "check its path"
        raise StudyError(f"cannot read the study: {path}: No such file or directory", hint=hint)
    return from_file(path)


def _not_studied(words: list[str], workloads: list[str]) -> StudyError:
    """Return the error about words that are neither a command nor a workload nor a study file."""
    first, path = words[0], Path(words[0])
    if path.is_dir():
        if (path / "plan.jsonl").exists():
            message = f"{first} is the folder of a study, not a study file"
            return StudyError(message, hint=f"knee study --resume {shown(words[:1])}")
        return StudyError(f"{first} is a folder, not a study file", hint="name the file, or put a program after --")
    split = _split(words)
    if split[0] in workloads:
        return StudyError(f"{first!r} is one quoted word", hint=f"leave the quotes out: knee study {shown(split)}")
    if shutil.which(split[0]) or path.exists() or "/" in first or len(split) > len(words):
        return StudyError(
            f"{split[0]} is not a workload: a program goes after --", hint=f"knee study -- {shown(split)}"
        )
    hint = suggestion(first, workloads, "`knee workloads` lists them; a program goes after --")
    return StudyError(f"unknown workload {first!r}", hint=hint)


def _split(words: list[str]) -> list[str]:
    """Return the words of a command that was quoted as a whole."""
    try:
        return shlex.split(words[0]) or words if len(words) == 1 else words
    except ValueError:
        return words


def shown(words: list[str]) -> str:
    """Write words for a shell. It leaves {threads} as it is, so that stays without quotation marks."""
    return " ".join(w if re.fullmatch(r"[\w@%+=:./{}-]+", w) else shlex.quote(w) for w in words)


def _title(words: list[str]) -> str:
    """Name a study after its program, the script of an interpreter, or the first program in a shell's line.

    Placeholders are left out.
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

OWN = {"echo", "printf", "test", "trap", "true", "wait"}
"""Commands of the shell itself: a line is named after one only where it has no other."""


def _first_program(words: list[str]) -> str:
    """Return the name of the first program in a line that a shell runs; empty where there is no such line."""
    options = list(itertools.takewhile(lambda word: word.startswith("-"), words[1:]))
    if not SHELL.fullmatch(Path(words[0]).name) or not any(map(LINE.fullmatch, options)):
        return ""
    names: list[str] = []
    for command in re.split(r"&&|\|\|?|[;\n&]", "".join(words[1 + len(options) :][:1])):
        left = [word.lstrip("(") for word in command.split()]
        while left and (left[0] in BEFORE or re.match(r"\w+=", left[0])):
            left = left[1:]
        name = Path(left[0].strip("\"')")).name if left else ""
        if left and left[0] not in SETTING and re.fullmatch(r"[\w.{][\w.+{}-]*", name):
            names.append(name)
    return next((name for name in names if name not in OWN), next(iter(names), ""))


def of_workloads(names: list[Level]) -> StudySpec:
    """Return the study spec of several workloads, each with its default arguments."""
    program: dict[str, Any] = {"workload": {str(name): {} for name in names}, "directory": str(Path.cwd())}
    return StudySpec(name="-".join(map(str, names)), program=program)
