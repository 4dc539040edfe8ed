"""One arena: all threads allocate from the same heap."""

from __future__ import annotations

from knee.study.remedies.glibc import not_glibc
from knee.study.remedies.remedy import ALLOCATOR, FAULTS, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "one arena", (ALLOCATOR, FAULTS)


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy. Where the allocator's lock is the cause, it makes things worse, which tells as much."""
    reason = not_glibc(here)
    if reason is None and here.variable("MALLOC_ARENA_MAX") == "1":
        reason = "MALLOC_ARENA_MAX is 1 already"
    return [Remedy(NAME, TREATS, "MALLOC_ARENA_MAX=1", here.setting(MALLOC_ARENA_MAX="1"), reason)]
