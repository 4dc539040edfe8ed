"""The tables of docs/studies/README.md: a row for each statement of an original, with the claims that test it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HEADER = ["statement", "where"]
QUOTED = re.compile(r'\[?`?([\w.-]+\.toml)`?\]?(?:\([^)]*\))?: "([^"]+)"')
NONE = "no claim:"
FEWEST_WORDS = 5
"""Of a reason why no claim tests a statement."""

ORIGINALS = re.compile(r"Peregrine|Flare|Kyrola|Deters|GHC")
"""Names in the source of a claim that say that an original claims this."""


@dataclass(frozen=True)
class Row:
    """A row: the key of a statement, the statement, and the text of its second cell."""

    key: str
    statement: str
    where: str

    @property
    def quoted(self) -> list[tuple[str, str]]:
        """The claims that it quotes: file and sentence."""
        return [] if self.where.startswith(NONE) else QUOTED.findall(self.where)


def rows(page: str) -> list[Row]:
    """Return the rows of all tables with the two columns."""
    found: list[Row] = []
    inside = False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells == HEADER:
            inside = True
        elif not cells:
            inside = False
        elif inside and set("".join(cells)) - set(":- "):
            key, _, statement = cells[0].removeprefix("`").partition("`")
            found.append(Row(key, statement.strip(" :."), " | ".join(cells[1:])))
        elif inside and not line.strip("|-: "):
            # The line below the header, or an empty row.
            found += [] if "-" in line else [Row("", "", "")]
    return found


def claims(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Return the claims of every study file that has some, by the name of the file."""
    files = {path.name: tomllib.loads(path.read_text()).get("claim", []) for path in sorted(folder.glob("*.toml"))}
    return {name: having for name, having in files.items() if having}


def faults(page: str, files: dict[str, list[dict[str, str]]], keys: dict[str, str]) -> Iterator[str]:
    """Return what is wrong with a page: with its rows, and what is missing in it."""
    found = rows(page)
    for row in found:
        yield from _of_a_row(row, files, keys)
    having = [row.key for row in found]
    yield from (f"{key}: it has no row: {said}" for key, said in keys.items() if key not in having)
    yield from (f"{key}: it has several rows" for key in keys if having.count(key) > 1)
    quoted = {one for row in found for one in row.quoted}
    for name, those in files.items():
        for claim in those:
            if ORIGINALS.search(claim.get("source", "")) and (name, claim["says"]) not in quoted:
                yield f"{name}: no row quotes its claim {claim['says']!r}"


def _of_a_row(row: Row, files: dict[str, list[dict[str, str]]], keys: dict[str, str]) -> Iterator[str]:
    where = f"{row.key or 'a row'}:"
    if row.key not in keys:
        yield f"{where} it is no key of a statement"
    if not row.statement:
        yield f"{where} it does not say what the statement is"
    if row.where.startswith(NONE):
        if len(row.where.removeprefix(NONE).split()) < FEWEST_WORDS:
            yield f"{where} the reason why there is no claim is too short: {row.where!r}"
        return
    if not row.quoted or QUOTED.sub("", row.where).strip(" ;"):
        yield f"{where} it neither quotes claims nor says why there is none: {row.where!r}"
    for name, said in row.quoted:
        if said not in [claim["says"] for claim in files.get(name, [])]:
            yield f"{where} {name} has no claim {said!r}"
