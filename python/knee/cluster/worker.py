"""Answers one part on a worker, by a process of the binary.

It travels to workers by value, which may not have this package: only the standard library is imported.
"""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

TRIES = 3
"""How often a part is tried that fails."""

TICK_S = 0.05
"""How often a running part looks whether it is still wanted."""

SEAT_TICK_S = 0.005
"""The same for a part that waits for the one before it."""

KEPT = 3
"""How many graphs a worker keeps, beside a new one: it may live for months."""


@dataclass(frozen=True)
class Limits:
    """How workers answer parts."""

    threads: int | None = None
    """Threads of a part; None for as many as its worker has."""
    timeout_s: float | None = None
    """How long a part may take, from the start of its process."""
    cache: bool = False
    """Whether a worker keeps a graph as it is laid out, for its next part."""


@dataclass(frozen=True)
class Worker:
    """What is known of the worker that this runs on."""

    name: str
    folder: str | None
    """A folder of this worker alone, which the engine removes; None where parts neither wait nor keep anything."""
    threads: int | None
    """Threads that the engine gave it; None where only its control group and its cpus say."""
    archives: Sequence[str] = ()
    """Folders in which the engine may have put the binary."""


@dataclass(frozen=True)
class Outcome:
    """What came of a part. Failures are returned: an engine would log a trace for each."""

    answer: str | None
    error: str | None = None
    """Which part failed where, and why; what to try follows in a line that begins with ``hint:``."""
    again: bool = False
    """Whether it may do better on another worker, or later."""


class LateError(RuntimeError):
    """A part took longer than it may."""


def outcome(line: str, worker: Worker, limits: Limits, wanted: Callable[[], bool] = lambda: True) -> Outcome:
    """Answer a part, as :func:`run_part` does."""
    try:
        return Outcome(run_part(line, worker, limits, wanted))
    except RuntimeError as error:
        return Outcome(None, str(error), again=not isinstance(error, LateError))


def run_part(line: str, worker: Worker, limits: Limits, wanted: Callable[[], bool] = lambda: True) -> str:
    """Return the line that answers a part. A worker answers one part at a time, with all its threads.

    ``wanted`` says whether anybody still waits for it; when not, its process ends.

    Raises
    ------
    RuntimeError
        Which part failed where, and why; what to try follows in a line that begins with ``hint:``.
    """
    try:
        part = json.loads(line)
        where = f"part {part['part']} of {part['parts']} failed on {worker.name}: "
    except (ValueError, TypeError, KeyError):
        raise RuntimeError("this is no part\nhint: give a line that --split printed") from None
    verb = "query" if "sql" in part else "mine"
    words = [binary(worker, where), verb, "--part", *_threads(worker, limits)]
    graphs = Path(worker.folder) / "knee-graphs" if worker.folder and limits.cache and verb == "mine" else None
    if graphs is not None:
        words += ["--cache", str(graphs)]
    try:
        with _seat(worker, where, wanted):
            if graphs is not None:
                _forget(graphs)
            status, out, errors = _ran(words, line, limits.timeout_s, wanted, where)
    except OSError as error:
        raise RuntimeError(f"{where}{error}") from None
    if status == 0 and out.endswith(b"\n"):
        return out.decode().strip()
    raise RuntimeError(where + _reason(status, errors.decode(errors="replace")))


def _forget(graphs: Path) -> None:
    """Remove all graphs but the newest, and what killed processes left unfinished. No other part runs now."""
    with suppress(OSError):
        kept = sorted(graphs.glob("*.knee"), key=lambda file: file.stat().st_mtime_ns)
        for file in (*graphs.glob("*.part"), *kept[:-KEPT]):
            file.unlink(missing_ok=True)


def binary(worker: Worker, where: str) -> str:
    """Return the path of the binary on this worker.

    Raises
    ------
    RuntimeError
        With the three ways to bring it here.
    """
    if named := os.environ.get("KNEE_BIN"):
        return named
    folders = [*worker.archives, str(Path(sys.executable).parent), sysconfig.get_path("scripts")]
    for path in (Path(folder) / "knee" for folder in folders):
        if path.is_file():
            return str(path)
    if found := shutil.which("knee"):
        return found
    raise RuntimeError(
        f"{where}it has no binary knee\nhint: install knee there with pip, send it with Dask by"
        " client.register_plugin(knee.cluster.dask.Binary()), or with Spark by spark.archives"
        " (knee.cluster.archive makes the file)"
    )


def _threads(worker: Worker, limits: Limits) -> list[str]:
    """Return the options that say how many threads there are, and where: each on a cpu of its own if all are used."""
    cpus = len(os.sched_getaffinity(0))
    threads = limits.threads
    if threads is None and worker.threads is not None:
        threads = min(worker.threads, cpus)
    if threads is None:
        return []
    return [f"--threads={threads}", *(["--placement=threads-close"] if threads == cpus > 1 else [])]


