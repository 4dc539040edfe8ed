"""A study without the names of people, hosts and folders: what a reviewer who must not know them may read.

A copy of the study's folder is filtered and read like any other, so that nothing that a report shows can have gone
around the filter. Measured numbers, facts of the machine and names of programs stay: they are what is reviewed. What
programs printed is withheld: no filter knows what it may name.
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
from knee.store import Folder, StudyError

FILES = ("machine.json", "plan.jsonl", "records.jsonl", "ended.json", "waits.jsonl", "machine-memory.json")

TOLD = ("output", "error", "program", "baseline", "command", "env", "directory", "name", "measure", "why", "prepare",
        "conclude", "factors", "cell", "claim", "exclude", "weak", "pair", "region_faults")  # fmt: skip
"""Fields in which a user's own words stand: there names are looked for, too, and folders that are named from another
one."""

_PATH = re.compile(r"((?<![\w.@+~/-])-[A-Za-z](?=/)|(?<![\w.}\]]))((?:~[\w.-]*)?/(?:[\w.@+~-]+/)*)([\w.@+~-]*)")
"""A path from the root, or from somebody's home; before it may stand the letter of an option: ``-I/data/inc``."""
_NEARBY = re.compile(
    r"(?:(?<![\w.@+~/$-])|(?<=[}\]]/))(?!~|-[A-Za-z]/)(\$\w+/|-[A-Za-z])?((?:[\w.@+~-]+/)+)([\w.@+~-]*)"
)
"""A path from where the program is, or from a folder that a variable or a level names."""
_FOLDER = re.compile(r"(?=[^/]*[^\W\d_])[^/]{2,}/")
"""A part of such a path that can be a name: neither ``1/2`` nor ``n/2`` nor ``../``."""
_UNIT = re.compile(
    r"(?:[kmgtp]?i?(?:b|bit|byte|flop|op)|instruction|operation|event|edge|line|load|task)s?/s", re.IGNORECASE
)
"""What is said of rates, which is no path either."""
_EVENT = re.compile(r"[\w-]+/[^/]*/")
"""What perf calls an event by its unit, which is no folder."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_HOST = re.compile(
    r"(?<![\w.-])(?:(?:[a-z][\w-]*\.)+(?:edu|org|com|net|gov|mil|local|localdomain|lan|internal|intra|corp|cluster)"
    r"|(?:[a-z][\w-]*\.){2,}(?:at|au|be|br|ca|ch|cn|cz|de|dk|es|eu|fi|fr|il|it|jp|kr|nl|no|nz|pl|pt|se|tw|uk|us))"
    r"(?![\w.-]*\w)",
    re.IGNORECASE,
)
"""Names of hosts, known by how they end; no file is likely to be called so."""
_WHOLE = re.compile(r"((?:-[A-Za-z]|[\w-]*=)?)((?:~[\w.-]*)?/(?:[^/]*/)*)([^/]*)")
"""An argument that is a path as a whole, so that it may have spaces; none that a shell would read."""
_SHELL = re.compile(r"""[|&;<>$`"'*?]""")
_KEPT = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/dev/", "/proc/", "/sys/")
"""Folders that every machine has."""


@contextmanager
def anonymous(folder: Folder) -> Generator[Study]:
    """Yield the study as it is read from a filtered copy, which is gone afterwards.

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
                lines = (folder.path / name).read_text(encoding="utf-8")
                (copy / name).write_text(names.filtered(lines, lines=name.endswith("l")), encoding="utf-8")
        yield Study.read(copy)


class _Names:
    """What is to be replaced, each by the same word everywhere, so that what differed still does."""

    def __init__(self, folder: Folder) -> None:
        self._folders: dict[str, str] = {}
        text = "".join(path.read_text(encoding="utf-8") for path in (folder.study_spec, folder.plan))
        words = sorted(_people(text) | _hosts(text), key=len, reverse=True)
        # An underscore or a hyphen may stand beside a name: ADA_THREADS is Ada's.
        self._words = re.compile("|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in words) or r"(?!)")

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
            mapping = cast("dict[str, Any]", value)
            if mapping.get("fact") == "kernel":
                mapping = mapping | {key: _version(mapping[key]) for key in ("held", "found") if key in mapping}
            fields = {key: self._field(key, one, told=told or key in TOLD) for key, one in mapping.items()}
            # Names of factors and variables are a user's own words, too.
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
        """Return a path that is an argument of its own, or another argument, without them."""
        path = None if _SHELL.search(text) else _WHOLE.fullmatch(text)
        if path is None:
            return self._text(text, told=True)
        return path[1] + self._words.sub("(name)", self._elsewhere(path[2], path[3]))

    def _response(self, text: str) -> str:
        return text if _EVENT.fullmatch(text) else self._text(text, told=True)

    def _text(self, text: str, *, told: bool) -> str:
        text = _ADDRESS.sub("(address)", text)
        if told:
            # First, because a path of which the folder was replaced would be found once more.
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
    """Return the logins that a study names, and the own one."""
    people = set(re.findall(r"/(?:home|Users)/([\w.-]+)", text)) | _variables(text, "USER|LOGNAME|SUDO_USER")
    people |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "SUDO_USER")}
    with suppress(OSError, KeyError):
        people.add(getpass.getuser())
    return people - {"", "root"}


def _hosts(text: str) -> set[str]:
    """Return the names of this machine and of those that a study names, whole and without their domain."""
    hosts = {socket.gethostname(), socket.getfqdn()} | _variables(text, "HOST|HOSTNAME")
    return (hosts | {name.partition(".")[0] for name in hosts}) - {"", "localhost"}


def _variables(text: str, names: str) -> set[str]:
    """Return the values of environment variables, as TOML or JSON writes them."""
    return set(re.findall(rf"""\b(?:{names})["']?\s*[=:]\s*["']([\w.-]+)["']""", text))


def _version(kernel: str) -> str:
    """Return a kernel's version: behind it stands who built it."""
    return kernel.partition("-")[0]
