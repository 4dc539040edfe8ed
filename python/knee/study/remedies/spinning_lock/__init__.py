"""A spinning lock in place of a sleeping one: threads try for a while before they sleep for a mutex of libc."""

from __future__ import annotations

from pathlib import Path

from knee.study.remedies.allocator import cannot_preload
from knee.study.remedies.preloaded import preloaded
from knee.study.remedies.remedy import LOCK, Remedy
from knee.study.remedies.situation import Situation

NAME = "spinning lock"
SOURCE = Path(__file__).with_name("lock.c")
LIBRARY = "libknee_spinning_lock.so"


def remedies(here: Situation) -> list[Remedy]:
    """Return the only remedy."""
    reason = cannot_preload(here) or _takes_no_lock(here) or _crowded(here)
    change, why = (None, reason) if reason else preloaded(here, SOURCE, LIBRARY)
    if change is None:
        return [Remedy(NAME, (LOCK,), why_not=why)]
    note = "threads that wait use their cpus meanwhile; the library stays in the folder of the study"
    return [Remedy(NAME, (LOCK,), f"LD_PRELOAD={LIBRARY}", change, note=note)]


def _takes_no_lock(here: Situation) -> str | None:
    takes = any(one.takes_locks for one in here.executables)
    return None if takes else "the program's own code takes no mutex of the C library"


def _crowded(here: Situation) -> str | None:
    many = here.as_is["threads"] > len(here.as_is["cpus"] or here.allowed)
    return "there are more threads than cpus, so a thread that spins takes a cpu from another" if many else None
