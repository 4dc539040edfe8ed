"""Instances: a program at one setting of its dial, from the tables of programs."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent

Half = Literal["tune", "score"]
HALVES: tuple[Half, ...] = ("tune", "score")

LOADED = 1 / 3
"""Share of the instances that are measured a second time under load."""

Names = frozenset[str]


@dataclass(frozen=True)
class Instance:
    """A program at one setting of its dial. In commands ``{threads}`` stands for the thread count."""

    program: str
    dial: str
    cause: str | None
    """The planted cause; None at dial 0."""
    acceptable: tuple[Names, ...]
    """Names that a finding may have: the cause alone, or a group."""
    also: Names
    """Causes that the program truly has at any dial."""
    command: tuple[str, ...]
    base: tuple[str, ...]
    """The command at dial 0."""
    loaded: bool = False

    @property
    def name(self) -> str:
        """Its name, which is also the name of its files."""
        return f"{self.program}-{self.dial}{'-loaded' if self.loaded else ''}"


def instances(half: Half, built: Path) -> list[Instance]:
    """Return the instances of one half of the programs, those under load last.

    Parameters
    ----------
    half
        The half of the programs: one to tune the explanation's thresholds, the other to score it.
    built
        Folder of the built programs, the inputs and the environment of the other programs.
    """
    calm = [*_own(_table("programs", half), built), *_natural(_table("natural", half), built)]
    draw = random.Random(f"loaded {half}")
    drawn = draw.sample(range(len(calm)), round(LOADED * len(calm)))
    return calm + [replace(calm[number], loaded=True) for number in sorted(drawn)]


def _table(name: str, half: Half) -> list[dict[str, Any]]:
    path = FOLDER / f"{name}.toml"
    tables = tomllib.loads(path.read_text()) if path.exists() else {}
    return [one for one in tables.get("program", []) if one["half"] == half]


def _own(programs: list[dict[str, Any]], built: Path) -> Iterator[Instance]:
    for one in programs:
        words = [str(word).replace("{built}", str(built.absolute())) for word in one["command"]]

        def command(dial: object, work: object, words: list[str] = words) -> tuple[str, ...]:
            return (*words, "{threads}", str(dial), str(work))

        for work in one.get("clean_works", [one["work"]]):
            yield _clean(one, f"0-work-{work}", command(0, work))
        for dial in one["dials"]:
            base = command(0, one["work"])
            yield _planted(one, str(dial), command(dial, one["work"]), base)


def _natural(programs: list[dict[str, Any]], built: Path) -> Iterator[Instance]:
    for one in programs:

        def command(text: str) -> tuple[str, ...]:
            return ("sh", "-c", text.replace("{built}", str(built.absolute())))

        off = command(one["off"])
        yield _clean(one, "0", off)
        for dial in one.get("dials", []):
            yield _planted(one, str(dial), command(one["on"].replace("{dial}", str(dial))), off)


def _clean(one: dict[str, Any], dial: str, command: tuple[str, ...]) -> Instance:
    return Instance(one["name"], dial, None, (), frozenset(one.get("also", [])), command, command)


def _planted(one: dict[str, Any], dial: str, command: tuple[str, ...], base: tuple[str, ...]) -> Instance:
    acceptable = tuple(frozenset(names) for names in one["acceptable"])
    if frozenset([one["cause"]]) not in acceptable or max(map(len, acceptable)) > 3:
        raise ValueError(f"{one['name']}: its own cause must be acceptable, and groups have at most three names")
    return Instance(one["name"], dial, one["cause"], acceptable, frozenset(one.get("also", [])), command, base)
