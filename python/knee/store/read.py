"""Reads files; any problem becomes one error with the file, the reason, and what to try."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn, cast

from knee.store.check import Check
from knee.store.types import SCHEMA, StudyError

TOGETHER = 256
"""Lines parsed at once: their objects then share field names, which saves most of the memory of large studies."""

OTHER_VERSION = "use the version of knee that wrote it"


class NotWritten(ValueError):
    """The reason why a text was not written by knee. ``hint`` replaces the file's own hint, if given."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


def text(path: Path, hint: str | None = None) -> str:
    """Return a file's text."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"cannot read: {path}: {reason_of(error)}", hint=hint) from error


def whole(path: Path, check: Check, what: str, hint: str) -> dict[str, Any]:
    """Return the one object that a file holds."""
    try:
        return _object(text(path, hint), check)
    except NotWritten as error:
        raise StudyError(f"cannot read {what}: {path}: {error}", hint=error.hint or hint) from error


def lines(path: Path, check: Check, hint: str, *, torn: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the object of every line with its line number; blank lines are skipped.

    Parameters
    ----------
    path, check
        The file, and the check of each object in it.
    hint
        What to try if a line is damaged.
    torn
        Whether to ignore an incomplete last line, left when a writer was killed.
    """
    try:
        with path.open("rb") as file:
            numbered: list[tuple[int, bytes]] = []
            for number, line in enumerate(file, 1):
                if line.strip() and (line.endswith(b"\n") or not torn):
                    numbered.append((number, line))
                if len(numbered) == TOGETHER:
                    yield from _together(path, numbered, check, hint)
                    numbered = []
            yield from _together(path, numbered, check, hint)
    except OSError as error:
        raise StudyError(f"cannot read: {path}: {reason_of(error)}", hint=hint) from error


def _together(
    path: Path, numbered: list[tuple[int, bytes]], check: Check, hint: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        found = cast("list[object]", _value(f"[{_utf8(b','.join(line for _, line in numbered))}]"))
    except NotWritten:
        found = []
    if len(found) != len(numbered):
        _blame(path, numbered, check, hint)
    for (number, _), one in zip(numbered, found, strict=True):
        try:
            yield number, _checked(one, check)
        except NotWritten as error:
            raise _bad_line(path, number, error, hint) from error


def _blame(path: Path, numbered: list[tuple[int, bytes]], check: Check, hint: str) -> NoReturn:
    for number, line in numbered:
        try:
            _object(_utf8(line), check)
        except NotWritten as error:
            raise _bad_line(path, number, error, hint) from error
    raise StudyError(f"cannot read: {path}: it does not have one object per line", hint=hint)


def _bad_line(path: Path, number: int, error: NotWritten, hint: str) -> StudyError:
    return StudyError(f"cannot read line {number}: {path}: {error}", hint=error.hint or hint)


def _object(words: str, check: Check) -> dict[str, Any]:
    return _checked(_value(words), check)


def _checked(value: object, check: Check) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotWritten("it is not an object")
    found = cast("dict[str, Any]", value)
    check_schema(found.get("schema"))
    reason = check.mismatch(found)
    if reason:
        raise NotWritten(reason)
    return found


def check_schema(found: object) -> None:
    """Raise :class:`NotWritten` unless this is the supported version of the schema."""
    if found is None:
        raise NotWritten("it has no schema, so knee did not write it")
    if found != SCHEMA:
        raise NotWritten(f"schema {found}, this version of knee reads {SCHEMA}", OTHER_VERSION)


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotWritten(reason_of(error)) from error


def _value(words: str) -> object:
    try:
        found: object = _DECODER.decode(words)
        # JSON can hold half a character (\ud800), which could not be written to a file later.
        if "\\ud" in words:
            json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise NotWritten(f"invalid JSON from column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise NotWritten(f"invalid JSON: {error}") from error
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a valid number")


_DECODER = json.JSONDecoder(parse_constant=_no_number)


def reason_of(error: OSError | UnicodeDecodeError) -> str:
    """Return the system's reason for an error."""
    return error.strerror or "no reason given" if isinstance(error, OSError) else "not text"
