"""A spinning lock in place of a sleeping one: threads try for a while before they sleep for a mutex of the C library.

The library that does so is compiled from ``lock.c`` when it is first needed, and deleted when knee ends.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from knee.study.remedies.allocator import cannot_preload
from knee.study.remedies.executable import executable
from knee.study.remedies.remedy import LOCK, Remedy
from knee.study.remedies.situation import Situation

NAME = "spinning lock"
SOURCE = Path(__file__).with_name("lock.c")
COMPILERS = ("cc", "gcc", "clang")
LONGEST_S = 60.0
"""A compiler that takes longer is given up."""


def remedies(here: Situation) -> list[Remedy]:
    """Return the only remedy."""
    reason = cannot_preload(here) or _takes_no_lock(here) or _crowded(here)
    library, why = (None, reason) if reason else compiled()
    if library is None:
        return [Remedy(NAME, (LOCK,), why_not=why)]
    made = executable(str(library))
    if made is None or any(one.arch != made.arch for one in here.executables):
        return [Remedy(NAME, (LOCK,), why_not="the compiler here compiles for another kind of processor")]
    theirs = here.variable("LD_PRELOAD")
    value = str(library) + (f":{theirs}" if theirs else "")
    note = f"threads that wait use their cpus meanwhile; to keep the library, compile {SOURCE}"
    return [Remedy(NAME, (LOCK,), f"LD_PRELOAD={library.name}", here.setting(LD_PRELOAD=value), note=note)]


def _takes_no_lock(here: Situation) -> str | None:
    takes = any(one.takes_locks for one in here.executables)
    return None if takes else "the program's own code takes no mutex of the C library"


def _crowded(here: Situation) -> str | None:
    many = here.as_is["threads"] > len(here.as_is["cpus"] or here.allowed)
    return "there are more threads than cpus, so a thread that spins takes a cpu from another" if many else None


@cache
def compiled() -> tuple[Path | None, str | None]:
    """Return the compiled library, or why there is none. It is deleted when this process ends."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None, "it takes a C compiler: install gcc"
    # Kept by the cache, so that the folder lives as long as this process.
    folder = _folder()
    library = Path(folder.name) / "libknee_spinning_lock.so"
    words = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
    try:
        subprocess.run(words, check=True, capture_output=True, text=True, timeout=LONGEST_S)
    except (OSError, subprocess.SubprocessError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        return None, f"{compiler} cannot compile it: {said[0] if said else 'it says nothing'}"
    return library, None


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="knee-spinning-lock-")
