"""The duration of a study from a pilot run: as a number, or as unknown with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knee.store import Record, RunSpec, StudyError
from knee.study.design.duration import estimate, pilot_of
from knee.study.run import execute
from knee.study.run.progress import ending
from knee.study.spec import StudySpec


def duration(plan: Sequence[RunSpec], design: Mapping[str, Any], pilot: RunSpec, record: Record, run_s: float) -> str:
    """Return how long a plan takes, from its design, its pilot run and the seconds that that took."""
    if record["exit"].get("code") == 0:
        return estimate(plan, run_s, design)
    threads = f"{pilot['threads']} thread{'s' if pilot['threads'] > 1 else ''}"
    return f"unknown: the pilot run on {threads} failed: {ending(record)}"


def refuse_made(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` when the program is made by commands of the study, which a plan does not run."""
    if study_spec.build or study_spec.setup:
        message = "--pilot: the study has a build or setup command, which `knee plan` does not run"
        raise StudyError(message, hint="knee study makes a pilot run after them")


def piloted(study_spec: StudySpec, plan: Sequence[RunSpec]) -> str:
    """Make a pilot run of a plan that is not run yet; return how long the plan takes."""
    pilot = pilot_of(plan)
    design = {"blocks": study_spec.blocks, "at_least_s": study_spec.at_least_s}
    return duration(plan, design, pilot, *execute.once(pilot))
