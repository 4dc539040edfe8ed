"""Factors and their levels: which vary, which cells are left out, which argument grows with the threads."""

from __future__ import annotations

import re
from typing import Any, cast

from knee.store import Level, StudyError
from knee.store.claims import is_level
from knee.study.kinds.kind import Kind, Schema
from knee.study.kinds.study_file import StudyFile
from knee.study.kinds.text import weak

RESERVED = ("threads", "placement", "memory", "bind", "cache")
"""Factors that say where and how a program runs; others are arguments, or variables written ``env:NAME``."""

CHOICES = {"bind": ("each", "set"), "cache": ("cold", "warm")}
"""What there is to choose from: as an option, in a study file, and as levels of a factor."""

COUNTS = ("cores", "cpus")
"""Thread counts that are the machine's own: as many as there are cores, or cpus, that knee may use."""

LEVEL: Schema = {"type": ["string", "number"]}


class Factors(Kind):
    """Factors with their levels."""

    def from_words(self, value: Any, flag: str) -> dict[str, list[Level]]:
        return dict(_factor(text, flag) for text in value)

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, list[Level]]:
        factors: dict[str, list[Level]] = {}
        for name, levels in file.table(value, key).items():
            if not isinstance(levels, list) or not levels:
                raise file.fail(f"{key}.{name}", "it is not a list of levels")
            if not all(map(is_level, cast("list[Any]", levels))):
                raise file.fail(f"{key}.{name}", "a level is text or a number")
            factors[name] = _checked(name, cast("list[Level]", levels), file.where(f"{key}.{name}"))
        return factors

    def schema(self) -> Schema:
        threads: Schema = {"oneOf": [{"type": "integer", "minimum": 1}, {"enum": list(COUNTS)}]}
        named = {"threads": threads} | {name: {"enum": list(words)} for name, words in CHOICES.items()}
        return {
            "type": "object",
            "additionalProperties": {"type": "array", "items": LEVEL, "minItems": 1},
            "properties": {name: {"type": "array", "items": items, "minItems": 1} for name, items in named.items()},
        }


class Exclude(Kind):
    """Cells to leave out: tables of levels, or of lists of them."""

    def from_words(self, value: Any, flag: str) -> list[dict[str, list[Level]]]:
        return [_levels(text, flag) for text in value]

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[dict[str, Any]]:
        tables = cast("list[Any]", value) if isinstance(value, list) else list[Any]([None])
        if not all(isinstance(one, dict) and _chooses(cast("dict[str, Any]", one)) for one in tables):
            hint = 'exclude = [{ placement = "none", threads = [3, 4] }]'
            raise file.fail(key, "it is not a list of tables of levels", hint)
        return tables

    def schema(self) -> Schema:
        levels: Schema = {"oneOf": [LEVEL, {"type": "array", "items": LEVEL, "minItems": 1}]}
        return {"type": "array", "items": {"type": "object", "minProperties": 1, "additionalProperties": levels}}


class Weak(Kind):
    """An argument that grows with the threads."""

    def from_words(self, value: Any, flag: str) -> dict[str, Any]:
        return weak(value, flag)

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, Any]:
        table = file.table(value, key, ("argument", "one_thread", "power"))
        argument = file.text(table.get("argument", ""), f"{key}.argument")
        if not argument or "one_thread" not in table:
            hint = 'weak = { argument = "n", one_thread = 1000 }'
            raise file.fail(key, "it names an argument and its value for one thread", hint)
        one = file.number(table["one_thread"], f"{key}.one_thread", 1, 2**53)
        power = file.number(table.get("power", 1), f"{key}.power", 0.1, 10)
        return {"argument": argument, "one_thread": one, "power": power}

    def schema(self) -> Schema:
        power = "The power of the work in the argument: 3 for n x n x n."
        return {
            "type": "object",
            "properties": {
                "argument": {"type": "string", "minLength": 1},
                "one_thread": {"type": "number", "minimum": 1},
                "power": {"type": "number", "minimum": 0.1, "maximum": 10, "description": power},
            },
            "additionalProperties": False,
            "required": ["argument", "one_thread"],
        }


def _factor(text: str, flag: str) -> tuple[str, list[Level]]:
    """Read ``NAME=a,b,c``. Levels that are whole numbers are numbers."""
    name, equals, levels = text.partition("=")
    # An explicit cpu list or a set of nodes holds commas itself: with a semicolon anywhere, only semicolons separate.
    values = [_level(level) for level in levels.split(";" if ";" in levels else ",")]
    if not equals or not name or "" in values:
        raise StudyError(
            f"bad factor: {text!r}", hint="a factor is written NAME=a,b,c, or NAME=0,1;2,3 when levels hold commas"
        )
    return name, _checked(name, values, f"{flag} {text}")


def _levels(text: str, where: str) -> dict[str, list[Level]]:
    """Read ``A=a,B=b``: levels that cells have together."""
    levels: dict[str, list[Level]] = {}
    for part in text.split(","):
        name, equals, level = part.partition("=")
        if not equals or not name or not level:
            raise StudyError(f"{where}: {text!r} does not name levels", hint="for instance placement=none,threads=8")
        levels.setdefault(name, []).append(_level(level))
    return levels


def _level(text: str) -> Level:
    return int(text) if re.fullmatch(r"[0-9]+", text) else text


def _checked(name: str, levels: list[Level], where: str) -> list[Level]:
    """Return levels that make sense, thread counts in order; ``where`` says in a complaint where they stand."""
    if len(set(map(str, levels))) < len(levels):
        raise StudyError(f"{where}: a level comes twice")
    if name == "threads":
        for level in levels:
            # True is 1 to Python, and no count.
            if level not in COUNTS and (type(level) is not int or level < 1):
                raise StudyError(f"{where}: {level!r} is not a number of threads: at least 1, {' or '.join(COUNTS)}")
        levels = sorted(levels, key=lambda level: (level in COUNTS, str(level) if level in COUNTS else int(level)))
    for level in levels if name in CHOICES else ():
        if level not in CHOICES[name]:
            raise StudyError(f"{where}: {level!r} is not one of {', '.join(CHOICES[name])}")
    return levels


def _chooses(table: dict[str, Any]) -> bool:
    """Whether a table chooses cells: each of its values is a level, or a list of some."""
    values = [cast("list[Any]", value) if isinstance(value, list) else [value] for value in table.values()]
    return bool(values) and all(levels and all(map(is_level, levels)) for levels in values)
