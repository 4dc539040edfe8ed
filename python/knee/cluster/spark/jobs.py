"""Parts on a Spark cluster."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession

from knee.cluster import worker
from knee.cluster.parts import Parts, failed
from knee.cluster.spark import on_workers
from knee.cluster.worker import TRIES, Limits
from knee.store import StudyError

if TYPE_CHECKING:
    from knee.cluster.spark.source import PartsSource

for _module in (on_workers, worker):
    cloudpickle.register_pickle_by_value(_module)

_registered: WeakSet[SparkSession] = WeakSet()
"""Sessions that know the data source."""


class Cluster:
    """A Spark cluster that answers parts."""

    per_worker = 2
    """Parts for each executor where nobody says how many: few, since Spark takes some 50 ms for each task in Python."""

    def __init__(self, spark: SparkSession) -> None:
        if type(spark).__module__.startswith("pyspark.sql.connect"):
            raise StudyError(
                "this session is one of Spark Connect, which does not show how a frame is read",
                hint="use a classic session: SparkSession.builder.master(…)",
            )
        self._spark = spark
        self._context = spark.sparkContext

    def workers(self) -> int:
        """Return how many executors it has, also those that are still to come."""
        # The driver is among them, and where it is alone, it computes.
        executors = cast("Any", self._context)._jsc.sc().getExecutorMemoryStatus().size() - 1
        threads = self._threads()
        chosen = threads is None or self._context.getConf().contains("spark.default.parallelism")
        return max(1, executors, 0 if chosen else self._context.defaultParallelism // (threads or 1))

    def answers(self, parts: Parts, limits: Limits) -> list[str]:
        """Return the answers of all parts.

        Raises
        ------
        StudyError
            Which part failed on which worker, and why.
        """
        todo, answers = tuple(range(len(parts))), list[str]()
        for tries in range(1, TRIES + 1):
            job = on_workers.Job(parts.lines, todo, limits, self._threads())
            try:
                rows = self._frame(job).collect()
            except Exception as error:
                raise _given_up(error) from error
            answers += [row.answer for row in rows if row.error is None]
            errors = [row for row in rows if row.error is not None]
            for row in errors:
                if not row.again or tries == TRIES:
                    raise failed(row.error)
            todo = tuple(row.part for row in errors)
            if not todo:
                break
        return answers

    def _frame(self, job: on_workers.Job) -> DataFrame:
        if not has_sources(self._spark):
            count = len(job.todo)
            return self._spark.range(0, count, 1, count).mapInArrow(job.batches, on_workers.SCHEMA)
        source = _source()
        if self._spark not in _registered:
            self._spark.dataSource.register(source)
            _registered.add(self._spark)
        described = json.dumps(dataclasses.asdict(job))
        return self._spark.read.format(source.name()).option("job", described).load()

    def _threads(self) -> int | None:
        """Return the threads of an executor; None where Spark leaves them to the machine."""
        master = cast("str", self._context.master)
        if local := re.fullmatch(r"local(?:\[(\d+|\*)(?:,.*)?\])?", master):
            return None if local[1] == "*" else int(local[1] or 1)
        if cluster := re.fullmatch(r"local-cluster\[\s*\d+\s*,\s*(\d+)\s*,.*\]", master):
            return int(cluster[1])
        cores = self._context.getConf().get("spark.executor.cores")
        return int(cores) if cores else None if master.startswith("spark:") else 1


def has_sources(spark: SparkSession) -> bool:
    """Whether data sources can be written in Python: from Spark 4 on."""
    return hasattr(spark, "dataSource")


def _source() -> type[PartsSource]:
    from knee.cluster.spark import source

    cloudpickle.register_pickle_by_value(source)
    return source.PartsSource


def _given_up(error: Exception) -> StudyError:
    """Return in short what Spark says at length."""
    text = str(error)
    latest = re.search(r"most recent failure: ([^\n]*)", text)
    reason = latest[1] if latest else text.strip().partition("\n")[0]
    return StudyError(f"Spark gave up: {reason}", hint="its log says more")
