"""Control groups with little memory, of either generation: what a container is to its processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clusters import until
from conftest import skipped

TOP = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Group:
    """A control group whose memory can be limited."""

    folder: Path
    limits: tuple[str, ...]
    """Files that limit its memory, and then its memory with swap."""
    used: str
    """The file that says how much memory it has."""

    @property
    def inside(self) -> list[str]:
        """The words before a command that runs in it."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh"]

    def processes(self) -> list[int]:
        return [int(one) for one in (self.folder / "cgroup.procs").read_text().split()]

    def leave(self, mib: int) -> None:
        """Let its processes have so much memory beyond what they have now."""
        most = int((self.folder / self.used).read_text()) + (mib << 20)
        for limit in self.limits:
            # A kernel may not count swap.
            with suppress(FileNotFoundError):
                (self.folder / limit).write_text("0" if "swap.max" in limit else str(most))

    def end(self) -> None:
        """Kill its processes, and remove it."""
        for one in self.processes():
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        until(lambda: not self.processes())
        self.folder.rmdir()


@contextmanager
def group(test: str) -> Generator[Group]:
    """Make a group, whose processes end with the block. The test is skipped where none can be made."""
    first, second = TOP / "memory/memory.limit_in_bytes", TOP / "cgroup.controllers"
    name = f"knee-tests-{os.getpid()}"
    if first.exists():
        limits = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
        made = Group(TOP / "memory" / name, limits, "memory.usage_in_bytes")
    elif second.exists() and "memory" in second.read_text().split():
        made = Group(TOP / name, ("memory.max", "memory.swap.max"), "memory.current")
    else:
        skipped(test, "no control groups that limit memory")
    try:
        if not first.exists():
            (TOP / "cgroup.subtree_control").write_text("+memory")
        made.folder.mkdir()
    except OSError as error:
        skipped(test, f"no control group can be made: {error.strerror}")
    try:
        yield made
    finally:
        made.end()
