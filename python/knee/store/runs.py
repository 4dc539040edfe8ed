"""The runs of a study: its plan joined with its records."""

from __future__ import annotations

from knee.store.folder import Folder
from knee.store.outputs import judged
from knee.store.run import Run, joined
from knee.store.types import StudyError


def runs(folder: Folder) -> list[Run]:
    """Return every run that has a record, in the order of the plan.

    A record whose run is not in the plan is an error: it belongs to another study.
    """
    records = {record["id"]: record for record in folder.read_records()}
    plan = folder.read_plan()
    foreign = set(records) - {spec["id"] for spec in plan}
    if foreign:
        raise StudyError(f"records of another study: {folder.records}: run {min(foreign)} is not in the plan")
    made = [joined(order, spec, records[spec["id"]]) for order, spec in enumerate(plan) if spec["id"] in records]
    return judged(made, folder.read_measure().get("same_output"))
