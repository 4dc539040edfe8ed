"""A study without the names of people, hosts and folders: what a reviewer who must not know them may read.

A copy of the study's folder is filtered and read like any other, so that nothing that a report shows can have gone
around the filter. Measured numbers, facts of the machine and names of programs stay: they are what is reviewed. What
programs printed is withheld: no filter knows what it may name.
"""

from __future__ import annotations

import getpass
import json
import re
import socket
import tempfile
import tomllib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import tomli_w

from knee.opened import OpenedStudy
from knee.store import Folder, StudyError

FILES = ("machine.json", "plan.jsonl", "records.jsonl", "ended.json", "machine-memory.json")

TOLD = ("output", "error", "program", "baseline", "command", "env", "directory", "name", "measure", "why", "prepare",
        "conclude", "factors", "cell", "claim")  # fmt: skip
"""Fields in which a user's own words stand: there names are looked for, too."""

_PATH = re.compile(r"(?<![\w.}\]])((?:~[\w.-]*)?/(?:[\w.@+~-]+/)*)([\w.@+~-]+)")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_KEPT = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/dev/", "/proc/", "/sys/")
"""Folders that every machine has."""


@contextmanager
def anonymous(folder: Folder) -> Generator[OpenedStudy]:
    """Yield the study as it is read from a filtered copy, which is gone afterwards.

    Raises
    ------
    StudyError
        When the folder is no study, or was damaged.
    """
    OpenedStudy.read(folder.path)
    with tempfile.TemporaryDirectory(prefix="knee-anonymous-") as place:
        names = _Names(folder)
        copy = Path(place) / "study"
        copy.mkdir()
        (copy / "samples").symlink_to(folder.samples.absolute(), target_is_directory=True)
        question = tomllib.loads(folder.question.read_text(encoding="utf-8"))
        (copy / "study.toml").write_text(tomli_w.dumps(names.without(question)), encoding="utf-8")
        for name in FILES:
            if (folder.path / name).exists():
                lines = (folder.path / name).read_text(encoding="utf-8")
                (copy / name).write_text(names.filtered(lines, lines=name.endswith("l")), encoding="utf-8")
        yield OpenedStudy.read(copy)


class _Names:
    """What is to be replaced, each by the same word everywhere, so that what differed still does."""

    def __init__(self, folder: Folder) -> None:
        self._folders: dict[str, str] = {}
        text = "".join(path.read_text(encoding="utf-8") for path in (folder.question, folder.plan))
        people = set(re.findall(r"/(?:home|Users)/([\w.-]+)", text))
        with suppress(OSError, KeyError):
            people.add(getpass.getuser())
        hosts = {socket.gethostname(), socket.getfqdn()}
        words = sorted((people - {"root"}) | {host for host in hosts if host != "localhost"}, key=len, reverse=True)
        self._words = re.compile(
            "|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in words if word) or r"(?!)"
        )

    def filtered(self, text: str, *, lines: bool) -> str:
        """Return a file of JSON, or of one object a line, without them."""
        try:
            if lines:
                return "".join(json.dumps(self.without(json.loads(line))) + "\n" for line in text.splitlines() if line)
            return json.dumps(self.without(json.loads(text)))
        except ValueError as error:
            # A torn last line counts as never written.
            raise StudyError(f"cannot anonymise: {error}", hint="knee study --resume mends a torn record") from error

    def without(self, value: Any, *, told: bool = False) -> Any:
        """Return plain data without them. ``told`` says whether these are a user's own words."""
        if isinstance(value, dict):
            found = cast("dict[str, Any]", value)
            return {key: self._field(key, one, told=told or key in TOLD) for key, one in found.items()}
        if isinstance(value, list):
            return [self.without(one, told=told) for one in cast("list[Any]", value)]
        return self._text(value, told=told) if isinstance(value, str) else value

    def _field(self, key: str, value: Any, *, told: bool) -> Any:
        if key == "start" and isinstance(value, str):
            return f"{value[:10]}T00:00:00.000Z"
        if key == "kernel" and isinstance(value, str):
            # Behind the version stands who built it.
            return value.partition("-")[0]
        if key in ("stderr_tail", "stdout_tail") and value:
            return "(withheld)"
        if key == "samples" and isinstance(value, str):
            return value
        return self.without(value, told=told)

    def _text(self, text: str, *, told: bool) -> str:
        text = _ADDRESS.sub("(address)", text)
        text = _PATH.sub(self._path, text)
        return self._words.sub("(name)", text) if told else text

    def _path(self, found: re.Match[str]) -> str:
        folder, last = found[1], found[2]
        if folder in _KEPT or folder == "/":
            return found[0]
        return f"{self._folders.setdefault(folder, f'folder{len(self._folders) + 1}')}/{last}"
