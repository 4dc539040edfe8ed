"""A study file as tables; every error names the file, the line and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from knee.store import StudyError, read
from knee.study.kinds.lines import line_of, lines
from knee.study.kinds.near import suggestion

LARGEST = 1_000_000
"""Bytes of a study file, at most."""


class StudyFile:
    """A study file, read as TOML.

    Keys are written with dots: ``design.blocks``.

    Raises
    ------
    StudyError
        When the file cannot be read, or is not TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = read.text(path, what=" the study", most=LARGEST)
            self.tables = read.toml(text)
        except read.NotWritten as error:
            raise StudyError(f"cannot read the study: {path}: {error}") from error
        self.lines = lines(text)

    def where(self, key: str) -> str:
        """Return the first words of an error about a key."""
        line = line_of(self.lines, key)
        return f"bad study: {self.path}{f':{line}' if line else ''}: {key}"

    def fail(self, key: str, reason: str, hint: str | None = None) -> StudyError:
        """Return the error about a key."""
        return StudyError(f"{self.where(key)}: {reason}", hint=hint)

    def table(self, value: Any, key: str, known: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a table. Where known keys are given, others are an error."""
        if not isinstance(value, dict):
            raise self.fail(key, "it is not a table")
        table = cast("dict[str, Any]", value)
        for name in table:
            if known and name not in known:
                hint = suggestion(name, known, f"{key} takes {', '.join(known)}")
                raise self.fail(f"{key}.{name}", "unknown key", hint)
        return table

    def number(self, value: Any, key: str, low: float, high: float) -> float:
        """Return a number from ``low`` to ``high``."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self.fail(key, f"{value!r} is not a number from {low:g} to {high:g}")
        return value

    def text(self, value: Any, key: str) -> str:
        """Return text."""
        if not isinstance(value, str):
            raise self.fail(key, "it is not text")
        return value

    def names(self, value: Any, key: str, of: str = "names") -> list[str]:
        """Return a list of texts."""
        if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[Any]", value)):
            raise self.fail(key, f"it is not a list of {of}")
        return cast("list[str]", value)
