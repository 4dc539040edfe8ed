"""Runs: what was planned joined with what was recorded, and judged usable or not."""

from __future__ import annotations

import json
from dataclasses import dataclass

from knee.store.folder import Folder
from knee.store.types import Record, Spec, StudyError


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
