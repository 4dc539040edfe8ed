"""A library of knee's own, compiled here and loaded into a program (``LD_PRELOAD``)."""

from __future__ import annotations

import re
from pathlib import Path

from knee.study.remedies.allocator import cannot_preload
from knee.study.remedies.executable import executable
from knee.study.remedies.remedy import Change
from knee.study.remedies.situation import Situation

SEPARATES = re.compile(r"[ :]")
"""What ends the path of a library that is loaded first; nothing escapes it (ld.so(8))."""


def preloaded(here: Situation, source: Path, name: str) -> tuple[Change | None, str | None]:
    """Return the change that loads a library, before those that are loaded already; or why it cannot be loaded.

    Parameters
    ----------
    here
        The run, and the compiler.
    source
        The library's file in C.
    name
        The library's file name.
    """
    if (reason := cannot_preload(here)) is not None:
        return None, reason
    library, why = here.compiled(source, name)
    if library is None:
        return None, why
    if SEPARATES.search(str(library)):
        return None, f"LD_PRELOAD cannot hold {library}: a space or a colon ends a path there; move the study"
    made = executable(str(library))
    if made is None or any(one.arch != made.arch for one in here.executables):
        return None, "the compiler here compiles for another kind of processor"
    theirs = here.variable("LD_PRELOAD")
    return here.setting(LD_PRELOAD=str(library) + (f":{theirs}" if theirs else "")), None
