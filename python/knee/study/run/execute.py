"""Runs a plan through ``knee run --stdin``, appends each record at once, and can continue where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from knee import _binary, terminal
from knee.store import (
    End,
    Folder,
    Record,
    RunSpec,
    StudyError,
    design_block,
    is_trial,
    make_folder,
    opened_to_write,
    read_end,
    role_of,
    uncounted,
    write_end,
)
from knee.study.design.duration import pilot_of
from knee.study.design.program import builds
from knee.study.remedies.python_lock import turned_here
from knee.study.run.records import Records
from knee.study.run.runner import Runner, started
from knee.study.run.signals import pausable, stoppable

Tell = Callable[[RunSpec, Record, Collection[RunSpec]], None]

Enough = Callable[[], str | None]
"""Called before each block but the first: returns why the study may end there, or None."""

Before = Callable[[int], None]
"""Called with the number of a block before its first run."""

Ask = Callable[[int], bool]
"""Called with the number of a block of the design before its first run: may extend the plan, and says whether it did.
"""

Piloted = Callable[[RunSpec, Record, float], None]
"""Called after the pilot run, with its spec, its record, and the seconds it took with all that is done around it."""

GRACE_S = 2.0
"""Seconds that an interrupted build, setup or cleanup has to end by itself."""


MOST_SAID = 1 << 16
"""Bytes at the end of what a step prints that are read."""


def due(folder: Folder) -> list[RunSpec]:
    """Return the planned runs that are to be made: all trials of remedies, and of the others those up to the block
    after which the stopping rule ended the study, without counting runs where those of the first block counted nothing.
    """
    return _due(folder, folder.read_records())


def _due(folder: Folder, records: list[Record]) -> list[RunSpec]:
    plan, end = folder.read_plan(), read_end(folder)
    left_out, last = uncounted(plan, records), end.block if end else None
    due = (spec for spec in plan if spec["id"] not in left_out)
    return [spec for spec in due if last is None or design_block(spec) <= last or is_trial(spec)]


def remaining(folder: Folder) -> list[RunSpec]:
    """Return those of :func:`due` that have no record yet."""
    records = folder.read_records()
    done = {record["id"] for record in records}
    return [spec for spec in _due(folder, records) if spec["id"] not in done]


def run(
    folder: Folder,
    tell: Tell,
    enough: Enough = lambda: None,
    before: Before | None = None,
    piloted: Piloted | None = None,
    ask: Ask | None = None,
) -> None:
    """Make every run that has no record yet.

    Parameters
    ----------
    folder
        The study.
    tell
        Called after each record is safe on disk, with the runs that are left.
    enough
        The study's stopping rule. It does not apply before repeated blocks, which replace others, nor before trials of
        remedies, which are no part of the design.
    before
        Called before each block.
    piloted
        Called after a pilot run, which is made before the first block of a new study and recorded nowhere; without
        it there is no pilot run.
    ask
        Adds runs that explain the loss, see :mod:`knee.study.run.asking`.

    Raises
    ------
    Stopped
        On Ctrl-C or SIGTERM.
    StudyError
        When another process runs the study, a record cannot be written, or the runner was lost.
    """
    _binary.hang_up()
    with locked(folder), stoppable():
        folder.cut_torn_record()
        make_folder(folder.samples)
        todo = remaining(folder)
        if todo:
            with _set_up(folder):
                _make(folder, todo, tell, enough, before, piloted, ask)


def once(spec: RunSpec) -> tuple[Record, float]:
    """Make one run that belongs to no study; return its record, and the seconds it took."""
    _binary.hang_up()
    with tempfile.TemporaryDirectory() as samples, started(Path(samples)) as runner:
        return _timed(runner, spec)


def _timed(runner: Runner, spec: RunSpec) -> tuple[Record, float]:
    """Make a pilot run: it leaves no samples."""
    pilot: RunSpec = {**spec, "id": "pilot", "sample_ms": 0, "census_ms": 0}
    began = time.monotonic()
    line = runner.exchange(pilot, "run the program by itself to see why")
    return json.loads(line), time.monotonic() - began


def _make(
    folder: Folder,
    todo: list[RunSpec],
    tell: Tell,
    enough: Enough,
    before: Before | None,
    piloted: Piloted | None,
    ask: Ask | None,
) -> None:
    fresh = len(todo) == len(folder.read_plan())
    # Of a study that went well before, the first block here may be the rest of one; the next one is whole.
    worked = any(record["exit"].get("code") == 0 for record in folder.read_records())
    must = todo[0]["block"] + (0 if fresh else 1)
    plan = folder.read_plan()
    blocks = {spec["id"]: spec["block"] for spec in plan}
    own = {_key(spec): spec["program"] for spec in plan if role_of(spec) == "measure"}
    # A resumed study completes the block in which it stopped.
    begun = max((blocks.get(record["id"], 0) for record in folder.read_records()), default=0)
    with _opened(folder.records) as log, started(folder.samples) as runner:
        records = Records(folder, log)
        good, block, ended = False, 0, False
        coming = deque(todo)
        while coming:
            if block and coming[0]["block"] != block == todo[0]["block"]:
                coming = _worth_counting(folder, records, coming)
                if not coming:
                    break
            if ask and not ended and coming[0]["block"] > max(block, 1) and not _free(coming[0]):
                number = coming[0]["block"]
                if records.extend(lambda number=number: ask(number)):
                    coming = deque(remaining(folder))
                _binary.hang_up()
            spec = coming.popleft()
            free = _free(spec)
            if ended and not free:
                continue
            if (fresh or worked) and not good and not free and spec["block"] > must:
                hint = f"see errors above; knee study --resume {folder.quoted} continues anyway"
                which = "the first block" if fresh else f"blocks {todo[0]['block']} to {must}"
                raise StudyError(f"every run of {which} failed, so the study stops here", hint=hint)
            if not free and 0 < begun < spec["block"] and (why := enough()):
                records.check()
                write_end(folder, End(spec["block"] - 1, why))
                ended = True
                continue
            begun = max(begun, spec["block"])
            if spec["block"] != block:
                block = spec["block"]
                if before:
                    before(block)
                if fresh and piloted and block == todo[0]["block"]:
                    pilot = pilot_of(todo)
                    piloted(pilot, *_timed(runner, pilot))
            line = runner.exchange(_by_this_knee(spec, own), f"knee study --resume {folder.quoted}")
            records.append(line)
            record: Record = json.loads(line)
            good = good or record["exit"].get("code") == 0
            tell(spec, record, coming)
        records.check()


def _key(spec: RunSpec) -> str:
    return json.dumps(spec["cell"], sort_keys=True)


def _by_this_knee(spec: RunSpec, own: Mapping[str, Mapping[str, Any]]) -> RunSpec:
    """Let this knee start copies of a command, and longer turns at an interpreter's lock, where the one that planned
    them is gone: a study may have been planned from another environment. ``own`` has the programs of cells.
    """
    program = dict(turned_here(spec["program"], own.get(_key(spec), {}), os.environ))
    spec = cast("RunSpec", {**spec, "program": program})
    words = [str(word) for word in cast("list[object]", program.get("command", []))]
    if words[1:2] != ["copies"] or Path(words[0]).name != "knee" or Path(words[0]).exists():
        return spec
    return cast("RunSpec", {**spec, "program": program | {"command": [str(_binary.find()), *words[1:]]}})


def _worth_counting(folder: Folder, records: Records, coming: deque[RunSpec]) -> deque[RunSpec]:
    """Return the runs that are left without those that would count nothing, and say so."""
    if not any(role_of(spec) == "counting" for spec in coming):
        return coming
    records.check()
    left_out = uncounted(folder.read_plan(), folder.read_records())
    kept = deque(spec for spec in coming if spec["id"] not in left_out)
    if len(kept) < len(coming):
        terminal.err("knee: no counter has a value here: the runs that count are left out from now on")
    return kept


def _free(spec: RunSpec) -> bool:
    """Whether a run is no part of the design, so that the stopping rule does not apply to it."""
    return "repeats" in spec or is_trial(spec)


@contextmanager
def _set_up(folder: Folder) -> Generator[None]:
    """Run the study's setup before, and its cleanup after, also after an error."""
    # Read before anything runs: the cleanup is the one that was asked for, also if the file is gone by then.
    study_spec = folder.read_study_spec()
    measure, directory = study_spec.get("measure", {}), study_spec.get("program", {}).get("directory")
    try:
        for text in builds(measure.get("build"), folder.read_plan()):
            _shell(folder, "build", text, directory)
        _shell(folder, "setup", measure.get("setup"), directory)
        yield
    except BaseException:
        # The error that stopped the study is printed last; a failed cleanup before it.
        try:
            _shell(folder, "cleanup", measure.get("cleanup"), directory)
        except StudyError as error:
            terminal.err(f"knee: {error}")
        raise
    _shell(folder, "cleanup", measure.get("cleanup"), directory)


