"""Finds the binary and asks it questions: one process answers all, or one of its own a question that may take long."""

from __future__ import annotations

import atexit
import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from knee.store import StudyError


def find() -> Path:
    """Return the path of the binary.

    ``KNEE_BIN`` (which the binary sets when it starts this package) comes first, then the folder of this interpreter,
    then the installation's folder for scripts, then ``PATH``.

    Raises
    ------
    StudyError
        When it is in none of them.
    """
    named = os.environ.get("KNEE_BIN")
    if named:
        return Path(named)
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        if (folder / "knee").is_file():
            return folder / "knee"
    found = shutil.which("knee")
    if found is None:
        raise StudyError("cannot find the binary knee", hint="install knee, or set KNEE_BIN to the path of the binary")
    return Path(found)


def ask(*words: str) -> Any:
    """Return what a native verb prints with ``--json``.

    Raises
    ------
    StudyError
        With the binary's error message when the verb fails.
    """
    return _answers.to({"ask": words})


def ask_once(words: Sequence[str], files: Sequence[int] = ()) -> Any:
    """Return what a native verb prints with ``--json``, by a process of its own, which this ends in any case.

    ``files`` are open files that the process inherits: ``/proc/self/fd/N`` is a path of each.

    Raises
    ------
    StudyError
        With the binary's error message when the verb fails.
    """
    answers = _Answers(files)
    try:
        return answers.to({"ask": words})
    finally:
        answers.end()


def validate(specs: Sequence[Mapping[str, Any]]) -> None:
    """Let the binary check run specs without running them.

    Raises
    ------
    StudyError
        With the binary's error message for the first run spec that it rejects.
    """
    _answers.to({"validate": specs})


def threads_to_skip(text: str) -> list[int]:
    """Parse the value of ``--skip``: thread numbers (0 is the main thread), or likwid's mask over started threads.

    Raises
    ------
    StudyError
        When it is neither a list nor a mask.
    """
    return _answers.to({"skip": text})


def counter_names(text: str) -> list[str]:
    """Split the value of ``--counters`` into names, at every comma that is not between slashes."""
    return _answers.to({"counters": text})


def probes() -> set[str]:
    """Return the names of the workloads that measure the machine: each of their threads has a cpu to itself."""
    return {one["name"] for one in ask("workloads")["workloads"] if one["measures"]}


class Load(TypedDict):
    """How busy other programs kept the allowed cpus over a short time; shares are from 0 to 1."""

    over_s: float
    cpus: int
    other_busy: float
    steal: float
    psi_cpu: NotRequired[float]
    programs: list[str]
    quiet: bool
    says: str


def load(seconds: float) -> Load:
    """Measure for this many seconds how much of the cpus other programs use.

    Raises
    ------
    StudyError
        When the kernel does not say how busy cpus are.
    """
    return _answers.to({"load": seconds})


def hang_up() -> None:
    """End the answering process, if there is one: knee leaves no idle process beside a program that is measured."""
    _answers.end()


class _Answers:
    """The process that answers questions, one line of JSON each. The first question starts it, ``hang_up`` ends it."""

    def __init__(self, files: Sequence[int] = ()) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._files = files

    def to(self, question: Mapping[str, Any]) -> Any:
        try:
            answer = self._exchange(json.dumps(question).encode() + b"\n")
        except BaseException:
            # After an interruption, the next line would be the late answer to this question, not the answer to the next
            # one.
            self.end()
            raise
        if "answer" not in answer:
            raise StudyError(answer["message"], hint=answer["hint"])
        return answer["answer"]

    def _exchange(self, question: bytes) -> dict[str, Any]:
        process = self._process = self._process or _started(self._files)
        if process.stdin is None or process.stdout is None:
            raise StudyError("the answering process has no pipes")
        line = b""
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(question)
            process.stdin.flush()
            line = process.stdout.readline()
        if not line.endswith(b"\n"):
            status = process.wait()
            hint = "set KNEE_BIN to the binary that belongs to this package, or leave it unset"
            if status == -signal.SIGKILL:
                hint = "if nobody did this, the system was out of memory"
            how = f"it was ended by signal {-status}" if status < 0 else f"it ended with status {status}"
            raise StudyError(f"no answer from {find()}: {how}", hint=hint)
        return json.loads(line)

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # Killed, because it has nothing to save, and SIGTERM would not end it while it is stopped.
        process.kill()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if stream is not None:
                    stream.close()
        process.wait()


def _started(files: Sequence[int]) -> subprocess.Popen[bytes]:
    binary = find()
    try:
        return subprocess.Popen([str(binary), "answer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=files)
    except OSError as error:
        raise StudyError(f"cannot start {binary}: {error.strerror}", hint=unstarted(error)) from error


def unstarted(error: OSError) -> str:
    """Return what to try where the binary cannot be started."""
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        return "close files or end programs, or raise the limits (ulimit -a)"
    return "set KNEE_BIN to the binary that belongs to this package, or leave it unset"


_answers = _Answers()
atexit.register(hang_up)
