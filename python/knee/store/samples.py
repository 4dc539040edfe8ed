"""Samples: what was noted over time while a run was made, gzip CSV with ``t_ns,source,name,value``."""

from __future__ import annotations

import csv
import gzip
import zlib
from pathlib import Path

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
    found: dict[str, Series] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            if next(lines, None) != COLUMNS:
                return {}
            for t_ns, source, called, value in lines:
                if called == name:
                    found.setdefault(source, []).append((int(t_ns), int(value)))
    except (OSError, EOFError, ValueError, csv.Error, zlib.error):
        return {}
    return found
