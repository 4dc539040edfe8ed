"""Reads the four headings of the causes' docstrings, for ``knee help causes`` and the reference.

Files are read, not imported: help does not wait for numpy.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADINGS = ("What it sees", "Why the curve bends", "How to test it", "How to move it")

ROOMS = ("idle", "computing", "machine", "symptoms")
"""Folders of causes, in the order in which they are described."""


@dataclass(frozen=True)
class Description:
    """The name of a cause, and the text below each heading."""

    name: str
    parts: dict[str, str]


def descriptions() -> Iterator[Description]:
    """Yield the description of every cause and symptom."""
    for room in ROOMS:
        for path in sorted((Path(__file__).parent / room).glob("[a-z]*.py")):
            yield description(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "")


def description(text: str) -> Description:
    """Read a docstring: the name, then each heading with indented lines below it.

    Raises
    ------
    ValueError
        When a heading is missing or empty.
    """
    first, *lines = inspect.cleandoc(text).splitlines()
    parts: dict[str, str] = {}
    for heading in HEADINGS:
        if heading not in lines:
            raise ValueError(f"cause {first!r} has no heading {heading!r} in its docstring")
        below: list[str] = []
        for line in lines[lines.index(heading) + 1 :]:
            if line and not line.startswith(" "):
                break
            below.append(line)
        parts[heading] = textwrap.dedent("\n".join(below)).strip()
        if not parts[heading]:
            raise ValueError(f"cause {first!r} has nothing below {heading!r} in its docstring")
    return Description(first.rstrip("."), parts)