@contextmanager
def _seat(worker: Worker, where: str, wanted: Callable[[], bool]) -> Generator[None]:
    """Let one part run at a time. The kernel gives the seat back, however this process ends."""
    if worker.folder is None:
        yield
        return
    path = Path(worker.folder) / "knee-seat"
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise RuntimeError(
            f"{where}cannot write {path}: {error.strerror}\nhint: give this worker a folder with space"
        ) from None
    try:
        while not _locked(file, path, where):
            _check(wanted, where)
            time.sleep(SEAT_TICK_S)
        try:
            yield
        finally:
            # Before it is closed: a process that was forked meanwhile has it open, too.
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)


def _locked(file: int, path: Path, where: str) -> bool:
    """Lock a file, unless another process has it locked."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise RuntimeError(
            f"{where}cannot lock {path}: {error.strerror}\nhint: give this worker a folder on a disk of its own"
        ) from None
    return True


def _ran(
    words: list[str], line: str, timeout_s: float | None, wanted: Callable[[], bool], where: str
) -> tuple[int, bytes, bytes]:
    """Return the status of a process, and what it wrote. It ends when its input closes: also when this process does."""
    end = None if timeout_s is None else time.monotonic() + timeout_s
    try:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise RuntimeError(f"{where}cannot start {words[0]}: {error.strerror}") from None
    with process, selectors.DefaultSelector() as ready:
        try:
            _offer(process.pid)
            if process.stdin is None or process.stdout is None or process.stderr is None:
                raise RuntimeError("the process has no pipes")
            given = process.stdin.fileno()
            os.set_blocking(given, False)
            ready.register(process.stdin, selectors.EVENT_WRITE, bytearray(line.encode() + b"\n"))
            written: dict[int, bytearray] = {}
            for stream in (process.stdout, process.stderr):
                ready.register(stream, selectors.EVENT_READ, written.setdefault(stream.fileno(), bytearray()))
            reads = {stream.fileno() for stream in (process.stdout, process.stderr)}
            while reads & set(ready.get_map()):
                for key, _ in ready.select(TICK_S):
                    if key.fd == given:
                        if not _written(key.fd, key.data):
                            # It stays open: the process ends when it is closed.
                            ready.unregister(key.fileobj)
                    elif more := os.read(key.fd, 1 << 20):
                        key.data.extend(more)
                    else:
                        ready.unregister(key.fileobj)
                _check(wanted, where)
                if end is not None and time.monotonic() > end:
                    raise LateError(
                        f"{where}it took longer than {timeout_s:g} s\nhint: raise timeout_s, or ask for more parts"
                    )
            out, errors = (bytes(text) for text in written.values())
            return process.wait(), out, errors
        finally:
            # It has nothing to save. Where it has ended, nothing happens.
            process.kill()


def _offer(process: int) -> None:
    """Have the kernel kill a part before anything else where memory runs out, since it can be tried again.

    It would take what has most: the worker, with the user's own data.
    """
    with suppress(OSError):
        Path(f"/proc/{process}/oom_score_adj").write_text("1000")


def _written(file: int, left: bytearray) -> bool:
    """Write what a pipe takes, and return whether more is left. What has ended reads nothing, and says why."""
    try:
        del left[: os.write(file, left)]
    except BlockingIOError:
        return True
    except BrokenPipeError:
        return False
    return bool(left)


def _check(wanted: Callable[[], bool], where: str) -> None:
    if not wanted():
        raise RuntimeError(f"{where}it was cancelled")


def _reason(status: int, errors: str) -> str:
    """Return what a process that failed said, or how it ended."""
    if status >= 0 and errors.strip():
        message, hint = said(errors)
        if hint and "--cache" in hint:
            hint = "give the worker a folder with room for the graph, or pass cache=False"
        return f"{message}\nhint: {hint}" if hint else message
    if status == -9:
        return (
            "its process was killed by signal 9, as the kernel does when a container is out of memory"
            "\nhint: give the worker more memory"
        )
    if errors.strip():
        return f"its process was ended by signal {-status}: {errors.strip().splitlines()[-1]}"
    return f"its process was ended by signal {-status}" if status < 0 else f"its process ended with status {status}"


def said(errors: str) -> tuple[str, str | None]:
    """Return the message and the hint in what the binary wrote to standard error."""
    message, _, hint = errors.strip().removeprefix("knee: ").partition("\nhint: ")
    return message.strip(), hint.strip() or None


def host() -> str:
    """Return the name of this machine."""
    return socket.gethostname()
