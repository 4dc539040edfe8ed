"""Everything that lies in a study's folder, read and checked before anybody acts on a part of it."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knee.store.ended import End, read_end
from knee.store.folder import Folder
from knee.store.run import Run
from knee.store.runs import runs_of
from knee.store.seam import RunSpec


@dataclass(frozen=True)
class Contents:
    """What was asked, where, what was planned and what came of it.

    ``memory`` where it was probed, ``end`` where the study ended before its last block.
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
        """Read all of it.

        Raises
        ------
        StudyError
            When it is no study, was damaged, or is of another version. Nothing has been written then.
        """
        folder = Folder(path)
        folder.check()
        with _nothing_thrown_away():
            study_spec, machine, memory = folder.read_study_spec(), folder.read_machine(), folder.read_memory()
            plan = folder.read_plan()
            return cls(folder, study_spec, machine, memory, plan, runs_of(folder, plan, study_spec), read_end(folder))

    @property
    def name(self) -> str:
        """What the study is called."""
        return str(self.study_spec.get("name", self.folder.path.name))

    @property
    def planned(self) -> int:
        """How many runs there should be: those of the design, and failed ones of blocks that were repeated."""
        last = self.end.block if self.end else None
        design = (spec for spec in self.plan if "repeats" not in spec)
        planned = sum(1 for spec in design if last is None or spec["block"] <= last)
        return planned + sum(run.replaced for run in self.runs)


@contextmanager
def _nothing_thrown_away() -> Generator[None]:
    """Let Python look for no garbage: all that is read is kept, and looking at it again and again takes a third."""
    looked = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looked:
            gc.enable()
