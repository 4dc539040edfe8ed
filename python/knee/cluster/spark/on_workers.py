"""What runs on Spark's workers. It travels to them by value: of this package, they may have nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from knee.cluster.worker import Limits, Worker, host, outcome

SCHEMA = "part int, answer string, error string, again boolean"
"""Of what a part sends back: see :class:`knee.cluster.worker.Outcome`."""


@dataclass(frozen=True)
class Job:
    """What each task needs to know."""

    lines: tuple[str, ...]
    """All parts."""
    todo: tuple[int, ...]
    """The numbers of those that are to be answered, one by each task."""
    limits: Limits
    threads: int | None
    """Threads of an executor, where Spark says."""

    def row(self, task: int) -> tuple[int, str | None, str | None, bool]:
        """Answer the part of a task."""
        part = self.todo[task]
        found = outcome(self.lines[part], _here(self.threads), self.limits)
        return part, found.answer, found.error, found.again

    def batches(self, given: Iterator[Any]) -> Iterator[Any]:
        """Answer the parts of the tasks whose numbers are in record batches of Arrow."""
        import pyarrow as pa

        for batch in given:
            rows = [self.row(task) for task in batch.column(0).to_pylist()]
            kinds = {"part": pa.int32(), "answer": pa.string(), "error": pa.string(), "again": pa.bool_()}
            columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(kinds.values())]
            yield pa.RecordBatch.from_arrays(columns, names=list(kinds))


def _here(threads: int | None) -> Worker:
    """Return what is known of this executor."""
    # The folders that Spark made for this executor's blocks, and removes with it.
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    if not folder:
        raise RuntimeError(f"Spark gave its Python worker on {host()} no folder: SPARK_LOCAL_DIRS is not set")
    return Worker(host(), folder, threads, archives=(str(Path(pyspark.SparkFiles.getRootDirectory()) / "knee"),))
