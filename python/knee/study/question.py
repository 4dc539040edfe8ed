"""The question: what runs, which factors vary, how often, what is measured, and what is done around the runs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import tomli_w

from knee.store import SCHEMA, Level, StudyError

RESERVED = ("threads", "placement", "memory", "bind", "cache")
"""Factors that say where and how a program runs; others are arguments, or variables written ``env:NAME``."""

STEPS = ("setup", "prepare", "conclude", "cleanup")
"""Shell commands around the runs, in hyperfine's words."""

CHOICES = {"bind": ("each", "set"), "cache": ("cold", "warm")}
"""What there is to choose from: as an option, in a study file, and as levels of a factor."""


@dataclass(frozen=True)
class Question:
    """A study before it is planned. ``factors`` without ``threads`` or ``placement`` get those of the machine.

    None stands for what is usual: ``bind`` each for workloads and set for commands, ``same_output`` for workloads only,
    ``hold`` for the facts that knee holds by itself.
    """

    name: str
    program: dict[str, Any]
    factors: dict[str, list[Level]] = field(default_factory=dict[str, list[Level]])
    blocks: int = 5
    seed: int = 1
    sample_ms: int = 10
    timeout_s: float = 600.0
    metric: dict[str, str] | None = None
    check: dict[str, str] | None = None
    baseline: dict[str, Any] | None = None
    copies: bool = False
    bind: str | None = None
    skip: list[int] = field(default_factory=list[int])
    setup: str | None = None
    prepare: str | None = None
    conclude: str | None = None
    cleanup: str | None = None
    warmup: int = 0
    cache: str | None = None
    census_ms: int | None = None
    same_output: bool | None = None
    hold: list[str] | None = None

    def to_toml(self) -> str:
        """Return the study file that asks the same."""
        design = {"blocks": self.blocks, "seed": self.seed, "copies": self.copies} | self._given("bind", "skip")
        measure: dict[str, Any] = {"sample_ms": self.sample_ms, "timeout_s": self.timeout_s}
        measure |= self._given("census_ms", "metric", "check", "same_output", "warmup", "cache", *STEPS)
        tables: dict[str, Any] = {
            "schema": SCHEMA,
            "name": self.name,
            "program": self.program,
            "factors": self.factors,
            "design": design,
            "measure": measure,
        }
        tables |= {} if self.hold is None else {"hold": {"facts": self.hold}}
        return tomli_w.dumps(tables | self._given("baseline"))

    def _given(self, *names: str) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None and value != []}


def factor(text: str) -> tuple[str, list[Level]]:
    """Read ``NAME=a,b,c``. Levels that are whole numbers are numbers."""
    name, equals, levels = text.partition("=")
    # An explicit cpu list or a set of nodes holds commas itself: with a semicolon anywhere, only semicolons separate.
    values = [_level(level) for level in levels.split(";" if ";" in levels else ",")]
    if not equals or not name or "" in values:
        raise StudyError(
            f"bad factor: {text!r}", hint="a factor is written NAME=a,b,c, or NAME=0,1;2,3 when levels hold commas"
        )
    return checked_factor(name, values, f"--factor {text}")


def _level(text: str) -> Level:
    return int(text) if re.fullmatch(r"[0-9]+", text) else text


def checked_factor(name: str, levels: list[Level], where: str) -> tuple[str, list[Level]]:
    """Return a factor whose levels make sense; ``where`` says in a complaint where it stands."""
    if len(set(map(str, levels))) < len(levels):
        raise StudyError(f"{where}: a level comes twice")
    if name == "threads":
        for level in levels:
            if not isinstance(level, int) or level < 1:
                raise StudyError(f"{where}: {level!r} is not a number of threads: at least 1 is needed")
        levels = sorted(levels, key=float)
    for level in levels if name in CHOICES else ():
        if level not in CHOICES[name]:
            raise StudyError(f"{where}: {level!r} is not one of {', '.join(CHOICES[name])}")
    return name, levels


def numbers(text: str) -> list[int]:
    """Read a list of numbers as the kernel writes it, like ``0,2-4``.

    Raises
    ------
    ValueError
        When it is none.
    """
    ranges = [part.partition("-") for part in text.split(",") if part]
    return [number for low, _, high in ranges for number in range(int(low), int(high or low) + 1)]


def threads_skipped(text: str, where: str) -> list[int]:
    """Read threads by order of appearance, ``0,2-3``, or likwid's mask: bit 0 of ``0x3`` is the first one started."""
    try:
        if text.startswith("0x"):
            mask = int(text, 16)
            return [bit + 1 for bit in range(mask.bit_length()) if mask >> bit & 1]
        return numbers(text)
    except ValueError as error:
        raise StudyError(f"{where}: {text!r} is no list like 0,2-3 and no mask like 0x3") from error
