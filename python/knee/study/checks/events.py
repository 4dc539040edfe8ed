"""Reads a study's own events, to find a file that cannot be read before any run."""

from __future__ import annotations

from pathlib import Path

from knee.store import StudyError, read
from knee.study.spec import StudySpec


def read_events(study_spec: StudySpec) -> None:
    """Read the study's own events once.

    The machine decides what the events mean: a record says which counter has no value.

    Raises
    ------
    StudyError
        When the file is missing, or is not TOML.
    """
    if study_spec.events is None:
        return
    hint = "docs/reference/events.md has the format"
    try:
        read.toml(read.text(Path(study_spec.events), hint, what=" the events"))
    except read.NotWritten as error:
        raise StudyError(f"cannot read the events: {study_spec.events}: {error}", hint=hint) from error
