"""A study file as tables; every complaint names the file, the line and the key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from knee.store import StudyError
from knee.study.kinds.lines import line_of, lines


class StudyFile:
    """A study file that is TOML.

    Keys are written with dots: ``design.blocks``.

    Raises
    ------
    StudyError
        When the file cannot be read, or is no TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
            self.tables = tomllib.loads(text)
        except OSError as error:
            raise StudyError(f"cannot read the study: {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise StudyError(f"cannot read the study: {path}: {error}") from error
        self.lines = lines(text)

    def where(self, key: str) -> str:
        """Return the beginning of a complaint about a key."""
        line = line_of(self.lines, key)
        return f"bad study: {self.path}{f':{line}' if line else ''}: {key}"

    def fail(self, key: str, reason: str, hint: str | None = None) -> StudyError:
        """Return the error about a key."""
        return StudyError(f"{self.where(key)}: {reason}", hint=hint)

    def table(self, value: Any, key: str, known: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return a table. Other keys than the known ones are refused, where some are given."""
        if not isinstance(value, dict):
            raise self.fail(key, "it is not a table")
        table = cast("dict[str, Any]", value)
        for name in table:
            if known and name not in known:
                raise self.fail(f"{key}.{name}", "no such key", f"{key} takes {', '.join(known)}")
        return table

    def number(self, value: Any, key: str, low: float, high: float) -> float:
        """Return a number that lies between two others."""
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
