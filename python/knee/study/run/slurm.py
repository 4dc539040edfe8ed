"""Writes the SLURM script of a study: it makes the runs in as many jobs as needed."""

from __future__ import annotations

import re
import shlex
from datetime import timedelta
from importlib import resources

from knee.store import RunSpec
from knee.study.design.program import builds
from knee.study.spec import StudySpec


def script(study_spec: StudySpec, plan: list[RunSpec]) -> str:
    """Return the batch script of a study: ``batch.sh`` beside this file, filled in."""
    values = {
        "NAME": plain(study_spec.name),
        "LIMIT": _limit(plan),
        "SETUP": shlex.quote(_before(study_spec, plan)),
        "CLEANUP": shlex.quote(study_spec.cleanup or ""),
        "DIRECTORY": shlex.quote(str(study_spec.program.get("directory", "."))),
    }
    template = resources.files("knee.study.run").joinpath("batch.sh").read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda match: values[match[1]], template)


def _before(study_spec: StudySpec, plan: list[RunSpec]) -> str:
    """Return builds and setup as one command, each in its own shell. One may end with a comment."""
    steps = [*builds(study_spec.build, plan), *([study_spec.setup] if study_spec.setup else [])]
    return steps[0] if len(steps) == 1 else " && ".join(f"({step}\n)" for step in steps)


def plain(name: str) -> str:
    """Return the name with only the letters that a file or a job may have."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "study"


def _limit(plan: list[RunSpec]) -> str:
    """Return the time limits of all runs and warm-up runs in total: days-hours:minutes:seconds, as SLURM writes it."""
    longest = sum(spec.get("timeout_s", 0.0) * (1 + _warmups(spec)) for spec in plan)
    whole = timedelta(seconds=int(longest) + 60)
    hours, rest = divmod(whole.seconds, 3600)
    return f"{whole.days}-{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"


def _warmups(spec: RunSpec) -> int:
    return max(spec.get("warmup", 0), 1 if spec.get("cache") == "warm" else 0)
