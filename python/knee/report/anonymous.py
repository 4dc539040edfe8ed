"""Anonymise a study for a blind review: no names of people, hosts or folders.

The study's folder is copied, the copy is filtered, and the report is made from the copy, so nothing in it can bypass
the filter. Measured numbers, facts of the machine and names of programs stay, because they are what is reviewed. What
programs printed is left out, because no filter knows which names it holds.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import socket
import tempfile
import tomllib
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import tomli_w

from knee.opened import Study
from knee.store import VARIABLES, Folder, StudyError, read

FILES = ("machine.json", "plan.jsonl", "records.jsonl", "ended.json", "waits.jsonl", "trials.json",
         "machine-memory.json")  # fmt: skip

TOLD = ("output", "error", "program", "baseline", "command", "env", "directory", "name", "measure", "why", "prepare",
        "conclude", "factors", "cell", "claim", "exclude", "weak", "pair", "region_faults", "test", "treats",
        "does", "metric", "check", VARIABLES)  # fmt: skip
"""Fields that hold a user's own words: names and relative folders are looked for there, too."""

_PATH = re.compile(r"((?<![\w.@+~/-])-[A-Za-z](?=/)|(?<![\w.}\]]))((?:~[\w.-]*)?/(?:[\w.@+~-]+/)*)([\w.@+~-]*)")
"""An absolute path, or one from a home folder, maybe after the letter of an option: ``-I/data/inc``."""
_NEARBY = re.compile(
    r"(?:(?<![\w.@+~/$-])|(?<=[}\]]/))(?!~|-[A-Za-z]/)(\$\w+/|-[A-Za-z])?((?:[\w.@+~-]+/)+)([\w.@+~-]*)"
)
"""A relative path, or one from a folder that a variable or a level names."""
_FOLDER = re.compile(r"(?=[^/]*[^\W\d_])[^/]{2,}/")
"""A part of a relative path that can be a name, unlike ``1/2``, ``n/2`` and ``../``."""
_UNIT = re.compile(
    r"(?:[kmgtp]?i?(?:b|bit|byte|flop|op)|instruction|operation|event|edge|line|load|task)s?/s", re.IGNORECASE
)
"""A rate, such as ``MB/s``, which is no path either."""
_EVENT = re.compile(r"[\w-]+/[^/]*/")
"""An event of perf with its unit, ``unit/event/``, which is no folder."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_HOST = re.compile(
    r"(?<![\w.-])(?:(?:[a-z][\w-]*\.)+(?:edu|org|com|net|gov|mil|local|localdomain|lan|internal|intra|corp|cluster)"
    r"|(?:[a-z][\w-]*\.){2,}(?:at|au|be|br|ca|ch|cn|cz|de|dk|es|eu|fi|fr|il|it|jp|kr|nl|no|nz|pl|pt|se|tw|uk|us))"
    r"(?![\w.-]*\w)",
    re.IGNORECASE,
)
"""Names of hosts, recognised by endings that file names rarely have."""
_WHOLE = re.compile(r"((?:-[A-Za-z]|[\w-]*=)?)((?:~[\w.-]*)?/(?:[^/]*/)*)([^/]*)")
"""An argument that is nothing but a path, which may hold spaces."""
_SHELL = re.compile(r"""[|&;<>$`"'*?]""")
_KEPT = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/dev/", "/proc/", "/sys/")
"""Folders that every machine has, so they identify no user."""


@contextmanager
def anonymous(folder: Folder) -> Generator[Study]:
    """Yield the study, read from a filtered copy of its folder that is deleted afterwards.

    Raises
    ------
    StudyError
        When the folder is no study, or was damaged.
    """
    Study.read(folder.path)
    with tempfile.TemporaryDirectory(prefix="knee-anonymous-") as place:
        names = _Names(folder)
        copy = Path(place) / "study"
        copy.mkdir()
        (copy / "samples").symlink_to(folder.samples.absolute(), target_is_directory=True)
        study_spec = tomllib.loads(folder.study_spec.read_text(encoding="utf-8"))
        (copy / "study.toml").write_text(tomli_w.dumps(names.without(study_spec)), encoding="utf-8")
        for name in FILES:
            if (folder.path / name).exists():
                with read.opened(folder.path / name) as file:
                    data = file.read()
                # An incomplete last line counts as never written.
                whole = data[: data.rfind(b"\n") + 1] if name == folder.records.name else data
                (copy / name).write_text(names.filtered(whole, folder.path / name), encoding="utf-8")
        yield Study.read(copy)


class _Names:
    """Names to replace, each by the same word everywhere, so that different names stay different."""

    def __init__(self, folder: Folder) -> None:
        self._folders: dict[str, str] = {}
        text = "".join(path.read_text(encoding="utf-8") for path in (folder.study_spec, folder.plan))
        words = sorted(_people(text) | _hosts(text), key=len, reverse=True)
        # An underscore or a hyphen may follow a name: ADA_THREADS is Ada's.
        self._words = re.compile("|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in words) or r"(?!)")

    def filtered(self, data: bytes, path: Path) -> str:
        """Return the text of a JSON file, or of a file with one object a line, without names."""
        try:
            text = data.decode("utf-8")
            if path.name.endswith("l"):
                return "".join(json.dumps(self.without(json.loads(line))) + "\n" for line in text.split("\n") if line)
            return json.dumps(self.without(json.loads(text)))
        except ValueError as error:
            hint = "restore it from a copy of the folder"
            raise StudyError(f"cannot anonymise: {path}: {error}", hint=hint) from error

    def without(self, value: Any, *, told: bool = False) -> Any:
        """Return plain data without names. ``told`` says whether it holds a user's own words."""
        if isinstance(value, dict):
            mapping = cast("dict[str, Any]", value)
            # What it was and is has other keys.
            told = told or mapping.get("fact") == VARIABLES
            if mapping.get("fact") == "kernel":
                mapping = mapping | {key: _version(mapping[key]) for key in ("held", "found") if key in mapping}
            fields = {key: self._field(key, one, told=told or key in TOLD) for key, one in mapping.items()}
            # Names of factors and variables are a user's own words as well.
            return {self._text(key, told=True): one for key, one in fields.items()} if told else fields
        if isinstance(value, list):
            return [self.without(one, told=told) for one in cast("list[Any]", value)]
        return self._text(value, told=told) if isinstance(value, str) else value

    def _field(self, key: str, value: Any, *, told: bool) -> Any:
        if key == "command" and isinstance(value, list):
            return [self._argument(one) for one in cast("list[str]", value)]
        if key == "counters" and isinstance(value, list):
            return cast("list[str]", value)
        if key == "responses" and isinstance(value, list):
            return [self._response(one) for one in cast("list[str]", value)]
        if not isinstance(value, str):
            return self.without(value, told=told)
        if key in ("stderr_tail", "stdout_tail"):
            return value and "(withheld)"
        rules: dict[str, Callable[[str], str]] = {
            "start": lambda text: f"{text[:10]}T00:00:00.000Z",
            "kernel": _version,
            "directory": lambda text: self._elsewhere(text.rstrip("/") + "/", "").rstrip("/"),
            "samples": str,
            "response": self._response,
            "per": self._response,
        }
        return rules[key](value) if key in rules else self._text(value, told=told)

    def _argument(self, text: str) -> str:
        """Return an argument of a command without names."""
        path = None if _SHELL.search(text) else _WHOLE.fullmatch(text)
        if path is None:
            return self._text(text, told=True)
        return path[1] + self._words.sub("(name)", self._elsewhere(path[2], path[3]))

    def _response(self, text: str) -> str:
        return text if _EVENT.fullmatch(text) else self._text(text, told=True)

    def _text(self, text: str, *, told: bool) -> str:
        text = _ADDRESS.sub("(address)", text)
        if told:
            # First: the replacement of an absolute path looks like a relative one and would be replaced again.
            text = _NEARBY.sub(self._nearby, text)
        text = _PATH.sub(lambda match: match[1] + self._elsewhere(match[2], match[3]), text)
        return self._words.sub("(name)", _HOST.sub("(host)", text)) if told else text

    def _nearby(self, match: re.Match[str]) -> str:
        before, folder, last = match[1] or "", match[2], match[3]
        if _UNIT.fullmatch(folder + last) or not _FOLDER.search(folder):
            return match[0]
        return before + self._elsewhere(folder, last)

    def _elsewhere(self, folder: str, last: str) -> str:
        if folder in _KEPT or folder == "/":
            return folder + last
        return f"{self._folders.setdefault(folder, f'folder{len(self._folders) + 1}')}/{last}"


def _people(text: str) -> set[str]:
    """Return the login names that a study holds, and that of the current user."""
    people = set(re.findall(r"/(?:home|Users)/([\w.-]+)", text)) | _variables(text, "USER|LOGNAME|SUDO_USER")
    people |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    with suppress(OSError, KeyError):
        people.add(getpass.getuser())
    return people - {"", "root"}


def _hosts(text: str) -> set[str]:
    """Return the names of this host and of those that a study holds, with and without domain."""
    hosts = {socket.gethostname(), socket.getfqdn()} | _variables(text, "HOST|HOSTNAME")
    return (hosts | {name.partition(".")[0] for name in hosts}) - {"", "localhost"}


def _variables(text: str, names: str) -> set[str]:
    """Return the values of environment variables, as TOML or JSON writes them."""
    return set(re.findall(rf"""\b(?:{names})["']?\s*[=:]\s*["']([\w.-]+)["']""", text))


def _version(kernel: str) -> str:
    """Return a kernel's version without the rest, which may name who built it."""
    return kernel.partition("-")[0]
