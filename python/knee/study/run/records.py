"""Appends the records of a running study, and notices when something else changes what results depend on.

A program or an editor may write into the folder while the study runs: it would then report what was never measured.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from knee.store import Folder, StudyError
from knee.store.read import opened, reason_of

HINT = "do not change the folder of a running study, neither by hand nor by the program"


class Records:
    """The records of a study that this process runs; it holds the lock of the study."""

    def __init__(self, folder: Folder, log: IO[bytes]) -> None:
        self._folder = folder
        self._log = log
        self._digest = hashlib.sha256()
        for part in _parts(folder.records):
            self._digest.update(part)
        self._size = os.fstat(log.fileno()).st_size
        self._fixed = {path: _digest(path) for path in (folder.plan, folder.machine)}
        self._study_spec = _without_claims(folder)

    def append(self, line: bytes) -> None:
        """Append a record and sync it to disk.

        Raises
        ------
        StudyError
            When it cannot be written, or the file is not as the previous record left it.
        """
        records, log = self._folder.records, self._log.fileno()
        if not self._is_there():
            raise StudyError(f"cannot write a record: {records}: removed or replaced during the study", hint=HINT)
        if os.fstat(log).st_size != self._size:
            raise StudyError(f"cannot write a record: {records}: changed during the study", hint=HINT)
        try:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(log, rest) :]
            os.fsync(log)
        except OSError as error:
            os.ftruncate(log, self._size)
            hint = f"free some space, then knee study --resume {self._folder.quoted}"
            raise StudyError(f"cannot write a record: {records}: {error.strerror}", hint=hint) from error
        self._digest.update(line)
        self._size += len(line)

    def extend(self, extend: Callable[[], bool]) -> bool:
        """Let this process extend the plan, after a check that nobody else changed it; return whether it did."""
        self.check()
        extended = extend()
        self._fixed[self._folder.plan] = _digest(self._folder.plan)
        return extended

    def check(self) -> None:
        """Raise :class:`StudyError` if records, plan, machine or design are not as this process left them.

        Claims may be added to study.toml at any time.
        """
        if not self._is_there():
            raise StudyError(f"removed or replaced during the study: {self._folder.records}", hint=HINT)
        fixed = self._fixed | {self._folder.records: self._digest.digest()}
        changed = [path for path, digest in fixed.items() if _digest(path) != digest]
        if not changed and _without_claims(self._folder) != self._study_spec:
            changed = [self._folder.study_spec]
        if changed:
            hint = f"restore it from a copy, or plan the study again; {HINT}"
            raise StudyError(f"changed during the study, so its results are not trusted: {changed[0]}", hint=hint)

    def _is_there(self) -> bool:
        """Whether the open file is still the study's file of records."""
        try:
            return os.path.samestat(os.fstat(self._log.fileno()), self._folder.records.stat())
        except OSError:
            return False


def _digest(path: Path) -> bytes:
    found = hashlib.sha256()
    for part in _parts(path):
        found.update(part)
    return found.digest()


def _parts(path: Path) -> Iterator[bytes]:
    try:
        with opened(path) as file:
            yield from iter(lambda: file.read(1 << 20), b"")
    except OSError as error:
        raise StudyError(f"cannot read: {path}: {reason_of(error)}", hint=HINT) from error


def _without_claims(folder: Folder) -> str:
    tables: dict[str, Any] = {**folder.read_study_spec()}
    tables.pop("claim", None)
    return json.dumps(tables, sort_keys=True, default=str)
