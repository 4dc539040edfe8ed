"""What the words of a study are: a command behind ``--``, a workload with its arguments, or a study file."""

from __future__ import annotations

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
    """Name a program by its own file, a script by the script's; a level that stands for a part of it is left out."""
    interpreted = re.fullmatch(r"(python|node|ruby|perl|bash|sh)[0-9.]*", Path(words[0]).name)
    script = interpreted and len(words) > 1 and not words[1].startswith("-")
    name = Path(words[1] if script else words[0]).name
    return re.sub(r"[-_.]*\{[^{}]*\}", "", name) or name.replace("{", "").replace("}", "")


def of_workloads(names: list[Level]) -> StudySpec:
    """Return the study spec about several workloads, each with its own defaults."""
    program: dict[str, Any] = {"workload": {str(name): {} for name in names}, "directory": str(Path.cwd())}
    return StudySpec(name="-".join(map(str, names)), program=program)
