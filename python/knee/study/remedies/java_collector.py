"""Java's garbage collector: a heap four times as large, and fewer collector threads.

``_JAVA_OPTIONS`` comes after the options of the command line, so it also changes a heap that is set there, and
``--for java`` uses another variable (``JAVA_TOOL_OPTIONS``). The virtual machine prints a line about it.
"""

from __future__ import annotations

import re
import shlex

from knee.study.remedies.remedy import COLLECTOR, Remedy
from knee.study.remedies.situation import Situation

TREATS = (COLLECTOR,)
TIMES = 4
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
NOTE = "Java prints a line about _JAVA_OPTIONS to standard error"
OWN = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Variables with options of the virtual machine."""
SIZED = ("-Xms", "-XX:InitialHeapSize=", "-XX:InitialRAMPercentage=", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage=",
         "-XX:MinHeapSize=")  # fmt: skip
"""Options that size the heap otherwise than ``-Xmx`` does."""


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    reason = here.no_variables()
    if reason is None and here.library(r"libjvm\.so") is None:
        reason = "no Java virtual machine runs in it"
    if reason is None and here.library("libj9"):
        reason = "OpenJ9 takes other options than HotSpot"
    threads = max(1, here.as_is["threads"] // TIMES)
    return [_heap(here, reason), _threads(here, threads, reason)]


def _heap(here: Situation, reason: str | None) -> Remedy:
    name, young, most = "four times the heap (Java)", _size(here, "-Xmn"), _size(here, "-Xmx")
    if most is None:
        sized = next((word for word in _options(here) if word.startswith(SIZED)), None)
        if reason is None and sized is not None:
            reason = f"its heap is set by {sized}: give -Xmx as well"
        # The virtual machine begins with a 64th of the memory, and by default never takes more than a quarter.
        return _with(here, name, "-XX:InitialRAMPercentage=6.25", reason)
    if reason is None and TIMES * most > here.memory_bytes // 2:
        reason = "four times its heap is more than half of the memory that it may use"
    larger = f"-Xms{TIMES * most} -Xmx{TIMES * most}" + (f" -Xmn{TIMES * young}" if young else "")
    return _with(here, name, larger, reason)


def _threads(here: Situation, threads: int, reason: str | None) -> Remedy:
    if reason is None and any(word.startswith("-XX:ParallelGCThreads=") for word in _options(here)):
        reason = "the number of collector threads is set already"
    return _with(here, "fewer collector threads (Java)", f"-XX:ParallelGCThreads={threads}", reason)


def _with(here: Situation, name: str, options: str, reason: str | None) -> Remedy:
    theirs = here.variable("_JAVA_OPTIONS")
    value = f"{theirs} {options}" if theirs else options
    change = here.setting(_JAVA_OPTIONS=value)
    return Remedy(name, TREATS, f"_JAVA_OPTIONS='{value}'", change, reason, note=NOTE)


def _options(here: Situation) -> list[str]:
    """Return the options of the virtual machine as far as they can be seen; the last of several counts.

    The launcher puts those of ``JDK_JAVA_OPTIONS`` before those of the command line.
    """
    command: list[str] = here.program.get("command", [])
    inside = [word for text in command for word in text.split()]
    tool, launcher, last = (_words(here.variable(name)) for name in OWN)
    return [*tool, *launcher, *inside, *last]


def _words(text: str | None) -> list[str]:
    try:
        return shlex.split(text or "")
    except ValueError:
        return (text or "").split()


def _size(here: Situation, option: str) -> int | None:
    """Return the size of a heap in bytes, from an option like -Xmx512m."""
    found = [re.fullmatch(re.escape(option) + r"(\d+)([kmgtKMGT]?)", word) for word in _options(here)]
    sizes = [int(one[1]) * UNITS[one[2].lower()] for one in found if one]
    return sizes[-1] if sizes else None
