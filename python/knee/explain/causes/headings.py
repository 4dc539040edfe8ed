"""Reads the four headings of a cause's docstring, for ``knee help causes`` and the reference."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass

from knee.explain.causes.cause import Cause

HEADINGS = ("What it sees", "Why the curve bends", "How to test it", "How to move it")


@dataclass(frozen=True)
class Description:
    """The name of a cause, and the text below each heading."""

    name: str
    parts: dict[str, str]


def description(cause: Cause) -> Description:
    """Read the docstring of a cause: its name, then each heading with indented lines below it.

    Raises
    ------
    ValueError
        When a heading is missing or empty.
    """
    first, *lines = inspect.cleandoc(cause.__doc__ or "").splitlines()
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
