"""Reads files; any problem becomes one error with the file, the reason, and what to try.

A folder may come from anywhere, so sizes are known before anything is read, and numbers are no larger than knee writes.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from knee.store.check import Check
from knee.store.types import SCHEMA, StudyError

TOGETHER = 256
"""Lines parsed at once: their objects then share field names, which saves most of the memory of large studies."""

MOST_BYTES = 64 << 20
"""Largest file that is read as a whole. The description of a machine of 8192 cpus has 2 MB."""

MOST_IN_A_LINE = 16 << 20
"""Largest line of a plan or of records, in bytes. A record of 400 threads has 200 kB."""

LARGEST = 1 << 64
"""Whole numbers are smaller than this, as are all counters."""

OTHER_VERSION = "use the version of knee that wrote it"


class NotWritten(ValueError):
    """The reason why a text was not written by knee. ``hint`` replaces the file's own hint, if given."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


def opened(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises
    ------
    OSError
        Also for anything that is no regular file: a pipe would wait for a writer, a device may never end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def text(path: Path, hint: str | None = None, *, what: str = "", most: int = MOST_BYTES) -> str:
    """Return the text of a file of at most this many bytes; ``what`` names it in messages: `` the study``."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise StudyError(f"cannot read{what}: {path}: it has {size} bytes, more than {most}", hint=hint)
            return file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"cannot read{what}: {path}: {reason_of(error)}", hint=hint) from error


def toml(words: str, *, finite: bool = False) -> dict[str, Any]:
    """Return the tables of a TOML text; with ``finite``, infinity and NaN are refused as well.

    Raises
    ------
    NotWritten
        When it is not TOML, is nested too deeply, or has a number that is too large.
    """
    try:
        tables = tomllib.loads(words)
        _check_numbers(tables, finite=finite)
    except tomllib.TOMLDecodeError as error:
        raise NotWritten(str(error)) from error
    except RecursionError as error:
        raise NotWritten("it is nested too deeply") from error
    except ValueError as error:
        # Python converts at most 4300 digits, and says so in its own words.
        raise NotWritten("a number has too many digits" if "digits" in str(error) else str(error)) from error
    return tables


def _check_numbers(value: object, *, finite: bool) -> None:
    if isinstance(value, dict | list):
        for one in (
            cast("dict[str, object]", value).values() if isinstance(value, dict) else cast("list[object]", value)
        ):
            _check_numbers(one, finite=finite)
    elif isinstance(value, int) and abs(value) >= LARGEST:
        raise NotWritten("a number has too many digits")
    elif finite and isinstance(value, float) and not math.isfinite(value):
        raise NotWritten(f"{value} is not a valid number")


def whole(path: Path, check: Check, what: str, hint: str) -> dict[str, Any]:
    """Return the one object that a file holds."""
    try:
        return _object(text(path, hint).encode(), check)
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
        with opened(path) as file:
            numbered: list[tuple[int, bytes]] = []
            size = 0
            for number, line in enumerate(iter(lambda: file.readline(MOST_IN_A_LINE + 1), b""), 1):
                if len(line) > MOST_IN_A_LINE:
                    raise _bad_line(path, number, NotWritten(f"it has more than {MOST_IN_A_LINE} bytes"), hint)
                if line.strip() and (line.endswith(b"\n") or not torn):
                    numbered.append((number, line))
                    size += len(line)
                if len(numbered) == TOGETHER or size > MOST_IN_A_LINE:
                    yield from _together(path, numbered, check, hint)
                    numbered, size = [], 0
            yield from _together(path, numbered, check, hint)
    except OSError as error:
        raise StudyError(f"cannot read: {path}: {reason_of(error)}", hint=hint) from error


def _together(
    path: Path, numbered: list[tuple[int, bytes]], check: Check, hint: str
) -> Iterator[tuple[int, dict[str, Any]]]:
    data = b"[" + b",".join(line for _, line in numbered) + b"]"
    try:
        found = cast("list[object]", _value(data))
    except NotWritten:
        found = []
    if len(found) != len(numbered):
        _blame(path, numbered, check, hint)
    signed = _may_be_negative(data)
    for (number, _), one in zip(numbered, found, strict=True):
        try:
            yield number, _checked(one, check, signed=signed)
        except NotWritten as error:
            raise _bad_line(path, number, error, hint) from error


def _blame(path: Path, numbered: list[tuple[int, bytes]], check: Check, hint: str) -> NoReturn:
    for number, line in numbered:
        try:
            _object(line, check)
        except NotWritten as error:
            raise _bad_line(path, number, error, hint) from error
    raise StudyError(f"cannot read: {path}: it does not have one object per line", hint=hint)


def _bad_line(path: Path, number: int, error: NotWritten, hint: str) -> StudyError:
    return StudyError(f"cannot read line {number}: {path}: {error}", hint=error.hint or hint)


def _object(data: bytes, check: Check) -> dict[str, Any]:
    return _checked(_value(data), check, signed=_may_be_negative(data))


def _may_be_negative(data: bytes) -> bool:
    """Whether JSON may hold a negative number, which few lines do: only then are the numbers looked at one by one."""
    return _NEGATIVE.search(data) is not None


def _checked(value: object, check: Check, *, signed: bool) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotWritten("it is not an object")
    found = cast("dict[str, Any]", value)
    check_schema(found.get("schema"))
    reason = check.mismatch(found) or (check.too_small(found) if signed else None)
    if reason:
        raise NotWritten(reason)
    return found


def check_schema(found: object) -> None:
    """Raise :class:`NotWritten` unless this is the supported version of the schema."""
    if found is None:
        raise NotWritten("it has no schema, so knee did not write it")
    if found != SCHEMA:
        raise NotWritten(f"schema {found}, this version of knee reads {SCHEMA}", OTHER_VERSION)


def _value(data: bytes) -> object:
    try:
        # A function called for every whole number would take as long as all the rest.
        decoder = _CAREFUL if LONG in data.translate(DIGITS) else _DECODER
        found: object = decoder.decode(data.decode("utf-8"))
        # JSON can hold half a character (\ud800), which could not be written to a file later.
        if b"\\ud" in data or b"\\uD" in data:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise NotWritten(reason_of(error)) from error
    except json.JSONDecodeError as error:
        raise NotWritten(f"invalid JSON from column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise NotWritten(f"invalid JSON: {error}") from error
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a valid number")


def _float(digits: str) -> float:
    found = float(digits)
    if not math.isfinite(found):
        _no_number(digits if len(digits) < 20 else f"a number of {len(digits)} digits")
    return found


def _int(digits: str) -> int:
    if len(digits) > len(LONG) + 1 or abs(int(digits)) >= LARGEST:
        _no_number(digits if len(digits) < 30 else f"a number of {len(digits)} digits")
    return int(digits)


DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else ord(" ") for byte in range(256))
LONG = b"0" * 20
"""Digits of the largest whole number, for a table in which all digits are 0."""

_NEGATIVE = re.compile(rb"[:,\[]\s*-")
_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_float)
_CAREFUL = json.JSONDecoder(parse_constant=_no_number, parse_float=_float, parse_int=_int)


def reason_of(error: OSError | UnicodeDecodeError) -> str:
    """Return the system's reason for an error."""
    return error.strerror or "no reason given" if isinstance(error, OSError) else "not text"
