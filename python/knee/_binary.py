"""Finds the binary and asks it questions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from knee.store import StudyError


def find() -> Path:
    """Return the path of the binary.

    ``KNEE_BIN`` (set by the binary itself when it starts us) comes first, then the folder of this interpreter, then
    where this installation puts scripts, then ``PATH``.

    Raises
    ------
    StudyError
        When it is nowhere.
    """
    named = os.environ.get("KNEE_BIN")
    if named:
        return Path(named)
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / "knee").is_file():
            return folder / "knee"
    found = shutil.which("knee")
    if found is None:
        raise StudyError("cannot find the binary knee", hint="install knee, or set KNEE_BIN to it")
    return Path(found)


def validate(specs: Sequence[Mapping[str, Any]]) -> None:
    """Let the binary read run specs without running them.

    Raises
    ------
    StudyError
        With the binary's own words about the first run spec that it would refuse.
    """
    text = "".join(json.dumps(spec) + "\n" for spec in specs)
    words = [str(find()), "run", "--stdin", "--validate"]
    _done(subprocess.run(words, input=text, capture_output=True, text=True, check=False))


def ask(*words: str) -> Any:
    """Run a native verb that prints JSON, and return what it printed.

    Raises
    ------
    StudyError
        With the binary's own words when it refuses.
    """
    done = subprocess.run([str(find()), *words], capture_output=True, text=True, check=False)
    return json.loads(_done(done))


def _done(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode != 0:
        message, _, hint = done.stderr.strip().removeprefix("knee: ").partition("\n\nhint: ")
        raise StudyError(message, hint=hint or None)
    return done.stdout
