"""What tests of clusters share: a binary of their own, whose processes can be told apart, and what goes wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import xxhash

from knee import _binary
from knee.cluster import Parts
from knee.store import StudyError

NAMED = ("q1", "q6", "modes", "late", "all", "rare")
"""Queries over lineitem that the binary knows by name."""

SUM = "select l_shipmode, sum(l_tax) tax, avg(l_tax), count(*) from lineitem group by l_shipmode order by tax desc"

SCRIPT = """#!/bin/sh
case "$*" in *--part*) echo "$*" >> {folder}/asked ;; *) exec {binary} "$@" ;; esac
if [ -e {folder}/deaf ]; then exec <&-; echo 'knee: it hears nothing' >&2; exit 2; fi
if [ -e {folder}/once ] && rm {folder}/once 2>/dev/null; then echo 'knee: the disk was away' >&2; exit 2; fi
if [ -e {folder}/late ] && rm {folder}/late 2>/dev/null; then sleep 15; fi
# Like the binary, what is stuck ends when its input does.
if s=$(cat {folder}/stuck 2>/dev/null) && rm {folder}/stuck 2>/dev/null; then timeout "$s" cat >&2; exit 2; fi
if [ -e {folder}/slow ]; then sleep 0.5; fi
# It keeps the last line of an endless one.
if [ -e {folder}/hungry ]; then exec tail -n 1 /dev/zero; fi
if [ -e {folder}/limit ]; then ulimit -v "$(cat {folder}/limit)"; fi
exec {binary} "$@"
"""


class Binaries:
    """A copy of the binary, and a script before it that makes what can go wrong on a worker."""

    def __init__(self, binary: str, folder: Path) -> None:
        self.folder = folder
        self.binary = folder / "knee-real"
        shutil.copy(binary, self.binary)
        self.script = folder / "knee"
        self.script.write_text(SCRIPT.format(binary=self.binary, folder=folder))
        self.script.chmod(0o755)

    def make(self, what: str, text: str = "") -> None:
        """Let all be ``deaf`` or ``slow``, one ``late``, one fail ``once``, one be ``stuck`` for so many seconds, or
        all have a ``limit`` of KiB, or be ``hungry`` for all memory.
        """
        (self.folder / what).write_text(text)

    def fix(self) -> None:
        for what in ("deaf", "once", "late", "stuck", "slow", "limit", "hungry"):
            (self.folder / what).unlink(missing_ok=True)

    def asked(self) -> list[str]:
        """Return the words after which parts were answered."""
        asked = self.folder / "asked"
        return asked.read_text().splitlines() if asked.exists() else []

    def parts(self) -> list[int]:
        """Return the processes that answer parts now."""
        found = [int(path.name) for path in Path("/proc").glob("[0-9]*") if self._is_ours(path)]
        # What the script's shell forks has its words until it executes another program.
        return [one for one in found if _parent(one) not in found]

    def _is_ours(self, process: Path) -> bool:
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            return False
        return b"--part" in words and str(self.folder).encode() in words

    def all_end(self, within_s: float = 10) -> None:
        """Assert that soon no process answers a part."""
        until(lambda: not self.parts(), within_s)


@contextmanager
def faulty(binary: str, folder: Path) -> Generator[Binaries]:
    """Give a binary that can fail. In the end it is whole again, and none of its processes is left."""
    made = Binaries(binary, folder)
    yield made
    made.fix()
    made.all_end()


def until(holds: Callable[[], object], within_s: float = 120) -> None:
    """Wait until something holds, and assert that it does so on a busy machine, too."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _parent(process: int) -> int | None:
    """Return the process that started a process; None if that has ended."""
    try:
        return parent(process)
    except OSError:
        return None


def parent(process: int) -> int:
    """Return the process that started a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def text_of(query: str, path: Path) -> str:
    """Return the SQL of a named query, which the descriptors of its parts have."""
    words = [str(_binary.find()), "query", query, str(path), "--split=1"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["sql"]


def fails(action: Callable[[], object], *said: str) -> StudyError:
    """Assert that an action fails by one error with these words."""
    try:
        answer = action()
    except StudyError as error:
        message = f"{error}\nhint: {error.hint}"
        assert all(words in message for words in said), message
        assert "Traceback" not in message
        return error
    raise AssertionError(f"it gave {answer}")


def of_version(version: str, parts: Parts) -> Parts:
    """Return the parts as another version describes them."""

    def line(own: str) -> str:
        members = own.rpartition(',"checksum":')[0]
        changed = json.dumps(json.loads(members + "}") | {"knee": version}, separators=(",", ":"))
        return f'{changed[:-1]},"checksum":"{xxhash.xxh3_64_hexdigest(changed.encode())}"}}'

    return Parts(parts.verb, tuple(map(line, parts.lines)))
