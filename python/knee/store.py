"""The folder of a study: what lies in it, typed, and how it is read and appended to without losing anything."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

SCHEMA = 1
"""Version of specs and records that this package reads and writes."""

Level = str | int | float
"""A level of a factor."""


class StudyError(Exception):
    """What failed, which thing, the reason; and the one thing to try."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Spec(TypedDict):
    """One line of plan.jsonl; ``schema/spec.schema.json`` is the authority."""

    schema: int
    id: str
    cell: dict[str, Level]
    block: int
    program: dict[str, Any]
    threads: int
    cpus: list[int]
    bind: str
    memory: NotRequired[dict[str, Any]]
    counters: NotRequired[list[str]]
    sample_ms: NotRequired[int]
    sampler_cpu: NotRequired[int]
    timeout_s: NotRequired[float]
    metric: NotRequired[dict[str, str]]
    check: NotRequired[dict[str, str]]


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
    exit: dict[str, Any]
    metric: NotRequired[dict[str, Any]]
    check: NotRequired[dict[str, Any]]
    rusage: dict[str, int]
    counters: dict[str, Any]
    pages: dict[str, Any]
    threads: list[dict[str, Any]]
    sampling: NotRequired[dict[str, int]]
    validity: NotRequired[dict[str, float]]
    samples: NotRequired[str]
    facts: NotRequired[dict[str, str]]
    output: dict[str, Any]
    simulated: bool


@dataclass(frozen=True)
class Run:
    """A planned run and what became of it.

    ``bad`` says why the run cannot be used; ``time_s`` is what the study measures (wall time, a phase, or a printed
    number), ``cpu_s`` the CPU time that belongs to it (None where there is no such thing).
    """

    order: int
    spec: Spec
    record: Record
    bad: str | None
    time_s: float
    cpu_s: float | None

    @property
    def threads(self) -> int:
        """Threads the program was told to use."""
        return self.spec["threads"]


@dataclass(frozen=True)
class Folder:
    """The files of a study."""

    path: Path

    @property
    def question(self) -> Path:
        """What was asked: study.toml."""
        return self.path / "study.toml"

    @property
    def plan(self) -> Path:
        """One spec a line, in the order of the runs."""
        return self.path / "plan.jsonl"

    @property
    def machine(self) -> Path:
        """The machine as it was when the study was planned."""
        return self.path / "machine.json"

    @property
    def records(self) -> Path:
        """One record a line, in the order in which they came."""
        return self.path / "records.jsonl"

    @property
    def samples(self) -> Path:
        """Time series, one gzip CSV a run."""
        return self.path / "samples"

    def check(self) -> None:
        """Raise :class:`StudyError` unless this is the folder of a study."""
        for file in (self.question, self.plan, self.machine):
            if not file.is_file():
                message = f"not the folder of a study: {self.path}: it has no {file.name}"
                raise StudyError(message, hint="`knee study --help` shows how one is made")

    def read_machine(self) -> dict[str, Any]:
        """Return the machine as ``knee machine --json`` printed it."""
        return _object(self.machine, _text(self.machine), "the machine")

    def read_plan(self) -> list[Spec]:
        """Return every planned run, in order."""
        return [cast("Spec", line) for line in _lines(self.plan, _text(self.plan))]

    def read_records(self) -> list[Record]:
        """Return every record, in the order written. A torn last line counts as never written."""
        if not self.records.exists():
            return []
        # Cut before decoding: a writer may have been killed inside a character.
        whole = _decoded(self.records, lambda data: data[: data.rfind(b"\n") + 1])
        records = [cast("Record", line) for line in _lines(self.records, whole)]
        seen: set[str] = set()
        for record in records:
            if record["id"] in seen:
                raise StudyError(
                    f"run {record['id']} was recorded twice: {self.records}", hint="remove one of its lines"
                )
            seen.add(record["id"])
        return records

    def mend_records(self) -> None:
        """Cut off a last line that was torn when a writer was killed."""
        if self.records.exists():
            data = self.records.read_bytes()
            if not data.endswith(b"\n") and data:
                os.truncate(self.records, data.rfind(b"\n") + 1)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader finds the old one or the new one, never a part."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _text(path: Path) -> str:
    return _decoded(path, lambda data: data)


def _decoded(path: Path, part: Callable[[bytes], bytes]) -> str:
    try:
        return part(path.read_bytes()).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise StudyError(f"cannot read: {path}: {reason}") from error


