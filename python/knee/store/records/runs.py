"""The runs of a study: its plan joined with its records."""

from __future__ import annotations

from typing import Any

from knee.store.files.folder import Folder
from knee.store.records.outputs import judged
from knee.store.records.repeats import counting
from knee.store.records.run import Run, joined
from knee.store.seam import Record, RunSpec
from knee.store.types import StudyError


def runs(folder: Folder) -> list[Run]:
    """Return every run that has a record and counts, in the order of the plan; see :mod:`knee.store.records.repeats`.

    A record whose run is not in the plan, or in another block of it, is an error: it belongs to another study.
    """
    return runs_of(folder, folder.read_plan(), folder.read_study_spec())


def all_runs(folder: Folder) -> list[Run]:
    """Return every run that has a record, including those of repeated blocks."""
    return _made(folder, folder.read_plan(), folder.read_study_spec())


def runs_of(folder: Folder, plan: list[RunSpec], study_spec: dict[str, Any]) -> list[Run]:
    """Return the runs that count, given the plan and the study spec."""
    return counting(_made(folder, plan, study_spec), plan)


def _made(folder: Folder, plan: list[RunSpec], study_spec: dict[str, Any]) -> list[Run]:
    design = study_spec.get("design", {})
    weak, inputs = "weak" in design, tuple(map(str, design.get("inputs", [])))
    places = {spec["id"]: order for order, spec in enumerate(plan)}
    made: list[Run] = []
    for number, record in folder.numbered_records():
        order = places.get(record["id"])
        reason = _foreign(record, None if order is None else plan[order])
        if order is None or reason:
            message = f"records of another study: {folder.records}: line {number}: {reason}"
            raise StudyError(message, hint=folder.without_line())
        made.append(joined(order, plan[order], record, weak=weak, inputs=inputs))
    return judged(sorted(made, key=lambda run: run.order), study_spec.get("measure", {}).get("same_output"))


def _foreign(record: Record, spec: RunSpec | None) -> str | None:
    if spec is None:
        return f"run {record['id']} is not in the plan"
    if record["block"] != spec["block"]:
        return f"run {record['id']} is in block {record['block']}, but planned in block {spec['block']}"
    return None
