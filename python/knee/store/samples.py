"""Samples: what was noted over time while a run was made, gzip CSV with ``t_ns,source,name,value``."""

from __future__ import annotations

import csv
import gzip
import zlib
from pathlib import Path

from knee.store.types import StudyError

COLUMNS = ["t_ns", "source", "name", "value"]

Series = list[tuple[int, int]]
"""Times in ns since the launch, each with the value that was noted then."""


def samples(path: Path, name: str) -> dict[str, Series]:
    """Return everything that is called ``name``, by its source, in the order in which it was noted.

    Parameters
    ----------
    path
        A file under ``samples/`` of a study's folder.
    name
        Like ``cpu_ns`` (of threads, ``thread:7``) or ``mbm_total_bytes`` (of caches, ``resctrl:L3:0``).

    Returns
    -------
    dict
        Empty when the file is missing, was cut off, or is damaged: half a series would look like a short run.
    """
    try:
        return noted(path, name)[name]
    except StudyError:
        return {}


def noted(path: Path, *names: str) -> dict[str, dict[str, Series]]:
    """Return everything that has one of these names, by name and source; a name that is nowhere has no source.

    Raises
    ------
    StudyError
        When the file is missing, was cut off, or is damaged.
    """
    known: dict[str, dict[str, Series]] = {name: {} for name in names}
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            if next(lines, None) != COLUMNS:
                raise StudyError(f"cannot read samples: {path}: its first line is not {','.join(COLUMNS)}")
            for t_ns, source, called, value in lines:
                if called in known:
                    known[called].setdefault(source, []).append((int(t_ns), int(value)))
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StudyError(f"cannot read samples: {path}: {reason}") from error
    return known
