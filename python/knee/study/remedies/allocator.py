"""Another allocator: those that are installed are loaded before the program's own (``LD_PRELOAD``)."""

from __future__ import annotations

import re
from pathlib import Path

from knee.study.remedies.executable import Executable, executable
from knee.study.remedies.remedy import ALLOCATOR, FALSE_SHARING, FAULTS, Remedy
from knee.study.remedies.situation import UNKNOWN, Situation

TREATS = (ALLOCATOR, FAULTS, FALSE_SHARING)

KNOWN = {
    "jemalloc": "libjemalloc.so*",
    "tcmalloc": "libtcmalloc*.so*",
    "mimalloc": "libmimalloc.so*",
}
"""Allocators that replace malloc when they are loaded first, and the names of their files."""

FOLDERS = ("/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib", "/lib64", "/lib")


def remedies(here: Situation) -> list[Remedy]:
    """Return one remedy for each allocator."""
    return [_one(here, name, files) for name, files in KNOWN.items()]


def _one(here: Situation, name: str, files: str) -> Remedy:
    called = f"{name} as allocator"
    if reason := cannot_preload(here):
        return Remedy(called, TREATS, why_not=reason)
    if here.library(f"lib{name}"):
        return Remedy(called, TREATS, why_not=f"the program uses {name} already")
    programs = here.executables
    fitting = [path for path in installed(files) if _fits(executable(str(path)), programs)]
    if not fitting:
        return Remedy(called, TREATS, why_not=f"{name} is not installed in {', '.join(FOLDERS)}")
    theirs = here.variable("LD_PRELOAD")
    value = str(fitting[0]) + (f":{theirs}" if theirs else "")
    return Remedy(called, TREATS, f"LD_PRELOAD={value}", here.setting(LD_PRELOAD=value))


def cannot_preload(here: Situation) -> str | None:
    """Return why no library can be loaded into the program from outside; None if one can."""
    if here.programs is None:
        return UNKNOWN
    programs = here.executables
    if len(programs) < len(here.programs):
        return "a file of the program cannot be read"
    return next(filter(None, map(_cannot_load, programs)), None)


def _cannot_load(program: Executable) -> str | None:
    name = Path(program.path).name
    if program.is_go:
        return f"{name} is a Go program, which brings its own allocator"
    if program.loader is None:
        return f"{name} is a static program, which loads no libraries"
    return f"{name} uses musl, and installed allocators may be made for glibc" if "musl" in program.loader else None


def installed(files: str) -> list[Path]:
    """Return the installed libraries of this name, the shortest name first; of several versions the latest."""
    folders = [Path(folder) for folder in FOLDERS]
    folders += sorted(one for folder in folders if folder.is_dir() for one in folder.glob("*-linux-gnu*"))
    # Of several names of one file the shortest is kept: the last one here.
    found = {
        path.resolve(): path
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.glob(files), reverse=True)
    }
    whole = [path for path in found.values() if re.search(r"\.so(\.[\d.]+)?$", path.name)]
    # Debugging and profiling variants have longer names.
    return sorted(whole, key=lambda path: (len(path.name.partition(".so")[0]), -_version(path)))


def _version(path: Path) -> int:
    numbers = re.findall(r"\d+", path.name.partition(".so")[2])
    return int(numbers[0]) if numbers else 0


def _fits(library: Executable | None, programs: list[Executable]) -> bool:
    return library is not None and all(one.arch == library.arch for one in programs)
