"""Values of the options about factors: their levels, excluded cells, the argument that grows with the threads."""

from __future__ import annotations

import itertools
import re
from typing import Any, cast

from knee.store import OWN_COUNTS, Level, StudyError, one_of
from knee.store.claims import is_level
from knee.study.kinds.kind import Kind, Schema
from knee.study.kinds.near import suggestion
from knee.study.kinds.ranges import FORM, OF_COUNTS, checked_open, expanded, is_open, is_range
from knee.study.kinds.study_file import StudyFile
from knee.study.kinds.text import weak

RESERVED = ("threads", "placement", "memory", "bind", "cache")
"""Factors that say where and how a program runs; others are arguments, or variables written ``env:NAME``."""

CHOICES = {"bind": ("each", "set"), "cache": ("cold", "warm")}
"""Levels of these factors; the options and keys of the same names take them, too."""

LEVEL: Schema = {"type": ["string", "number"]}

THREADS_FLAG = "--threads"


class Factors(Kind):
    """Factors with their levels; ``--threads`` is short for the factor threads."""

    def from_flags(self, values: dict[str, Any]) -> dict[str, list[Level]]:
        given = [(flag, text) for flag, texts in values.items() if flag != THREADS_FLAG for text in texts]
        factors = [_factor(text, flag) for flag, text in given]
        if THREADS_FLAG in values:
            factors.append(_threads(values[THREADS_FLAG], THREADS_FLAG))
        return _distinct(factors)

    def from_words(self, value: Any, flag: str) -> dict[str, list[Level]]:
        return _distinct([_factor(text, flag) for text in value])

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, list[Level]]:
        factors: dict[str, list[Level]] = {}
        for name, given in file.table(value, key).items():
            is_one = isinstance(given, str) and is_range(given, counts=name == "threads")
            levels = [given] if is_one else given
            if not isinstance(levels, list) or not levels:
                raise file.fail(f"{key}.{name}", "it is not a list of levels")
            if not all(map(is_level, cast("list[Any]", levels))):
                raise file.fail(f"{key}.{name}", "a level is text or a number")
            where = file.where(f"{key}.{name}")
            _check_variable(name, where)
            written = [_levels_of(name, level, where) for level in cast("list[Level]", levels)]
            factors[name] = _checked(name, [*itertools.chain(*written)], where)
        return factors

    def schema(self) -> Schema:
        counted: Schema = {"type": "string", "pattern": f"^{OF_COUNTS}$"}
        threads: Schema = {"oneOf": [{"type": "integer", "minimum": 1}, {"enum": list(OWN_COUNTS)}, counted]}
        named = {"threads": threads} | {name: {"enum": list(words)} for name, words in CHOICES.items()}
        properties: Schema = {name: _list(items) for name, items in named.items()}
        properties["threads"] = {"oneOf": [properties["threads"], counted]}
        dotted: Schema = {"type": "string", "pattern": f"^{FORM.replace('(-|', '(')}$"}
        return {
            "type": "object",
            "additionalProperties": {"oneOf": [_list(LEVEL), dotted]},
            "properties": properties,
            "propertyNames": {"not": {"pattern": "^env:($|[^=]*=)"}},
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
            raise file.fail(key, "argument or one_thread is missing", hint)
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


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items, "minItems": 1}


Named = tuple[str, list[Level]]
"""A factor: its name and levels."""


def _distinct(factors: list[Named]) -> dict[str, list[Level]]:
    """Return factors by name. One that comes twice would silently lose its first levels."""
    names = [name for name, _ in factors]
    for name in names:
        if names.count(name) > 1:
            both = ",".join(dict.fromkeys(str(level) for one, levels in factors if one == name for level in levels))
            flag = f"{THREADS_FLAG} {both}" if name == "threads" else f"--factor {name}={both}"
            raise StudyError(f"the factor {name} is given twice", hint=f"give all its levels at once: {flag}")
    return dict(factors)


