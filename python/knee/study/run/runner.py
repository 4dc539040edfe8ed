"""The runner of a study: ``knee run --stdin``, which takes run specs and answers each with a record."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from knee import _binary
from knee.store import SCHEMA, RunSpec, StudyError
from knee.study.run.signals import Stopped, pausable

ENDING_S = 15.0
"""Seconds within which a runner ends by itself after its pipes are closed."""

HURRY_S = 5.0
"""Seconds within which a runner ends that kills its launcher."""

AWAKE_S = 1.0
"""Seconds between two signals that continue the runner."""


class Runner:
    """A started runner.

    Parameters
    ----------
    samples
        Folder for what it notes over time.
    """

    def __init__(self, samples: Path) -> None:
        words = [str(_binary.find()), "run", "--stdin", "--samples", str(samples), "--parent", str(os.getpid())]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def exchange(self, spec: RunSpec, hint: str) -> bytes:
        """Pass on one run spec and wait for its record; the hint is for a runner that is lost while waiting."""
        _, write = self._pipes()
        try:
            write.write(json.dumps(spec).encode() + b"\n")
            write.flush()
        except BrokenPipeError:
            line = b""
        else:
            line = self._line()
        if not line.endswith(b"\n"):
            status = self._process.wait()
            raise StudyError(f"the runner was lost during run {spec['id']}: status {status}", hint=hint)
        record = json.loads(line)
        if record.get("schema") != SCHEMA or record.get("id") != spec["id"]:
            raise StudyError(f"the runner returned another run's record for run {spec['id']}", hint="check KNEE_BIN")
        return line

    def _line(self) -> bytes:
        """Wait for a line, and continue the runner every second: a program may have stopped it."""
        answer = self._pipes()[0].fileno()
        ready = select.poll()
        ready.register(answer, select.POLLIN)
        line = b""
        while not line.endswith(b"\n"):
            while not ready.poll(AWAKE_S * 1000):
                self.send(signal.SIGCONT)
            more = os.read(answer, 1 << 16)
            if not more:
                break
            line += more
        return line

    def send(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        self._process.send_signal(number)

    def end(self) -> None:
        """End it. When its pipes are closed, it ends its launcher, and the launcher all processes below it.

        If that takes too long, or the user asks again, SIGTERM makes it kill its launcher.
        """
        for stream in self._pipes():
            with suppress(BrokenPipeError):
                stream.close()
        asked_again: BaseException | None = None
        for number, seconds in ((signal.SIGCONT, ENDING_S), (signal.SIGTERM, HURRY_S), (signal.SIGKILL, None)):
            try:
                self.send(number)
                self._process.wait(timeout=seconds)
                break
            except subprocess.TimeoutExpired:
                continue
            except (Stopped, KeyboardInterrupt) as error:
                asked_again = error
        if asked_again:
            raise asked_again

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process.stdout is None or self._process.stdin is None:
            raise StudyError("the runner has no pipes")
        return self._process.stdout, self._process.stdin


@contextmanager
def started(samples: Path) -> Generator[Runner]:
    """Start a runner, pause it on Ctrl-Z, and end it."""
    runner = Runner(samples)
    try:
        with pausable(runner.send):
            yield runner
    finally:
        runner.end()
