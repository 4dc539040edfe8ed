"""Finds a missing program, script or folder before a hundred runs do."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

from knee.store import StudyError
from knee.study.kinds.near import nearest

INTERPRETERS = {
    ".py": "python3",
    ".sh": "sh",
    ".rb": "ruby",
    ".pl": "perl",
    ".js": "node",
    ".jl": "julia",
    ".R": "Rscript",
}


def find_program(program: dict[str, Any]) -> None:
    """Raise :class:`StudyError` when a command's program, its script, or the folder it runs in is missing.

    A workload runs in a folder, too: its arguments may be paths.
    """
    command = [str(word) for word in program.get("command", ())]
    folder = Path(program.get("directory", "."))
    if not folder.is_dir():
        hint = "make that folder again, or name another one in the study file before the study is planned"
        raise StudyError(f"cannot run in {folder}: no such folder", hint=hint)
    if not command:
        return
    name, path = command[0], program.get("env", {}).get("PATH")
    if path is not None and "/" not in name and "{" in str(path):
        # Levels of factors may be a part of where it is looked for.
        return
    if _is_there(name, folder, path):
        _find_script(command, folder)
        return
    # A command that was quoted as a whole is one word.
    if len(command) == 1 and len(parts := name.split()) > 1 and ("{" not in name or _is_there(parts[0], folder)):
        raise StudyError(
            f"cannot run {name!r}: the command is one quoted word", hint=f"leave the quotes out: -- {name}"
        )
    # Levels of factors may be a part of the name.
    if "{" not in name:
        raise _missing(name, folder)


def _is_there(name: str, folder: Path, path: str | None = None) -> bool:
    """Whether a program is there: in a folder, or in those of ``path``, by default the variable PATH."""
    return shutil.which(str(folder / name) if "/" in name else name, path=path) is not None


def _missing(name: str, folder: Path) -> StudyError:
    path = folder / name
    if "/" in name and path.is_file():
        how = INTERPRETERS.get(path.suffix)
        hint = f"put {how} before it: -- {how} {name}" if how else f"chmod +x {shlex.quote(name)}"
        return StudyError(f"cannot run {name}: it is not executable", hint=hint)
    return StudyError(f"cannot run {name}: no such program", hint=_elsewhere(name, folder))


def _elsewhere(name: str, folder: Path) -> str:
    """Return a hint to where the program may be."""
    if "/" not in name and (folder / name).is_file():
        return f"did you mean ./{name}?"
    if name.startswith("-"):
        return "options of the study go before --"
    around = (folder / name).parent if "/" in name else folder
    files = (
        [one.name for one in around.iterdir() if os.access(one, os.X_OK) and one.is_file()] if around.is_dir() else []
    )
    if near := nearest(Path(name).name, files):
        return f"did you mean {name.rpartition('/')[0] or '.'}/{near}?"
    return "give its path, or build it first"


def _find_script(command: list[str], folder: Path) -> None:
    """Find the script of an interpreter. A shell also looks for it among programs."""
    if len(command) < 2 or not re.fullmatch(r"(python|node|ruby|perl|bash|sh|julia)[0-9.]*", Path(command[0]).name):
        return
    script = command[1]
    if script.startswith("-") or "{" in script or (folder / script).exists() or _is_there(script, folder):
        return
    near = nearest(script, (one.name for one in folder.iterdir()))
    raise StudyError(f"cannot run {script}: no such file", hint=f"did you mean {near}?" if near else "check its path")