def _object(path: Path, text: str, what: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise StudyError(f"cannot read {what}: {path}: {error}", hint="the file was edited or cut off") from error
    if not isinstance(value, dict):
        raise StudyError(f"cannot read {what}: {path}: it is not an object")
    found = cast("dict[str, Any]", value)
    if found.get("schema") != SCHEMA:
        message = f"cannot read {what}: {path}: schema {found.get('schema')}, this version of knee reads {SCHEMA}"
        raise StudyError(message, hint="use the version of knee that wrote it")
    return found


def _lines(path: Path, text: str) -> list[dict[str, Any]]:
    lines = [line for line in text.split("\n") if line]
    return [_object(path, line, f"line {number}") for number, line in enumerate(lines, 1)]


def finite(value: object) -> object:
    """Return plain data with null for every number that is not known: JSON has no NaN."""
    if isinstance(value, dict):
        return {str(key): finite(inner) for key, inner in cast("dict[Any, object]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def runs(folder: Folder) -> list[Run]:
    """Return every run that has a record, in the order of the plan.

    A record whose run is not in the plan is an error: it belongs to another study.
    """
    records = {record["id"]: record for record in folder.read_records()}
    plan = folder.read_plan()
    foreign = set(records) - {spec["id"] for spec in plan}
    if foreign:
        raise StudyError(f"records of another study: {folder.records}: run {min(foreign)} is not in the plan")
    made = [_run(order, spec, records[spec["id"]]) for order, spec in enumerate(plan) if spec["id"] in records]
    return _odd_answers(made)


def _run(order: int, spec: Spec, record: Record) -> Run:
    time_s, cpu_s, missing = _measured(record)
    return Run(order, spec, record, _failure(record) or missing, time_s, cpu_s)


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def _measured(record: Record) -> tuple[float, float | None, str | None]:
    """Time, CPU time that belongs to it, and why there is no time."""
    wall, cpu = record["wall_ns"] / 1e9, (record["user_ns"] + record["system_ns"]) / 1e9
    metric = record.get("metric")
    if metric is None:
        return wall, cpu, None
    if "unavailable" in metric:
        return wall, None, f"no {metric['name']}: {metric['unavailable']}"
    phases = [phase for phase in record["phases"] if phase["name"] == metric["name"]]
    phase_cpu = sum(phase["cpu_ns"] for phase in phases) / 1e9 if phases else None
    value = metric["value"] * _SECONDS.get(metric["unit"], 1.0)
    return value, phase_cpu, None if value > 0 else f"{metric['name']} is {value}, not a time"


def _failure(record: Record) -> str | None:
    end, check = record["exit"], record.get("check")
    if end.get("error"):
        return str(end["error"])
    if end.get("timeout_s") is not None:
        return f"stopped after {end['timeout_s']} s"
    if end.get("signal") is not None:
        return f"ended by signal {end['signal']}"
    if check is not None and not check["ok"]:
        return f"check failed: {check.get('reason', 'no reason given')}"
    if end.get("code") != 0:
        return f"exit status {end.get('code')}"
    return None


_SAME_ANSWER = {"runtime", "plan", "threads"}
"""Arguments of built-in workloads that must not change the answer."""


def _odd_answers(made: list[Run]) -> list[Run]:
    """Mark runs of built-in workloads whose answer differs from what most runs of the same input gave."""
    answers: dict[str, dict[str, int]] = {}
    for run in made:
        if run.bad is None and "workload" in run.spec["program"]:
            counts = answers.setdefault(_input(run), {})
            counts[_answer(run)] = counts.get(_answer(run), 0) + 1

    def judged(run: Run) -> Run:
        counts = answers.get(_input(run), {})
        if run.bad is not None or not counts or _answer(run) == max(counts, key=lambda answer: counts[answer]):
            return run
        why = "the answer differs from that of other runs on the same input"
        return Run(run.order, run.spec, run.record, why, run.time_s, run.cpu_s)

    return [judged(run) for run in made]


def _input(run: Run) -> str:
    program = run.spec["program"]
    args = {**program.get("args", {}), **program.get("params", {})}
    return json.dumps(
        [program.get("workload"), {k: v for k, v in args.items() if k not in _SAME_ANSWER}], sort_keys=True
    )


def _answer(run: Run) -> str:
    return str(run.record["output"].get("stdout_fnv1a"))
