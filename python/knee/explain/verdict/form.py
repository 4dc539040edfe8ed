"""The form of a verdict: one headline of at most 100 characters, then at most eight short lines.

The terminal and the report print the same lines, and ``analysis.json`` has them as ``verdict``.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from knee.store import shown

WIDEST = 100
"""Characters of a headline at most."""

OF_A_NAME = 8
"""Characters of a study's name for which a headline always has room."""

MOST_LINES = 8

INTERVAL = re.compile(r" \[[^]]*\]")
NAMES = re.compile(r" \([^()]*\)")
OF_LEVELS = re.compile(r"( of \d+) levels of \S+")

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
    "phases",
    "move",
    "without",
    "tried",
    "also",
    "claims",
    "rejected",
    "virtual",
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
    "virtual",
    "threads",
    "seen",
    "disturbed",
    "do",
    "why",
    "move",
    "without",
    "tried",
    "also",
    "phases",
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
    whole: str = ""
    """The headline without a limit of its length, for a page, which has room."""

    def __str__(self) -> str:
        """Return the headline and the lines as plain text."""
        width = max((len(line.label) for line in self.lines), default=0)
        return shown("\n".join([self.headline, *(f"  {line.label:<{width}}  {line.text}" for line in self.lines)]))


def verdict(status: Status, name: str, said: str, lines: Iterable[Line]) -> Verdict:
    """Return a verdict whose headline is ``said`` after the study's name, and whose lines are the most important.

    Clauses are separated by ``; ``. What is too long is shortened in this order: the name, intervals of later clauses,
    these clauses, intervals of the first one, what it names in brackets, and the factor of which it counts levels.
    """
    return Verdict(status, _headline(name, said), _chosen(lines), f"{name}: {said}")


def _headline(name: str, said: str) -> str:
    room = WIDEST - len(": ")
    kept = min(len(name), OF_A_NAME)
    sentences = [*_shorter(said)]
    for rest in sentences:
        if kept + len(rest) <= room:
            space = room - len(rest)
            short = name if len(name) <= space else name[: space - 1].rstrip() + "…"
            return f"{short}: {rest}"
    # Only one of both is cut, and words stay whole: a cut name before a cut sentence would say too little.
    return textwrap.shorten(f"{name[:kept].rstrip()}: {sentences[-1]}", WIDEST, placeholder="…")


def _shorter(said: str) -> Iterator[str]:
    """Yield a sentence, and then ever shorter ones: the tables have what is left out, but a loss must be mentioned."""
    first, *others = said.split("; ")
    yield said
    others = [INTERVAL.sub("", clause) for clause in others]
    for many in range(len(others), -1, -1):
        yield "; ".join([first, *others[:many]])
    plain = INTERVAL.sub("", first)
    yield plain
    plain = NAMES.sub("", plain)
    yield plain
    yield OF_LEVELS.sub(r"\1", plain)


def _chosen(lines: Iterable[Line]) -> tuple[Line, ...]:
    ranked = sorted(lines, key=lambda line: IMPORTANCE.index(line.label))[:MOST_LINES]
    return tuple(sorted(ranked, key=lambda line: ORDER.index(line.label)))
