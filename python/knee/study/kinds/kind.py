"""Kinds of values that an option takes: numbers, text, choices, lists."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import StudyError, one_of
from knee.study.kinds.near import suggestion
from knee.study.kinds.study_file import StudyFile
from knee.study.kinds.text import checked_counters

Schema = dict[str, Any]
"""A part of a JSON schema."""


class Kind(ABC):
    """What values an option takes, and how they are written."""

    def from_words(self, value: Any, flag: str) -> Any:
        """Return the value from the text after a flag on the command line: all of the texts of a repeated flag.

        Raises
        ------
        StudyError
            With the flag and what is wrong with its value.
        """
        del flag
        return value

    def from_flags(self, values: dict[str, Any]) -> Any:
        """Return the value from all of the option's flags that are given; most options have one."""
        ((flag, value),) = values.items()
        return self.from_words(value, flag)

    @abstractmethod
    def from_toml(self, value: Any, key: str, file: StudyFile) -> Any:
        """Return the value from that of a key in a study file.

        Raises
        ------
        StudyError
            With the file, the line, the key and what is wrong with it.
        """

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON schema of the values in a study file."""


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two others."""

    low: int
    high: int

    def from_words(self, value: Any, flag: str) -> int:
        if not value.isascii() or not value.isdecimal() or not self.low <= int(value) <= self.high:
            raise StudyError(f"{flag}: {value!r} is not a whole number from {self.low} to {self.high}")
        return int(value)

    def from_toml(self, value: Any, key: str, file: StudyFile) -> int:
        number = file.number(value, key, self.low, self.high)
        if number != int(number):
            raise file.fail(key, f"{value!r} is not a whole number")
        return int(number)

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Number(Kind):
    """A number between two others; ``read`` reads it from text with a unit, like 5% or 90s."""

    low: float
    high: float
    read: Callable[[str, str], float] | None = None

    def from_words(self, value: Any, flag: str) -> float:
        try:
            number = float(value) if self.read is None else self.read(value, flag)
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high:
            raise StudyError(f"{flag}: {value!r} is not a number from {self.low:g} to {self.high:g}")
        return number

    def from_toml(self, value: Any, key: str, file: StudyFile) -> float:
        return file.number(value, key, self.low, self.high)

    def schema(self) -> Schema:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


class Switch(Kind):
    """True or false; on the command line a flag without a value."""

    def from_toml(self, value: Any, key: str, file: StudyFile) -> bool:
        if not isinstance(value, bool):
            raise file.fail(key, "it is not true or false")
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


class Text(Kind):
    """Any text."""

    def from_toml(self, value: Any, key: str, file: StudyFile) -> str:
        return file.text(value, key)

    def schema(self) -> Schema:
        return {"type": "string"}


class File(Text):
    """The path of a file, found from the folder of the study file."""

    def from_words(self, value: Any, flag: str) -> str:
        return str(Path(super().from_words(value, flag)).resolve())

    def from_toml(self, value: Any, key: str, file: StudyFile) -> str:
        return str((file.path.parent / super().from_toml(value, key, file)).resolve())


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    words: tuple[str, ...]

    def from_words(self, value: Any, flag: str) -> str:
        if value not in self.words:
            hint = suggestion(value, self.words)
            raise StudyError(f"{flag}: bad value {value!r}; expected {one_of(self.words)}", hint=hint)
        return value

    def from_toml(self, value: Any, key: str, file: StudyFile) -> str:
        word = file.text(value, key)
        if word not in self.words:
            hint = suggestion(word, self.words)
            raise file.fail(key, f"bad value {word!r}; expected {one_of(self.words)}", hint)
        return word

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


class Names(Kind):
    """A list of names; with commas on the command line."""

    def from_words(self, value: Any, flag: str) -> list[str]:
        return checked_counters(_binary.counter_names(value), flag)

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[str]:
        return file.names(value, key)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"}}


class Distinct(Names):
    """A list of names without repetitions."""

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[str]:
        return checked_counters(super().from_toml(value, key, file), file.where(key))

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}


class NamesOrNone(Names):
    """A list of names; on the command line ``none`` is the empty list."""

    def from_words(self, value: Any, flag: str) -> list[str]:
        del flag
        names = [name for name in value.split(",") if name]
        return [] if names == ["none"] else names
