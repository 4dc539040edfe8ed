"""Reads tables of a study file; every complaint names the file, the line and the key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from knee.store import StudyError
from knee.study.lines import line_of, lines
from knee.study.spec import CHOICES


class Tables:
    """A study file as tables.

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

    def table(self, tables: dict[str, Any], key: str, known: tuple[str, ...]) -> dict[str, Any]:
        """Return a table; an empty one where there is none. Other keys than the known ones are refused."""
        table = tables.get(key.rpartition(".")[2], {})
        if not isinstance(table, dict):
            raise self.fail(key, "it is not a table")
        found = cast("dict[str, Any]", table)
        for name in found:
            if known and name not in known:
                raise self.fail(f"{key}.{name}", "no such key", f"{key} takes {', '.join(known)}")
        return found

    def number(self, table: dict[str, Any], key: str, default: float, low: float, high: float) -> float:
        """Return a number that lies between two others."""
        value = table.get(key.rpartition(".")[2], default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self.fail(key, f"{value!r} is not a number from {low:g} to {high:g}")
        return value

    def whole(self, table: dict[str, Any], key: str, default: int, low: int, high: int) -> int:
        """Return a whole number that lies between two others."""
        value = self.number(table, key, default, low, high)
        if value != int(value):
            raise self.fail(key, f"{value!r} is not a whole number")
        return int(value)

    def some_number(self, table: dict[str, Any], key: str, low: float, high: float) -> float | None:
        """Return a number that lies between two others; None where there is none."""
        return self.number(table, key, low, low, high) if key.rpartition(".")[2] in table else None

    def flag(self, table: dict[str, Any], key: str) -> bool | None:
        """Return true or false; None where there is nothing."""
        value = table.get(key.rpartition(".")[2])
        if value is not None and not isinstance(value, bool):
            raise self.fail(key, "it is not true or false")
        return value

    def text(self, table: dict[str, Any], key: str) -> str | None:
        """Return text; None where there is none."""
        value = table.get(key.rpartition(".")[2])
        if value is not None and not isinstance(value, str):
            raise self.fail(key, "it is not text")
        return value

    def choice(self, table: dict[str, Any], key: str) -> str | None:
        """Return one of the choices that there are for this key."""
        choices, value = CHOICES[key.rpartition(".")[2]], self.text(table, key)
        if value is not None and value not in choices:
            raise self.fail(key, f"{value!r} is not one of {', '.join(choices)}")
        return value

    def names(self, table: dict[str, Any], key: str, of: str = "names") -> list[str] | None:
        """Return a list of texts; None where there is none."""
        value: Any = table.get(key.rpartition(".")[2])
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[Any]", value)):
            raise self.fail(key, f"it is not a list of {of}")
        return cast("list[str]", value)
