"""Queries on a Dask cluster."""

from __future__ import annotations

import os
from os import PathLike

import distributed

from knee.cluster.answer import Answer
from knee.cluster.dask.jobs import Cluster
from knee.cluster.parts import Parts, joined, plain, split_query, usual
from knee.cluster.worker import Limits


def query(
    client: distributed.Client,
    sql: str,
    path: str | PathLike[str],
    *,
    parts: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    explain: bool = False,
) -> Answer | Parts:
    """Answer a query in SQL over Parquet files.

    Parameters
    ----------
    client
        Of the cluster. Its scheduler gives the parts to workers, again where a worker is lost.
    sql
        The query, as for ``knee query``; its one table is the data, whatever ``FROM`` calls it.
    path
        A file or a folder, which this machine and all workers see under this path.
    parts
        How many parts at most; a part is at least a row group. By default up to four for each worker.
    threads
        Threads of a part; by default as many as its worker has.
    timeout_s
        How long a part may take.
    explain
        Return the parts instead of the answer, and run nothing.

    Returns
    -------
    Answer
        Names, types and rows, in order.

    Raises
    ------
    knee.store.StudyError
        What is wrong with the query, or which part failed on which worker, and why.
    """
    cluster, data = Cluster(client), plain(os.fspath(path))
    described = split_query(sql, data, usual(cluster) if parts is None else parts)
    if explain:
        return described
    return Answer.of(joined(described, cluster.answers(described, Limits(threads, timeout_s))))