def _shell(folder: Folder, step: str, text: str | None, directory: str | None) -> None:
    if text is None:
        return
    # A file, not a pipe: a server that setup leaves running would keep a pipe open.
    with tempfile.TemporaryFile() as said:
        words = ["sh", "-c", text]
        try:
            status = _in_a_group(words, directory, said)
        except OSError as error:
            raise StudyError(f"{step} failed: {text}: {error.filename}: {error.strerror}") from error
        except _AsksTerminal:
            why = "it asked the terminal, perhaps for a password; steps of a study have none"
            raise StudyError(f"{step} failed: {text}: {why}", hint=_goes_on(folder, step)) from None
        # A build may have said gigabytes.
        said.seek(max(0, said.seek(0, os.SEEK_END) - MOST_SAID))
        last = said.read().decode(errors="replace").strip()[-1000:]
    if status != 0:
        how = f"exit status {status}" if status > 0 else f"ended by signal {-status}"
        raise StudyError(f"{step} failed: {text}: {how}" + (f": {last}" if last else ""), hint=_goes_on(folder, step))


class _AsksTerminal(Exception):
    """A step asked the terminal for input, or to change its settings."""


def _in_a_group(words: list[str], directory: str | None, said: BinaryIO) -> int:
    """Run a command in a process group of its own; return its status. An interrupt ends the whole group.

    A compiler that `make` has started would go on otherwise, beside the cleanup.
    """
    running = subprocess.Popen(
        words, cwd=directory, stdin=subprocess.DEVNULL, stdout=said, stderr=said, process_group=0
    )
    try:
        with pausable(lambda number: _signal(running, number)):
            return _ended(running)
    except BaseException:
        refused = not (_signal(running, signal.SIGTERM) and _signal(running, signal.SIGCONT))
        try:
            with suppress(subprocess.TimeoutExpired):
                running.wait(GRACE_S)
        finally:
            if refused and running.poll() is None:
                terminal.err(f"knee: a step still runs, as another user: process {running.pid}")
            else:
                _signal(running, signal.SIGKILL)
                running.wait()
        raise


