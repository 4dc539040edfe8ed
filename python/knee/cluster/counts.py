"""Counts of patterns, on either engine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal

from knee.cluster.parts import Cluster, Parts, joined, of_connect, split_count, usual
from knee.cluster.worker import Limits
from knee.store import StudyError

Induced = Literal["edge", "vertex"]


def count(
    engine: Any,
    graph: str | PathLike[str],
    pattern: str,
    *,
    induced: Induced = "edge",
    plan: Literal["auto", "explore", "formula"] = "auto",
    parts: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    cache: bool = True,
    explain: bool = False,
) -> int | Parts:
    """Count the copies of a pattern in a graph.

    Parameters
    ----------
    engine
        A ``distributed.Client``, or a ``SparkSession``.
    graph
        A file that this machine and all workers see under this path, or the name of a generated graph.
    pattern
        As for ``knee mine count``: a name, or edges such as ``"a-b,b-c"``.
    induced
        Whether copies are edge-induced or vertex-induced.
    plan
        How it is counted, as for ``knee mine count``.
    parts
        How many parts; by default four for each worker of Dask, and two for each of Spark.
    threads
        Threads of a part; by default as many as its worker has.
    timeout_s
        How long a part may take.
    cache
        Whether a worker keeps the graph as it is laid out for its next part, in the folder that its engine gives it and
        removes. Without, each part reads the graph's own file.
    explain
        Return the parts instead of the count, and run nothing.

    Returns
    -------
    int
        The count; with ``explain``, :class:`Parts`.

    Raises
    ------
    knee.store.StudyError
        What is wrong with the question, or which part failed on which worker, and why.
    """
    options = {"pattern": pattern, "induced": induced, "plan": plan}
    found = _asked(engine, "count", graph, options, parts, Limits(threads, timeout_s, cache), explain=explain)
    return found if isinstance(found, Parts) else int(found["count"])


def motifs(
    engine: Any,
    graph: str | PathLike[str],
    size: int,
    *,
    induced: Induced = "vertex",
    parts: int | None = None,
    threads: int | None = None,
    timeout_s: float | None = None,
    cache: bool = True,
    explain: bool = False,
) -> dict[str, int] | Parts:
    """Count all connected patterns of a size.

    Parameters
    ----------
    engine, graph, parts, threads, timeout_s, cache, explain
        As for :func:`count`.
    size
        Their number of vertices: 3, 4 or 5.
    induced
        As for :func:`count`, but vertex-induced, as is usual for motifs.

    Returns
    -------
    dict
        The count of each pattern, by its name; with ``explain``, :class:`Parts`.

    Raises
    ------
    knee.store.StudyError
        As for :func:`count`.
    """
    options = {"size": size, "induced": induced}
    found = _asked(engine, "motifs", graph, options, parts, Limits(threads, timeout_s, cache), explain=explain)
    return found if isinstance(found, Parts) else {name: int(number) for name, number in found["motifs"].items()}


def _asked(
    engine: Any,
    action: str,
    graph: str | PathLike[str],
    options: Mapping[str, object],
    parts: int | None,
    limits: Limits,
    *,
    explain: bool,
) -> Any:
    cluster = _cluster(engine)
    described = split_count(action, graph, options, usual(cluster) if parts is None else parts)
    return described if explain else joined(described, cluster.answers(described, limits))


def _cluster(engine: Any) -> Cluster:
    """Return what gives parts to an engine. Only the user's own engine is imported."""
    if isinstance(engine, _class("distributed", "Client")):
        from knee.cluster.dask import jobs

        return jobs.Cluster(engine)
    if isinstance(engine, _class("pyspark.sql", "SparkSession")):
        from knee.cluster.spark import jobs

        return jobs.Cluster(engine)
    if type(engine).__module__.startswith("pyspark.sql.connect"):
        raise of_connect()
    kind = f"{type(engine).__module__}.{type(engine).__qualname__}"
    raise StudyError(f"this is a {kind}, which is no cluster", hint="give a distributed.Client or a SparkSession")


def _class(module: str, name: str) -> tuple[type, ...]:
    """Return a class of a module, if somebody has imported it."""
    found = getattr(sys.modules.get(module), name, None)
    return (found,) if isinstance(found, type) else ()
