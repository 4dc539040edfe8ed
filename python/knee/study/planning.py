"""Plans a study and makes its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from knee import __version__, _binary
from knee.store import Folder, RunSpec
from knee.study.checks.events import read_events
from knee.study.checks.program import find_program
from knee.study.checks.text import check_text
from knee.study.design import hold, plan
from knee.study.design.cells import cells_of, placements_of
from knee.study.run import slurm, trust
from knee.study.run.create import Taken, create
from knee.study.spec import StudySpec


def planned(study_spec: StudySpec, out: Path | None = None, *, for_slurm: bool = False) -> Folder:
    """Plan a study and make its folder.

    Parameters
    ----------
    study_spec
        The study.
    out
        The folder; None for a new one under ``knee-studies``.
    for_slurm
        Whether to add a batch script.

    Raises
    ------
    StudyError
        When the study cannot be planned, or the folder cannot be made.
    """
    # A program that a build, a setup or a prepare makes need not exist yet.
    if study_spec.build is None and study_spec.setup is None and study_spec.prepare is None:
        for program in (study_spec.program, study_spec.baseline or {}):
            find_program(program)
    machine, specs = run_specs(study_spec)
    read_events(study_spec)
    batch = slurm.script(study_spec, specs) if for_slurm else None
    described = json.dumps(machine, indent=1) + "\n"
    make = partial(create, study_spec=_asked(study_spec), machine=described, plan=specs, batch=batch)
    folder = make(out) if out else _made_unused(study_spec.name, make)
    trust.note(folder)
    return folder


def run_specs(study_spec: StudySpec) -> tuple[dict[str, Any], list[RunSpec]]:
    """Return the machine, and the runs of the study in running order."""
    check_text(study_spec)
    machine = hold.machine(study_spec.hold)
    placements = placements_of(study_spec, machine)
    cells = cells_of(study_spec, machine, placements)
    specs = plan.run_specs(study_spec, cells, placements, machine)
    _binary.validate(specs)
    return machine, specs


def _asked(study_spec: StudySpec) -> str:
    """Return the study file, with the version of knee that planned it."""
    return f"knee = {json.dumps(__version__)}\n{study_spec.to_toml()}"


def _made_unused(name: str, make: Callable[[Path], Folder]) -> Folder:
    """Make the first unused folder of this name, also if another study of this name begins at the same moment."""
    while True:
        with suppress(Taken):
            return make(_unused(name))


def _unused(name: str) -> Path:
    """Return a folder under knee-studies that does not exist yet."""
    base = Path("knee-studies") / f"{slurm.plain(name)}-{date.today().isoformat()}"
    tries = chain((base,), (base.with_name(f"{base.name}-{number}") for number in count(2)))
    return next(path for path in tries if not path.exists())
