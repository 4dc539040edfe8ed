"""What runs on Spark's workers. It travels to them by value: of this package, they may have nothing."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.accumulators import Accumulator, AccumulatorParam

from knee.cluster.worker import Limits, Worker, host, outcome

Answered = tuple[int, str | None, str | None, bool]
"""A part's number, and what came of it: see :class:`knee.cluster.worker.Outcome`."""


class Said(AccumulatorParam[list[str]]):
    """Adds what tasks say, one after another."""

    def zero(self, value: list[str]) -> list[str]:
        """Return what is there before anything is said."""
        del value
        return []

    def addInPlace(self, value1: list[str], value2: list[str]) -> list[str]:  # noqa: N802 -- as Spark calls it
        """Return what both have said."""
        return [*value1, *value2]


@dataclass(frozen=True)
class Job:
    """What every task needs to know."""

    parts: Sequence[tuple[int, str]]
    """The number of each task's part, and what describes it."""
    limits: Limits
    threads: int | None
    """Threads of an executor, where Spark says."""
    final: Accumulator[list[str]]
    """Collects why parts fail for good, while others still run."""
    last: bool
    """Whether parts that fail are not tried again."""

    def answered(self, task: int, given: Iterable[object]) -> Iterator[Answered]:
        """Answer the part of a task, and only then read the task's input, which says nothing.

        Spark sends the input 40 ms after the code: the kernel holds back the second of two short messages until the
        first is acknowledged. Where a task leaves input unread, Spark does not use its process again.
        """
        yield self._answered(*self.parts[task])
        deque(given, maxlen=0)

    def _answered(self, number: int, line: str) -> Answered:
        try:
            here = _here(self.threads)
        except RuntimeError as error:
            return number, None, str(error), True
        found = outcome(line, here, self.limits)
        if found.error is not None and (self.last or not found.again):
            self.final.add([found.error])
        # A worker cannot send an object whose class travelled by value.
        return number, found.answer, found.error, found.again


def _here(threads: int | None) -> Worker:
    """Return what is known of this executor."""
    # The folders that Spark made for this executor's blocks, and removes with it.
    folder = os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0]
    if not folder:
        raise RuntimeError(f"Spark gave its Python worker on {host()} no folder: SPARK_LOCAL_DIRS is not set")
    return Worker(host(), folder, threads, archives=(str(Path(pyspark.SparkFiles.getRootDirectory()) / "knee"),))
