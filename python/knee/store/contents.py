"""Reads and checks a whole study folder, before any part of it is used."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knee.store.files.ended import End, read_end
from knee.store.files.folder import Folder
from knee.store.records.counters import uncounted
from knee.store.records.run import Run
from knee.store.records.runs import runs_of
from knee.store.roles import is_trial
from knee.store.seam import RunSpec
from knee.store.types import StudyError


@dataclass(frozen=True)
class Contents:
    """A study: its specification, machine, plan and runs.

    ``memory`` is None unless the machine's memory was probed, ``end`` is None unless the study ended before its last
    block.
    """

    folder: Folder
    study_spec: dict[str, Any]
    machine: dict[str, Any]
    memory: dict[str, Any] | None
    plan: list[RunSpec]
    runs: list[Run]
    end: End | None

    @classmethod
    def read(cls, path: Path) -> Contents:
        """Read the folder.

        Raises
        ------
        StudyError
            When it is not a study, is damaged, or was written by another version. Nothing in the folder is changed.
        """
        folder = Folder(path)
        folder.check()
        with _without_garbage_collection():
            study_spec, machine, memory = folder.read_study_spec(), folder.read_machine(), folder.read_memory()
            plan = folder.read_plan()
            try:
                runs = runs_of(folder, plan, study_spec)
            except StudyError:
                # A study that is being measured may have planned further runs, and made one, since the plan was read.
                grown = folder.read_plan()
                if len(grown) == len(plan):
                    raise
                plan, runs = grown, runs_of(folder, grown, study_spec)
            return cls(folder, study_spec, machine, memory, plan, runs, read_end(folder))

    @property
    def name(self) -> str:
        """The name of the study."""
        return str(self.study_spec.get("name", self.folder.path.name))

    @property
    def planned(self) -> int:
        """Number of planned runs: those of the design, trials of remedies, and failed runs of repeated blocks."""
        last = self.end.block if self.end else None
        left_out = uncounted(self.plan, (run.record for run in self.runs))
        design = (spec for spec in self.plan if "repeats" not in spec and spec["id"] not in left_out)
        planned = sum(1 for spec in design if last is None or spec["block"] <= last or is_trial(spec))
        return planned + sum(run.replaced for run in self.runs)


@contextmanager
def _without_garbage_collection() -> Generator[None]:
    """Disable the garbage collector while reading: nothing becomes garbage, and it takes a third of the time."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looked:
            gc.enable()
