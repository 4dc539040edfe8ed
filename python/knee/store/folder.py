"""The folder of a study: what lies in it, how it is read, and how nothing in it is lost or half written."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from knee.store.types import SCHEMA, Record, Spec, StudyError


@dataclass(frozen=True)
class Folder:
    """The files of a study."""

    path: Path

    @property
    def question(self) -> Path:
        """What was asked: study.toml."""
        return self.path / "study.toml"

    @property
    def plan(self) -> Path:
        """One spec a line, in the order of the runs."""
        return self.path / "plan.jsonl"

    @property
    def machine(self) -> Path:
        """The machine as it was when the study was planned."""
        return self.path / "machine.json"

    @property
    def memory(self) -> Path:
        """What the machine's memory does, if somebody probed it into the folder."""
        return self.path / "machine-memory.json"

    @property
    def records(self) -> Path:
        """One record a line, in the order in which they came."""
        return self.path / "records.jsonl"

    @property
    def samples(self) -> Path:
        """Time series, one gzip CSV a run."""
        return self.path / "samples"

    def check(self) -> None:
        """Raise :class:`StudyError` unless this is the folder of a study."""
        for file in (self.question, self.plan, self.machine):
            if not file.is_file():
                message = f"not the folder of a study: {self.path}: it has no {file.name}"
                raise StudyError(message, hint="`knee study --help` shows how one is made")

    def read_question(self) -> dict[str, Any]:
        """Return the tables of study.toml."""
        try:
            return tomllib.loads(_text(self.question))
        except tomllib.TOMLDecodeError as error:
            raise StudyError(f"cannot read the study: {self.question}: {error}") from error

    def read_measure(self) -> dict[str, Any]:
        """Return how the study measures: the table of that name in study.toml."""
        found = self.read_question().get("measure", {})
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    def read_machine(self) -> dict[str, Any]:
        """Return the machine as ``knee machine --json`` printed it."""
        return _object(self.machine, _text(self.machine), "the machine")

    def read_memory(self) -> dict[str, Any] | None:
        """Return what ``knee memory`` found, if its file is there."""
        return _object(self.memory, _text(self.memory), "the machine's memory") if self.memory.exists() else None

    def read_plan(self) -> list[Spec]:
        """Return every planned run, in order."""
        return [cast("Spec", line) for line in _lines(self.plan, _text(self.plan))]

    def read_records(self) -> list[Record]:
        """Return every record, in the order written. A torn last line counts as never written."""
        if not self.records.exists():
            return []
        # Cut before decoding: a writer may have been killed inside a character.
        whole = _decoded(self.records, lambda data: data[: data.rfind(b"\n") + 1])
        records = [cast("Record", line) for line in _lines(self.records, whole)]
        seen: set[str] = set()
        for record in records:
            if record["id"] in seen:
                raise StudyError(
                    f"run {record['id']} was recorded twice: {self.records}", hint="remove one of its lines"
                )
            seen.add(record["id"])
        return records

    def mend_records(self) -> None:
        """Cut off a last line that was torn when a writer was killed."""
        if self.records.exists():
            data = self.records.read_bytes()
            if not data.endswith(b"\n") and data:
                os.truncate(self.records, data.rfind(b"\n") + 1)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _text(path: Path) -> str:
    return _decoded(path, lambda data: data)


def _decoded(path: Path, part: Callable[[bytes], bytes]) -> str:
    try:
        return part(path.read_bytes()).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise StudyError(f"cannot read: {path}: {reason}") from error


def _object(path: Path, text: str, what: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise StudyError(f"cannot read {what}: {path}: {error}", hint="the file was edited or cut off") from error
    if not isinstance(value, dict):
        raise StudyError(f"cannot read {what}: {path}: it is not an object")
    found = cast("dict[str, Any]", value)
    if found.get("schema") != SCHEMA:
        message = f"cannot read {what}: {path}: schema {found.get('schema')}, this version of knee reads {SCHEMA}"
        raise StudyError(message, hint="use the version of knee that wrote it")
    return found


def _lines(path: Path, text: str) -> list[dict[str, Any]]:
    lines = [line for line in text.split("\n") if line]
    return [_object(path, line, f"line {number}") for number, line in enumerate(lines, 1)]
