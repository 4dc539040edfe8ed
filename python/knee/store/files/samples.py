"""Reads the samples of a run: time series in a gzipped CSV file with columns ``t_ns,source,name,value``."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from knee.store.read import LARGEST, opened
from knee.store.types import StudyError

COLUMNS = ["t_ns", "source", "name", "value"]

MOST_BYTES, MOST_IN_A_LINE = 512 << 20, 64 << 10
"""Largest unpacked samples of a run, and the largest line. 64 threads sampled every 10 ms for ten minutes take about
400 MB; a small file can unpack to any size.
"""

Series = list[tuple[int, int]]
"""Times in ns since the launch, each with the value at that time."""


WORKLOAD = "workload"
"""Source of counters that the program publishes itself; reading them cannot fail."""

STATES = ("running", "runnable", "sleeping", "disk", "other")
"""Names of the values of a thread's ``state`` samples. `crates/meter/src/states.rs` explains how running and runnable
are distinguished.
"""


def samples(path: Path, name: str) -> dict[str, Series]:
    """Return all samples called ``name``, by source, in the order of sampling.

    Parameters
    ----------
    path
        A file under ``samples/`` of a study's folder.
    name
        Like ``cpu_ns`` (of threads, ``thread:7``) or ``mbm_total_bytes`` (of caches, ``resctrl:L3:0``).

    Returns
    -------
    dict
        Empty if the file is missing, incomplete or damaged, since half a series would look like a short run.
    """
    try:
        return noted(path, name)[name]
    except StudyError:
        return {}


def published(path: Path) -> dict[str, Series]:
    """Return the running counters that the program published, by name; empty if the file cannot be read."""
    found: dict[str, Series] = {}
    try:
        for t_ns, source, name, value in _lines(path):
            if source == WORKLOAD:
                found.setdefault(name, []).append((t_ns, value))
    except StudyError:
        return {}
    return found


def noted(path: Path, *names: str) -> dict[str, dict[str, Series]]:
    """Return all samples with these names, by name and source; a name without samples has no sources.

    Raises
    ------
    StudyError
        When the file is missing, incomplete or damaged.
    """
    found: dict[str, dict[str, Series]] = {name: {} for name in names}
    for t_ns, source, called, value in _lines(path):
        if called in found:
            found[called].setdefault(source, []).append((t_ns, value))
    return found


def _lines(path: Path) -> Iterator[tuple[int, str, str, int]]:
    try:
        with opened(path) as packed, gzip.open(packed) as unpacked:
            lines = csv.reader(io.TextIOWrapper(io.BufferedReader(_Bounded(unpacked)), encoding="utf-8", newline=""))
            if next(lines, None) != COLUMNS:
                raise StudyError(f"cannot read samples: {path}: its first line is not {','.join(COLUMNS)}")
            for t_ns, source, called, value in lines:
                yield _number(t_ns), source, called, _number(value)
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise StudyError(f"cannot read samples: {path}: {reason}") from error


def _number(text: str) -> int:
    found = int(text)
    if not 0 <= found < LARGEST:
        raise ValueError(f"{text[:40]!r} is not a number from 0 to 2^64")
    return found


class _Bounded(io.RawIOBase):
    """A stream that fails after ``MOST_BYTES``, and in a line that is too long."""

    def __init__(self, inner: BinaryIO | gzip.GzipFile) -> None:
        super().__init__()
        self._inner, self._left, self._line = inner, MOST_BYTES, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(f"it unpacks to more than {MOST_BYTES >> 20} MiB")
        end = data.rfind(b"\n")
        self._line = len(data) - end - 1 + (self._line if end < 0 else 0)
        if self._line > MOST_IN_A_LINE:
            raise ValueError(f"a line has more than {MOST_IN_A_LINE >> 10} KiB")
        buffer[: len(data)] = data
        return len(data)
