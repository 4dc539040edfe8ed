"""Runs a plan through ``knee run --stdin``, appends each record as it comes, and can go on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

from knee import _binary
from knee.store import SCHEMA, Folder, Record, Spec, StudyError, write_whole


class Stopped(Exception):
    """Somebody asked us to stop; what was recorded so far is kept."""


def create(path: Path, question: str, machine: str, plan: list[Spec]) -> Folder:
    """Make the folder of a study, whole or not at all.

    Raises
    ------
    StudyError
        When the folder exists and holds something, or cannot be made.
    """
    if path.exists() and any(path.iterdir() if path.is_dir() else [path]):
        raise StudyError(f"the folder is not empty: {path}", hint=f"knee study --resume {path}, or another --out")
    whole = path.absolute()
    partial = whole.with_name(f".{whole.name}.partial-{os.getpid()}")
    try:
        partial.mkdir(parents=True)
        (partial / "samples").mkdir()
        write_whole(partial / "study.toml", question)
        write_whole(partial / "machine.json", machine)
        write_whole(partial / "plan.jsonl", "".join(json.dumps(spec) + "\n" for spec in plan))
        partial.rename(path)
    except OSError as error:
        raise StudyError(f"cannot make the study: {path}: {error.strerror}") from error
    return Folder(path)


def remaining(folder: Folder) -> list[Spec]:
    """Return the planned runs that have no record yet."""
    done = {record["id"] for record in folder.read_records()}
    return [spec for spec in folder.read_plan() if spec["id"] not in done]


def run(folder: Folder, tell: Callable[[Spec, Record], None]) -> None:
    """Make every run that is still to be made.

    Parameters
    ----------
    folder
        The study.
    tell
        Called after each record is safe on disk.

    Raises
    ------
    Stopped
        On Ctrl-C or SIGTERM.
    StudyError
        When the study is being run by somebody else, a record cannot be written, or the runner was lost.
    """
    with _locked(folder), _stoppable():
        folder.mend_records()
        todo = remaining(folder)
        if todo:
            fresh = len(todo) == len(folder.read_plan())
            with folder.records.open("ab", buffering=0) as log, _runner(folder) as runner:
                good = False
                for spec in todo:
                    if fresh and not good and spec["block"] == 2:
                        hint = f"see why above; knee study --resume {folder.path} goes on all the same"
                        raise StudyError("every run of the first block failed, so the study stops here", hint=hint)
                    line = _exchange(runner, spec, folder)
                    _append(log, line, folder)
                    record: Record = json.loads(line)
                    good = good or record["exit"].get("code") == 0
                    tell(spec, record)


@contextmanager
def _locked(folder: Folder) -> Generator[None]:
    with (folder.path / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StudyError(f"the study is being run already: {folder.path}") from error
        yield


@contextmanager
def _stoppable() -> Generator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _runner(folder: Folder) -> Generator[subprocess.Popen[bytes]]:
    words = [str(_binary.find()), "run", "--stdin", "--samples", str(folder.samples)]
    runner = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield runner
    finally:
        # The runner ends its launcher, and that everything below it, as soon as it is told or its reader is gone.
        if runner.poll() is None:
            runner.terminate()
        for stream in (runner.stdin, runner.stdout):
            _close(stream)
        runner.wait()


def _close(stream: IO[bytes] | None) -> None:
    try:
        if stream is not None:
            stream.close()
    except BrokenPipeError:
        pass  # what was not delivered is of no use to a runner that is gone


def _exchange(runner: subprocess.Popen[bytes], spec: Spec, folder: Folder) -> bytes:
    """Hand over one spec and wait for its record."""
    if runner.stdin is None or runner.stdout is None:
        raise StudyError("the runner has no pipes")
    try:
        runner.stdin.write(json.dumps(spec).encode() + b"\n")
        runner.stdin.flush()
    except BrokenPipeError:
        line = b""
    else:
        line = runner.stdout.readline()
    if not line.endswith(b"\n"):
        hint = f"knee study --resume {folder.path}"
        raise StudyError(f"the runner was lost during run {spec['id']}: status {runner.wait()}", hint=hint)
    record = json.loads(line)
    if record.get("schema") != SCHEMA or record.get("id") != spec["id"]:
        raise StudyError(f"the runner answered run {spec['id']} with a record of another one", hint="set KNEE_BIN anew")
    return line


def _append(log: IO[bytes], line: bytes, folder: Folder) -> None:
    """Append a record so that it is on disk, whole, when this returns."""
    size = os.fstat(log.fileno()).st_size
    try:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(log.fileno(), rest) :]
        os.fsync(log.fileno())
    except OSError as error:
        os.ftruncate(log.fileno(), size)
        hint = f"make room, then knee study --resume {folder.path}"
        raise StudyError(f"cannot write a record: {folder.records}: {error.strerror}", hint=hint) from error
