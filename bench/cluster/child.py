"""A server of `servers.py` as a child process, with a limit for each answer."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

START = 120
"""Seconds in which a cluster is up."""
END = 20
"""Seconds in which it stops by itself."""


class Slow(Exception):
    """An answer took longer than the limit."""


class Child:
    """A cluster that stays up, in a process group of its own."""

    def __init__(self, words: list[object], environment: dict[str, str], folder: Path) -> None:
        """Start a server, whose temporary files go into the folder."""
        folder.mkdir(exist_ok=True)
        self.log = folder / "log"
        places = {"TMPDIR": str(folder), "SPARK_LOCAL_DIRS": str(folder)}
        places["JDK_JAVA_OPTIONS"] = f"-Djava.io.tmpdir={folder}"
        with self.log.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=os.environ | places | environment,
                start_new_session=True,
            )
        try:
            self.runs: str = self.line(START)["runs"]
        except Slow as slow:
            self.end()
            raise RuntimeError(f"does not start: {slow}") from None
        except RuntimeError:
            self.end()
            raise

    def line(self, limit: float) -> dict[str, Any]:
        """Return the next line."""
        assert self.process.stdout
        if not select.select([self.process.stdout], [], [], limit)[0]:
            raise Slow(f"takes longer than {limit:g} s")
        line = self.process.stdout.readline()  # it is written at once
        if not line:
            said = self.log.read_text(errors="replace").strip().splitlines()
            raise RuntimeError(f"ended: {said[-1] if said else 'without a word'}")
        return json.loads(line)

    def ask(self, question: dict[str, str], limit: float) -> dict[str, Any]:
        """Return the answer; an error is one, too."""
        assert self.process.stdin
        self.process.stdin.write(f"{json.dumps(question)}\n".encode())
        self.process.stdin.flush()
        return self.line(limit)

    def end(self) -> None:
        """End the server, and whatever it started."""
        assert self.process.stdin
        self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