def _factor(text: str, flag: str) -> Named:
    """Read ``NAME=a,b,c``. Levels that are whole numbers are numbers."""
    name, equals, levels = text.partition("=")
    where = f"{flag} {text}"
    # A list of cpus or of nodes contains commas itself: with a semicolon anywhere, only semicolons separate.
    parts = levels.split(";" if ";" in levels else ",")
    if not equals or not name or "" in parts:
        hint = f"a factor is written NAME=a,b,c: {flag} {name or 'threads'}={levels.strip(',') or '1,2'}"
        raise StudyError(f"bad factor: {text!r}", hint=hint)
    _check_variable(name, where)
    if name == "threads":
        return name, _checked(name, _counts(parts, where), where)
    values = [level for part in parts for level in _levels_of(name, _level(name, part), where)]
    return name, _checked(name, values, where)


def _check_variable(name: str, where: str) -> None:
    """Raise :class:`StudyError` if a factor is an environment variable with an invalid name."""
    if re.fullmatch(r"env:([^=\0]*[=\0].*)?", name, re.DOTALL):
        reason = "the variable has no name" if name == "env:" else "the name of a variable must not contain ="
        raise StudyError(f"{where}: {reason}", hint="env:OMP_SCHEDULE=static,dynamic")


def _threads(text: str, flag: str) -> Named:
    """Read the thread counts after ``--threads``."""
    where = f"{flag} {text}"
    return "threads", _checked("threads", _counts(text.split(","), where), where)


def _counts(parts: list[str], where: str) -> list[Level]:
    return [level for part in parts for level in _levels_of("threads", _level("threads", part), where)]


def _levels_of(name: str, level: Level, where: str) -> list[Level]:
    """Return the levels of a range, or a single level as a list. A range that the machine ends stays as it is."""
    if not isinstance(level, str) or not is_range(level, counts=name == "threads"):
        return [level]
    return [checked_open(level, where)] if is_open(level) else [*expanded(level, where)]


def _levels(text: str, where: str) -> dict[str, list[Level]]:
    """Read ``A=a,B=b``: levels that cells have together."""
    levels: dict[str, list[Level]] = {}
    for part in text.split(","):
        name, equals, level = part.partition("=")
        if not equals or not name or not level:
            raise StudyError(f"{where}: {text!r} does not name levels", hint="for instance placement=none,threads=8")
        levels.setdefault(name, []).append(_level(name, level))
    return levels


def _level(name: str, text: str) -> Level:
    # A program gets a level as it was typed: 007 is no 7, unless it counts threads.
    return int(text) if re.fullmatch(r"[0-9]+" if name == "threads" else r"0|[1-9][0-9]*", text) else text


def _checked(name: str, levels: list[Level], where: str) -> list[Level]:
    """Return valid levels, thread counts in order; ``where`` begins an error message."""
    named = [str(level) for level in levels]
    if twice := next((level for level in named if named.count(level) > 1), None):
        raise StudyError(f"{where}: the level {twice} comes twice", hint="leave one out")
    if name == "threads":
        for level in levels:
            # True is 1 to Python, and no count.
            word = isinstance(level, str) and (level in OWN_COUNTS or is_open(level))
            if not word and (type(level) is not int or level < 1):
                begin = cast("re.Match[str]", re.match(r"([0-9]+(-|\.\.))?", str(level)))[0]
                otherwise = "counts from 1 on, a range like 1-8 or 1..cpus:*2, cores, cpus, node-cores, core-cpus"
                hint = suggestion(str(level), [begin + count for count in OWN_COUNTS], otherwise)
                raise StudyError(f"{where}: {level!r} is not a number of threads", hint=hint)
        levels = sorted(levels, key=lambda level: (isinstance(level, str), level))
    for level in levels if name in CHOICES else ():
        if level not in CHOICES[name]:
            hint = suggestion(str(level), CHOICES[name])
            raise StudyError(f"{where}: bad value {level!r}; expected {one_of(CHOICES[name])}", hint=hint)
    return levels


def _chooses(table: dict[str, Any]) -> bool:
    """Whether a table chooses cells: each of its values is a level, or a list of some."""
    values = [cast("list[Any]", value) if isinstance(value, list) else [value] for value in table.values()]
    return bool(values) and all(levels and all(map(is_level, levels)) for levels in values)
