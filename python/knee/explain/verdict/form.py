"""The form of a verdict: one headline of at most 100 characters, then at most five short lines.

The terminal and the report print the same lines, and ``analysis.json`` has them as ``verdict``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

WIDEST = 100
"""Characters of a headline at most."""

MOST_LINES = 5

INTERVAL = re.compile(r" \[[^]]*\]")

FOLDER = "FOLDER"
"""Placeholder for the study's folder in commands, since an analysis does not know its folder's path."""

Status = Literal["decided", "undecided", "disturbed", "none"]
"""``disturbed``: other programs may have changed the answer. ``none``: there is nothing to judge."""

ORDER = (
    "seen",
    "knee",
    "use",
    "why",
    "decide",
    "also",
    "claims",
    "rejected",
    "threads",
    "disturbed",
    "beyond",
    "check",
    "rests on",
    "do",
)
"""Labels in the order in which they are printed."""

IMPORTANCE = (
    "rejected",
    "threads",
    "seen",
    "disturbed",
    "do",
    "why",
    "also",
    "knee",
    "use",
    "claims",
    "check",
    "decide",
    "rests on",
    "beyond",
)
"""Labels by importance: when there are too many lines, those at the end of this list are left out."""


@dataclass(frozen=True)
class Line:
    """A line of a verdict: a label of one or two words, and a text."""

    label: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """The verdict of a study. ``lines`` follow the headline in reading order."""

    status: Status
    headline: str
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        """Return the headline and the lines as plain text."""
        width = max((len(line.label) for line in self.lines), default=0)
        return "\n".join([self.headline, *(f"  {line.label:<{width}}  {line.text}" for line in self.lines)])


def verdict(status: Status, name: str, said: str, lines: Iterable[Line]) -> Verdict:
    """Return a verdict whose headline is ``said``, cut at a clause if it is too long, and whose lines are the most
    important.

    Clauses are separated by ``; ``. The name of a study is shortened before a clause is left out.
    """
    return Verdict(status, _headline(name, said), _chosen(lines))


def _headline(name: str, said: str) -> str:
    clauses = said.split("; ")
    if len(_short(name)) + 2 + len(said) > WIDEST:
        # The tables have the interval of a second clause; the headline must still mention a loss.
        clauses[1:] = [INTERVAL.sub("", clause) for clause in clauses[1:]]
    while len(clauses) > 1 and len(_short(name)) + 2 + len("; ".join(clauses)) > WIDEST:
        clauses.pop()
    rest = "; ".join(clauses)
    room = max(WIDEST - 2 - len(rest), 8)
    whole = f"{name if len(name) <= room else name[: room - 1].rstrip() + '…'}: {rest}"
    return whole if len(whole) <= WIDEST else whole[: WIDEST - 1].rstrip() + "…"


def _short(name: str) -> str:
    return name[:12]


def _chosen(lines: Iterable[Line]) -> tuple[Line, ...]:
    ranked = sorted(lines, key=lambda line: IMPORTANCE.index(line.label))[:MOST_LINES]
    return tuple(sorted(ranked, key=lambda line: ORDER.index(line.label)))
