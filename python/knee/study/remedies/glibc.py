"""Settings of glibc's allocator that several remedies use."""

from __future__ import annotations

import os
import re

from knee.study.remedies.allocator import cannot_preload
from knee.study.remedies.situation import Situation

OTHERS = r"lib(je|tc|mi)malloc"


def not_glibc(here: Situation) -> str | None:
    """Return why the program does not allocate with glibc; None if it does."""
    if reason := cannot_preload(here):
        return reason
    if here.library(r"libc\.so\.6") is None:
        return "the program does not use glibc"
    if other := here.library(OTHERS):
        return f"the program allocates with {other}, not with glibc"
    return None


def version() -> tuple[int, int]:
    """Return the version of glibc on this machine; (0, 0) if it is unknown."""
    try:
        text = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        text = ""
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def tunables(here: Situation, *ours: str) -> str:
    """Return the value of GLIBC_TUNABLES with ours after those of the user; of two equal names the last counts."""
    theirs = here.variable("GLIBC_TUNABLES")
    return ":".join([*([theirs] if theirs else []), *ours])
