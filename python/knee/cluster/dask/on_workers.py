"""What runs on Dask's workers. It travels to them by value: of this package, they may have nothing."""

# pyright: basic
# Neither distributed nor cloudpickle has types.

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import distributed

from knee.cluster.worker import Limits, Worker, outcome


def run(limits: Limits, line: str) -> tuple[str | None, str | None, bool, str]:
    """Answer a part, as long as Dask wants it. Returns the members of an :class:`Outcome`, and which worker this is."""
    here = distributed.get_worker()
    own = Worker(
        name=f"{here.address} ({os.uname().nodename})",
        folder=here.local_directory,
        threads=here.state.nthreads,
        archives=(here.local_directory,),
    )
    found = outcome(line, own, limits, _wanted(here))
    return found.answer, found.error, found.again, here.address


def _wanted(here: distributed.Worker) -> Callable[[], bool]:
    """Return a function that says whether Dask still waits for the task that runs now."""
    key, tasks = here.get_current_task(), here.state.tasks

    def wanted() -> bool:
        task = tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return wanted


class Bring(distributed.WorkerPlugin):
    """Writes the binary into the folder of a worker."""

    name = "knee"

    def __init__(self, content: bytes) -> None:
        self._content = content

    def setup(self, worker: distributed.Worker) -> None:
        """Write it: whole, or not at all."""
        path = Path(worker.local_directory) / "knee"
        part = path.with_suffix(".part")
        try:
            part.write_bytes(self._content)
            part.chmod(0o755)
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise RuntimeError(f"cannot write {path} on {worker.address}: {error.strerror}") from None
