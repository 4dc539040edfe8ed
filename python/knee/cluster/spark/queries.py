"""Queries on a Spark cluster."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from knee.cluster.answer import Answer
from knee.cluster.parts import Parts, joined, plain, split_query, usual
from knee.cluster.spark.analysed import Analysed, is_query
from knee.cluster.spark.filled import filled
from knee.cluster.spark.jobs import Cluster
from knee.cluster.spark.tables import Table
from knee.cluster.worker import Limits
from knee.store import StudyError


def sql(
    spark: SparkSession,
    query: str,
    *,
    parts: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    explain: bool = False,
    **table: str | PathLike[str] | DataFrame,
) -> DataFrame | Parts:
    """Answer a query in SQL over Parquet files, now: the data frame holds its answer.

    Parameters
    ----------
    spark
        A classic session. Its scheduler gives the parts to executors, and tries again what fails.
    query
        As for ``knee query``, over one table.
    parts
        How many parts at most; a part is at least a row group. By default up to two for each executor.
    threads
        Threads of a part; by default as many as an executor has cores.
    timeout_s
        How long a part may take.
    explain
        Return the parts instead of the answer, and run nothing.
    **table
        The name of the table in the query, and its data: the path of a file or a folder that this machine and all
        executors see, or a data frame that reads one and does nothing else.

    Returns
    -------
    pyspark.sql.DataFrame
        The rows in order, with the names and types that Spark's own answer has. Sums of doubles depend on the order in
        which they are added, here as in Spark.

    Raises
    ------
    knee.store.StudyError
        What is outside of knee, or which part failed on which worker, and why.
    pyspark.errors.AnalysisException
        What Spark finds wrong with the query.
    """
    cluster = Cluster(spark)
    if len(table) != 1:
        names = ", ".join(table) or "none"
        raise StudyError(f"a query has one table, and here is {names}", hint='give one: sql(…, lineitem="PATH")')
    ((name, data),) = table.items()
    frame = Table.of(spark, data) if isinstance(data, DataFrame) else None
    path = frame.path if frame else plain(os.fspath(cast("str | PathLike[str]", data)))
    with ThreadPoolExecutor(1) as pool:
        # Spark reads its schema of the files while the binary reads what their footers say.
        reading = pool.submit(cluster.as_here(lambda: frame or Table.of(spark, data)))
        try:
            described = split_query(query, path, usual(cluster) if parts is None else parts)
        except StudyError:
            # What Spark finds wrong comes first; but it would also run a statement that is no query.
            read = reading.result()
            if is_query(query):
                Analysed.of(spark, query, name, read)
            raise

        def analysed() -> StructType:
            read = reading.result()
            read.check(described)
            return Analysed.of(spark, query, name, read).schema

        if explain:
            analysed()
            return described
        # Executors need not wait for Spark's schema of the files, nor for the analysis.
        with cluster.begun(described, Limits(threads, timeout_s)) as running:
            schema = analysed()
            answers = running.result()
    return filled(spark, Answer.of(joined(described, answers)), schema)
