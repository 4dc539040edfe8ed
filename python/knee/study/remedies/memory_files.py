"""Temporary files in memory (tmpfs)."""

from __future__ import annotations

import os
from pathlib import Path

from knee.study.remedies.remedy import FILES, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "temporary files in memory", (FILES,)
PLACE = "/dev/shm"  # noqa: S108 -- the folder in memory that every Linux has
MOUNTS = "/proc/self/mounts"
NOTE = "it moves only files in the folder for temporary files; others: run the study in a copy of its folder there"


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy."""
    return [Remedy(NAME, TREATS, f"TMPDIR={PLACE}", here.setting(TMPDIR=PLACE), _reason(here), note=NOTE)]


def _reason(here: Situation) -> str | None:
    if not here.waits_for_disk:
        return "no sample saw a thread wait for a disk"
    if _kind(PLACE) != "tmpfs" or not os.access(PLACE, os.W_OK):
        return f"{PLACE} is not a folder in memory that can be written"
    now = here.variable("TMPDIR") or "/tmp"  # noqa: S108 -- only looked at
    return f"temporary files are in memory already ({now})" if _kind(now) == "tmpfs" else None


def _kind(path: str) -> str | None:
    """Return the kind of the file system that holds a path."""
    try:
        lines = Path(MOUNTS).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    whole = os.path.realpath(path)
    # A later mount hides an earlier one at the same place.
    holding = [(len(place), number, kind) for number, line in enumerate(lines)
               for _, place, kind, *_ in [line.split()]
               if whole == place or whole.startswith(place.rstrip("/") + "/")]  # fmt: skip
    return max(holding)[2] if holding else None
