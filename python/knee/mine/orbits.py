"""In how many copies of small patterns each vertex or edge takes which part."""

from __future__ import annotations

from typing import Any, SupportsIndex

from knee.mine.asking import ask
from knee.mine.questions import Graph, Induced


def per_vertex(
    graph: Graph, *, size: SupportsIndex = 4, induced: Induced = "vertex", threads: SupportsIndex | None = None
) -> dict[Any, dict[str, int]]:
    """Count for each vertex the copies of small patterns by the part that it takes in them (its graphlet orbits).

    Parameters
    ----------
    graph
        As for :func:`count`.
    size
        Number of vertices of the largest patterns: 3 or 4.
    induced, threads
        As for :func:`count`, but vertex-induced, as Orca counts.

    Returns
    -------
    dict
        For each vertex that has edges its counts, by the name of the part.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    >>> import knee
    >>> knee.mine.per_vertex([("ann", "bob"), ("bob", "cy")], size=3)["bob"]
    {'edge': 2, 'wedge-end': 0, 'wedge-middle': 1, 'triangle': 0}
    """
    answer, edges = ask("per-vertex", graph, threads, size=size, induced=induced)
    own = int if edges is None else edges.vertex
    names = answer["columns"][1:]
    return {own(int(row[0])): dict(zip(names, map(int, row[1:]), strict=True)) for row in answer["per-vertex"]}


def per_edge(
    graph: Graph, *, size: SupportsIndex = 4, induced: Induced = "vertex", threads: SupportsIndex | None = None
) -> dict[tuple[Any, Any], dict[str, int]]:
    """Count for each edge the copies of small patterns by the part that it takes in them.

    Parameters
    ----------
    graph, size, induced, threads
        As for :func:`per_vertex`.

    Returns
    -------
    dict
        For each edge, a pair of its ends, its counts by the name of the part. Of numbers the lower end stands first, of
        other vertices the one that comes first in the graph.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    >>> import knee
    >>> knee.mine.per_edge([("ann", "bob"), ("bob", "cy")], size=3)["ann", "bob"]
    {'wedge': 1, 'triangle': 0}
    """
    answer, edges = ask("per-edge", graph, threads, size=size, induced=induced)
    own = int if edges is None else edges.vertex
    names = answer["columns"][2:]
    return {
        (own(int(row[0])), own(int(row[1]))): dict(zip(names, map(int, row[2:]), strict=True))
        for row in answer["per-edge"]
    }
