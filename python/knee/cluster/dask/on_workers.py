"""What runs on Dask's workers. It travels to them by value: of this package, they may have nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import distributed

from knee.cluster.worker import Limits, Outcome, Worker, outcome


def run(line: str, limits: Limits) -> Outcome:
    """Answer a part, as long as Dask wants it."""
    here = distributed.get_worker()
    own = Worker(
        name=f"{here.address} ({os.uname().nodename})",
        folder=here.local_directory,
        threads=here.state.nthreads,
        archives=(here.local_directory,),
    )
    return outcome(line, own, limits, _wanted(here))


def _wanted(here: distributed.Worker) -> Callable[[], bool]:
    """Return a function that says whether Dask still waits for the task that runs now."""
    key, tasks = here.get_current_task(), here.state.tasks

    def wanted() -> bool:
        task = tasks.get(key)
        return task is not None and task.state in ("executing", "long-running")

    return wanted


class Binary(distributed.WorkerPlugin):
    """Brings the binary of this machine to all workers of a cluster, also to those that join later.

    ``client.register_plugin(knee.cluster.dask.Binary())``. It is in each worker's own folder, which Dask removes.
    """

    name = "knee"
    idempotent = True

    def __init__(self) -> None:
        from knee import _binary

        self._content = _binary.find().read_bytes()

    def setup(self, worker: distributed.Worker) -> None:
        """Write it into the folder of a worker."""
        path = Path(worker.local_directory) / "knee"
        part = path.with_suffix(".part")
        part.write_bytes(self._content)
        part.chmod(0o755)
        part.replace(path)
