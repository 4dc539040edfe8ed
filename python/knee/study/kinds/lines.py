"""Finds the lines of a TOML file's keys, for error messages."""

from __future__ import annotations

import re
import tomllib
from typing import Any

Lines = dict[str, int]
"""Keys, written with dots, to line numbers from 1; tables of an array have their number: ``claim.2.says``."""

MOST_LINES = 200
"""Lines of a value, at most; keys after a longer one have no line in messages."""

_HEADER = re.compile(r"\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*((?:\"[^\"]*\"|'[^']*'|[\w.\- ])+?)\s*=")


def lines(text: str) -> Lines:
    """Return the line of every key and table of a valid TOML text.

    Examples
    --------
    >>> lines(chr(10).join(["name = 'x'", "[design]", "blocks = 5", "[[claim]]", "says = 'y'"]))
    {'name': 1, 'design': 2, 'design.blocks': 3, 'claim.1': 4, 'claim.1.says': 5}
    """
    numbers: Lines = {}
    table, open_ = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if open_:
            open_ += line + "\n"
        elif header := _HEADER.match(line):
            table = _table(header, numbers)
            numbers.setdefault(table, number)
        elif key := _KEY.match(line):
            numbers.setdefault(".".join(filter(None, (table, _path(key[1])))), number)
            open_ = line + "\n"
        # Inside a value of several lines, nothing is a key.
        if open_ and _is_whole(open_):
            open_ = ""
        # Every line is looked at once more with each line that follows, so a long value ends the search.
        if open_.count("\n") > MOST_LINES:
            break
    return numbers


def line_of(numbers: Lines, key: str) -> int | None:
    """Return the line of a key, or of the table around it; None when the file has neither."""
    path = re.sub(r"^(claim|remedy) (\d+)(: |\.)?", r"\1.\2.", key).rstrip(".")
    around = [known for known in numbers if path == known or path.startswith(known + ".")]
    return numbers[max(around, key=len)] if around else None


def _table(header: re.Match[str], numbers: Lines) -> str:
    path = _path(header[2])
    if header[1] == "[":
        # A table inside the last table of an array: [claim.ratio].
        first, _, rest = path.partition(".")
        number = _count(first, numbers)
        return f"{first}.{number}.{rest}" if rest and number else path
    return f"{path}.{_count(path, numbers) + 1}"


def _count(array: str, numbers: Lines) -> int:
    return sum(1 for known in numbers if re.fullmatch(re.escape(array) + r"\.\d+", known))


def _path(key: str) -> str:
    """Return a key without quotes and spaces."""
    names: list[str] = []
    inner: Any = tomllib.loads(f"{key} = 0")
    while inner != 0:
        (name,) = inner
        names.append(name)
        inner = inner[name]
    return ".".join(names)


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
