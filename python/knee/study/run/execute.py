"""Runs a plan through ``knee run --stdin``, appends each record as it comes, and can go on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import IO

from knee import _binary
from knee.store import SCHEMA, End, Folder, Record, RunSpec, StudyError, design_block, read_end, write_end
from knee.study.design.program import builds


class Stopped(Exception):
    """Somebody asked us to stop; what was recorded so far is kept."""


Enough = Callable[[], str | None]
"""Asked before each block but the first: why the study may end there; None when it may not."""

Before = Callable[[int], None]
"""Called with its number before the first run of each block, when nothing is measured."""


def remaining(folder: Folder) -> list[RunSpec]:
    """Return the planned runs that have no record yet, up to the block after which the study's own rule ended it."""
    done = {record["id"] for record in folder.read_records()}
    end = read_end(folder)
    last = end.block if end else None
    planned = (spec for spec in folder.read_plan() if last is None or design_block(spec) <= last)
    return [spec for spec in planned if spec["id"] not in done]


def run(
    folder: Folder,
    tell: Callable[[RunSpec, Record], None],
    enough: Enough = lambda: None,
    before: Before | None = None,
) -> None:
    """Make every run that is still to be made.

    Parameters
    ----------
    folder
        The study.
    tell
        Called after each record is safe on disk.
    enough
        The study's stopping rule. Blocks that are repeated are not asked for: they replace others.
    before
        Called before each block.

    Raises
    ------
    Stopped
        On Ctrl-C or SIGTERM.
    StudyError
        When the study is being run by somebody else, a record cannot be written, or the runner was lost.
    """
    _binary.hang_up()
    with locked(folder), _stoppable():
        folder.cut_torn_record()
        todo = remaining(folder)
        if todo:
            with _set_up(folder):
                _make(folder, todo, tell, enough, before)


def _make(
    folder: Folder, todo: list[RunSpec], tell: Callable[[RunSpec, Record], None], enough: Enough, before: Before | None
) -> None:
    fresh = len(todo) == len(folder.read_plan())
    blocks = {spec["id"]: spec["block"] for spec in folder.read_plan()}
    # Of a study that goes on, a block that was begun is completed, and so is every one before it.
    begun = max((blocks.get(record["id"], 0) for record in folder.read_records()), default=0)
    with folder.records.open("ab", buffering=0) as log, _runner(folder) as runner:
        good, block = False, 0
        for spec in todo:
            if fresh and not good and spec["block"] == 2:
                hint = f"see why above; knee study --resume {folder.path} goes on all the same"
                raise StudyError("every run of the first block failed, so the study stops here", hint=hint)
            if "repeats" not in spec and 0 < begun < spec["block"] and (why := enough()):
                write_end(folder, End(spec["block"] - 1, why))
                return
            begun = max(begun, spec["block"])
            if spec["block"] != block:
                block = spec["block"]
                if before:
                    before(block)
            line = _exchange(runner, spec, folder)
            _append(log, line, folder)
            record: Record = json.loads(line)
            good = good or record["exit"].get("code") == 0
            tell(spec, record)


@contextmanager
def _set_up(folder: Folder) -> Generator[None]:
    """Run the study's setup before, and its cleanup after, whatever happened."""
    try:
        for text in builds(folder.read_measure().get("build"), folder.read_plan()):
            _shell(folder, "build", text)
        _shell(folder, "setup")
        yield
    except BaseException:
        # What stopped the study is what has to be said in the end; that its cleanup failed as well, before that.
        try:
            _shell(folder, "cleanup")
        except StudyError as error:
            sys.stderr.write(f"knee: {error}\n")
        raise
    _shell(folder, "cleanup")


def _shell(folder: Folder, step: str, text: str | None = None) -> None:
    text = text or folder.read_measure().get(step)
    if text is None:
        return
    directory = folder.read_study_spec().get("program", {}).get("directory")
    # A file, not a pipe: a server that setup leaves running would keep a pipe open.
    with tempfile.TemporaryFile() as said:
        words = ["sh", "-c", text]
        try:
            done = subprocess.run(
                words, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, check=False
            )
        except OSError as error:
            raise StudyError(f"{step} failed: {text}: {error.filename}: {error.strerror}") from error
        said.seek(0)
        last = said.read().decode(errors="replace").strip()[-1000:]
    if done.returncode != 0:
        how = f"exit status {done.returncode}" if done.returncode > 0 else f"ended by signal {-done.returncode}"
        raise StudyError(f"{step} failed: {text}: {how}" + (f": {last}" if last else ""), hint=_goes_on(folder, step))


def _goes_on(folder: Folder, step: str) -> str:
    name = folder.path
    return f"all runs are kept: knee report {name}" if step == "cleanup" else f"knee study --resume {name}"


@contextmanager
def locked(folder: Folder) -> Generator[None]:
    """Keep other processes from running the study, or changing its plan."""
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


def _exchange(runner: subprocess.Popen[bytes], spec: RunSpec, folder: Folder) -> bytes:
    """Hand over one run spec and wait for its record."""
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
