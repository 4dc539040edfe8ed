"""A Dask cluster whose one worker is a process of its own, in whatever surroundings a test wants."""

from __future__ import annotations

import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from distributed import Client, LocalCluster


@contextmanager
def client_of(python: Sequence[str], environment: Mapping[str, str], folder: Path) -> Generator[Client]:
    """Start a worker of one thread by the words that lead to its Python; give a client of its cluster."""
    words = [*python, "-m", "distributed.cli.dask_worker", "--nthreads=1", "--no-dashboard"]
    with LocalCluster(n_workers=0, dashboard_address=None) as cluster, Client(cluster) as client:
        words += [f"--local-directory={folder}", cluster.scheduler_address]
        with subprocess.Popen(words, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                client.wait_for_workers(1, timeout=60)
                yield client
            finally:
                process.terminate()
