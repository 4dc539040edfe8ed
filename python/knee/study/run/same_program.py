"""Whether what a study measured is still there, and still the same, where it is continued."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from knee import terminal
from knee.store import Folder, RunSpec, role_of, start_of
from knee.study.checks.program import find_program

STEPS = ("build", "setup", "prepare")
"""Steps of a study that may make its program."""


def find_programs(folder: Folder, specs: Sequence[RunSpec]) -> None:
    """Raise :class:`StudyError` when a program of these runs is missing: all of them would fail, and be recorded.

    A program that a build, a setup or a prepare makes need not exist yet.
    """
    measure = folder.read_study_spec().get("measure", {})
    if any(step in measure for step in STEPS):
        return
    # Copies are started by knee itself, and are of the same program.
    own = {str(spec["program"]): spec["program"] for spec in specs if role_of(spec) != "copies"}
    for program in own.values():
        find_program(dict(program))


def say_changed(folder: Folder) -> None:
    """Say which program was made again since the first run: runs before and after that measure two programs."""
    records = folder.read_records()
    if not records:
        return
    began = min(start_of(record) for record in records)
    paths = {path for record in records for path in (record.get("mapped") or {"programs": []})["programs"]}
    for path in sorted(paths):
        changed = _changed(Path(path))
        if changed is not None and changed > began:
            terminal.err(
                f"knee: {path} has changed since the first run: the runs that are left measure another program"
            )


def _changed(path: Path) -> datetime | None:
    """Return when a file was last written; None where it is gone, or no file can have that name or time."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return None
