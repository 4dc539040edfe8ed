"""Files left to the page cache: nothing is synced, and nothing is read or written around the cache."""

from __future__ import annotations

from pathlib import Path

from knee.study.remedies.preloaded import preloaded
from knee.study.remedies.remedy import FILES, Remedy
from knee.study.remedies.situation import Situation

NAME = "page cache alone"
SOURCE = Path(__file__).with_name("files.c")
LIBRARY = "libknee_page_cache.so"
NOTE = (
    "a test, and nothing to keep: what is not synced is lost if the machine crashes; "
    "sync less often, or more at a time. The library stays in the folder of the study"
)


def remedies(here: Situation) -> list[Remedy]:
    """Return the only remedy."""
    reason = None if here.waits_for_disk else "no sample saw a thread wait for a disk"
    change, why = (None, reason) if reason else preloaded(here, SOURCE, LIBRARY)
    if change is None:
        return [Remedy(NAME, (FILES,), why_not=why)]
    return [Remedy(NAME, (FILES,), f"LD_PRELOAD={LIBRARY}", change, note=NOTE)]
