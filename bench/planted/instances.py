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

TABLES: dict[Half, tuple[str, ...]] = {
    "tune": ("programs", "natural", "opened", "opened_natural"),
    "score": ("held_out", "held_out_natural"),
}
"""Tables of our own programs, and of dials of other people's, by half. Those that are scored were written by others, as
were those that are opened: they were scored before.
"""

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
    directory: Path = Path()
    answer: str | None = None
    """Shell command that makes of the output what every setting has in common."""
    loaded: bool = False

    @property
    def name(self) -> str:
        """Its name, which is also the name of its files."""
        return f"{self.program}-{self.dial}{'-loaded' if self.loaded else ''}"


@dataclass(frozen=True)
class Places:
    """Folders of what the instances need."""

    built: Path
    """Our own programs, from build.sh."""
    inputs: Path
    """Inputs of the other programs, from natural.sh."""
    venv: Path
    """Python environment of the other programs, from natural.sh."""

    def filled(self, text: str) -> str:
        """Return text with the folders in place of their names."""
        for name, folder in (("built", self.built), ("folder", self.inputs), ("venv", self.venv)):
            text = text.replace(f"{{{name}}}", str(folder.absolute()))
        return text


def instances(half: Half, places: Places) -> list[Instance]:
    """Return the instances of one half of the programs, those under load last.

    Parameters
    ----------
    half
        The half of the programs: one to tune the explanation's thresholds, the other to score it.
    places
        Folders of what they need.
    """
    calm = [*_own(half, places), *_natural(half, places)]
    draw = random.Random(f"drawn {half}")
    loaded = draw.sample(range(len(calm)), round(LOADED * len(calm)))
    return calm + [replace(calm[number], loaded=True) for number in sorted(loaded)]


def _programs(half: Half, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the entries of one kind (``program``, ``family``, ``clean``) that are in this half."""
    for name in TABLES[half]:
        yield from tomllib.loads((FOLDER / f"{name}.toml").read_text()).get(kind, [])


def _own(half: Half, places: Places) -> Iterator[Instance]:
    for one in _programs(half, "program"):
        words = [places.filled(str(word)) for word in one["command"]]

        def command(dial: object, work: object, words: list[str] = words) -> tuple[str, ...]:
            return (*words, "{threads}", str(dial), str(work))

        for work in one.get("clean_works", [one["work"]]):
            yield _clean(one, f"0-work-{work}", command(0, work))
        for dial in one["dials"]:
            base, at_dial = command(0, one["work"]), command(dial, one["work"])
            # The dial of a decoy turns on what only looks like a cause.
            yield _planted(one, str(dial), at_dial, base) if "cause" in one else _clean(one, str(dial), at_dial)


def _natural(half: Half, places: Places) -> Iterator[Instance]:
    for one in _programs(half, "family"):
        for dial in one["dials"]:
            off, on = (_shell(one[side].replace("{dial}", str(dial)), places) for side in ("off", "on"))
            yield replace(_planted(one, str(dial), on, off), directory=places.inputs, answer=one.get("answer"))
    for one in _programs(half, "clean"):
        made = _clean(one | {"name": f"clean-{one['name']}"}, "0", _shell(one["command"], places))
        yield replace(made, directory=places.inputs, answer=one.get("answer"))


def _shell(text: str, places: Places) -> tuple[str, ...]:
    return ("sh", "-c", places.filled(text))


def _clean(one: dict[str, Any], dial: str, command: tuple[str, ...]) -> Instance:
    return Instance(one["name"], dial, None, (), frozenset(one.get("also", [])), command, command)


def _planted(one: dict[str, Any], dial: str, command: tuple[str, ...], base: tuple[str, ...]) -> Instance:
    acceptable = tuple(frozenset(names) for names in one["acceptable"])
    if frozenset([one["cause"]]) not in acceptable or max(map(len, acceptable)) > 3:
        raise ValueError(f"{one['name']}: its own cause must be acceptable, and groups have at most three names")
    return Instance(one["name"], dial, one["cause"], acceptable, frozenset(one.get("also", [])), command, base)