def _signal(running: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to the process group of a step; False where that is another user's, as after ``sudo``."""
    try:
        os.killpg(running.pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


def _ended(running: subprocess.Popen[bytes]) -> int:
    """Wait for a process, and return its status.

    Raises
    ------
    _AsksTerminal
        When it is stopped for asking the terminal, which only the foreground may do: nobody would continue it.
    """
    while True:
        seen = os.waitid(os.P_PID, running.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
        if seen is None or seen.si_code not in (os.CLD_STOPPED, os.CLD_TRAPPED):
            return running.wait()
        if seen.si_status in (signal.SIGTTIN, signal.SIGTTOU):
            raise _AsksTerminal
        os.waitid(os.P_PID, running.pid, os.WSTOPPED | os.WNOHANG)


def _goes_on(folder: Folder, step: str) -> str:
    name = folder.quoted
    return f"all runs are kept: knee report {name}" if step == "cleanup" else f"knee study --resume {name}"


def _opened(path: Path) -> BinaryIO:
    try:
        return opened_to_write(path)
    except OSError as error:
        hint = "look where the link leads, then remove it" if path.is_symlink() else None
        raise StudyError(f"cannot write: {path}: {error.strerror}", hint=hint) from error


@contextmanager
def locked(folder: Folder) -> Generator[None]:
    """Lock the study: other processes can neither run it nor change its plan."""
    with _opened(folder.path / ".lock") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "wait until the other process ends"
            raise StudyError(f"the study is already running: {folder.path}", hint=hint) from error
        except OSError as error:
            hint = "the file system or a sandbox (seccomp) forbids it; try another folder, or no sandbox"
            raise StudyError(f"cannot lock the study: {file.name}: {error.strerror}", hint=hint) from error
        yield
