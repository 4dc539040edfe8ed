"""The study spec, all that is asked: what runs, which factors vary, how often, what is measured, which hooks run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import tomli_w

from knee.store import SCHEMA, Level

RESERVED = ("threads", "placement", "memory", "bind", "cache")
"""Factors that say where and how a program runs; others are arguments, or variables written ``env:NAME``."""

STEPS = ("build", "setup", "prepare", "conclude", "cleanup")
"""Shell commands around the runs, in hyperfine's words; ``build`` is made once for each of the levels that it names."""

CHOICES = {"bind": ("each", "set"), "cache": ("cold", "warm")}
"""What there is to choose from: as an option, in a study file, and as levels of a factor."""


COUNTS = ("cores", "cpus")
"""Thread counts that are the machine's own: as many as there are cores, or cpus, that knee may use."""


@dataclass(frozen=True)
class StudySpec:
    """A study before it is planned. ``factors`` without ``threads`` or ``placement`` get those of the machine.

    None stands for what is usual: ``bind`` each for workloads and set for commands, ``same_output`` for workloads only,
    ``hold`` for the facts that knee holds by itself.

    ``exclude`` are cells that are left out: each a table of levels, or of lists of them. ``pair`` is a factor of two
    levels that are run one right after the other. ``weak`` ties an argument to the threads. ``width`` and ``budget_s``
    may end the study before its last block. ``phases`` is what is measured of each of several workloads. ``together``
    has counters count in the runs that are timed. ``responses`` are analysed beside what the study measures.
    """

    name: str
    program: dict[str, Any]
    factors: dict[str, list[Level]] = field(default_factory=dict[str, list[Level]])
    blocks: int = 5
    seed: int = 1
    sample_ms: int = 10
    timeout_s: float = 600.0
    metric: dict[str, str] | None = None
    phases: dict[str, str] = field(default_factory=dict[str, str])
    check: dict[str, str] | None = None
    baseline: dict[str, Any] | None = None
    copies: bool = False
    exclude: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    pair: str | None = None
    weak: dict[str, Any] | None = None
    width: float | None = None
    budget_s: float | None = None
    bind: str | None = None
    skip: list[int] = field(default_factory=list[int])
    build: str | None = None
    setup: str | None = None
    prepare: str | None = None
    conclude: str | None = None
    cleanup: str | None = None
    warmup: int = 0
    cache: str | None = None
    census_ms: int | None = None
    counters: list[str] = field(default_factory=list[str])
    events: str | None = None
    together: bool = False
    responses: list[str] = field(default_factory=list[str])
    same_output: bool | None = None
    hold: list[str] | None = None
    claims: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def to_toml(self) -> str:
        """Return the study file that asks the same."""
        design = {"blocks": self.blocks, "seed": self.seed, "copies": self.copies}
        design |= self._given("bind", "skip", "exclude", "pair", "weak", "width", "budget_s")
        measure: dict[str, Any] = {"sample_ms": self.sample_ms, "timeout_s": self.timeout_s}
        measure |= self._given(
            *("census_ms", "counters", "events", "responses", "metric", "check", "same_output", "warmup", "cache"),
            *STEPS,
        )
        measure |= {"together": True} if self.together else {}
        tables: dict[str, Any] = {
            "schema": SCHEMA,
            "name": self.name,
            "program": self.program,
            "factors": self.factors,
            "design": design,
            "measure": measure,
        }
        tables |= {} if self.hold is None else {"hold": {"facts": self.hold}}
        tables |= {"claim": self.claims} if self.claims else {}
        return tomli_w.dumps(tables | self._given("baseline"))

    @property
    def timed(self) -> dict[str, str] | None:
        """What is measured instead of the run time, if anything is: ``wall`` is the name of the run time itself."""
        return None if self.metric == {"phase": "wall"} else self.metric

    def _given(self, *names: str) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None and value != []}

    @property
    def workloads(self) -> dict[str, dict[str, str]]:
        """The built-in workloads of a study of several, each with its own arguments; empty for any other study."""
        named = self.program.get("workload")
        return cast("dict[str, dict[str, str]]", named) if isinstance(named, dict) else {}
