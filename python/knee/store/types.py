"""The shapes that cross the seam, as Python sees them, and the error that everything here raises."""

from __future__ import annotations

import math
from typing import Any, Literal, NotRequired, TypedDict, cast

SCHEMA = 1
"""Version of run specs and records that this package reads and writes."""

Role = Literal[
    "measure",
    "baseline",
    "copies",
    "counting",
    "one-cpu",
    "busy-cores",
    "co-runner",
    "placement",
    "remedy",
    "profile",
]
"""What a run is for."""

Level = str | int | float
"""A level of a factor."""


class StudyError(Exception):
    """What failed, which thing, the reason; and the one thing to try."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class RunSpec(TypedDict):
    """One line of plan.jsonl; ``schema/run-spec.schema.json`` is the authority."""

    schema: int
    id: str
    role: NotRequired[Role]
    cell: dict[str, Level]
    block: int
    program: dict[str, Any]
    threads: int
    cpus: list[int]
    bind: NotRequired[str]
    skip: NotRequired[list[int]]
    memory: NotRequired[dict[str, Any]]
    counters: NotRequired[list[str]]
    events: NotRequired[str]
    sample_ms: NotRequired[int]
    sampler_cpu: NotRequired[int]
    census_ms: NotRequired[int]
    warmup: NotRequired[int]
    prepare: NotRequired[str]
    conclude: NotRequired[str]
    cache: NotRequired[str]
    hold: NotRequired[dict[str, str]]
    timeout_s: NotRequired[float]
    metric: NotRequired[dict[str, str]]
    check: NotRequired[dict[str, str]]


class Changed(TypedDict):
    """A held fact that was not what it was when the study was planned."""

    fact: str
    held: str
    found: str


class Record(TypedDict):
    """One line of records.jsonl; ``schema/record.schema.json`` is the authority."""

    schema: int
    id: str
    block: int
    launch: int
    start: str
    wall_ns: int
    user_ns: int
    system_ns: int
    phases: list[dict[str, Any]]
    region_faults: NotRequired[list[str]]
    exit: dict[str, Any]
    metric: NotRequired[dict[str, Any]]
    check: NotRequired[dict[str, Any]]
    rusage: dict[str, int]
    counters: dict[str, Any]
    pages: dict[str, Any]
    bind: str
    pinning: NotRequired[dict[str, Any]]
    changed: NotRequired[list[Changed]]
    observed_threads: list[dict[str, Any]]
    sampling: NotRequired[dict[str, int]]
    validity: NotRequired[dict[str, float | None]]
    samples: NotRequired[str]
    samples_lost: NotRequired[str]
    unseen: NotRequired[str]
    facts: NotRequired[dict[str, str]]
    output: dict[str, Any]
    simulated: bool


def finite(value: object) -> object:
    """Return plain data with null for every number that is not known: JSON has no NaN."""
    if isinstance(value, dict):
        return {str(key): finite(inner) for key, inner in cast("dict[Any, object]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value
