"""Parts as a data source of Spark 4: each is a partition, which Spark plans, tries again and cancels as any other."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from knee.cluster.spark.on_workers import SCHEMA, Job
from knee.cluster.worker import Limits


class PartsSource(DataSource):
    """The parts of a question. Its option ``job`` says what they are."""

    @classmethod
    def name(cls) -> str:
        """Return the name of its format."""
        return "knee-parts"

    def schema(self) -> str:
        """Return the schema of what comes back."""
        return SCHEMA

    def reader(self, schema: object) -> DataSourceReader:  # noqa: ARG002
        """Return what reads parts."""
        job = json.loads(self.options["job"])
        return PartsReader(Job(tuple(job["lines"]), tuple(job["todo"]), Limits(**job["limits"]), job["threads"]))


class PartsReader(DataSourceReader):
    """Answers the parts of a job."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def partitions(self) -> list[InputPartition]:
        """Return a partition for each part."""
        return [InputPartition(number) for number in range(len(self._job.todo))]

    def read(self, partition: InputPartition) -> Iterator[tuple[int, str | None, str | None, bool]]:
        """Answer one part."""
        yield self._job.row(partition.value)
