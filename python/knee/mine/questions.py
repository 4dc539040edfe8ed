"""The questions: how many, which, whether any.

**Graphs** are undirected and simple here: directions, loops and repeated edges are dropped, as from files. A graph is

- a path, or text such as ``"rmat:12"``: all that ``knee mine`` takes;
- a numpy array of whole numbers of shape (m, 2), or anything that becomes one by ``numpy.asarray``;
- a square sparse matrix of scipy: an entry in either direction is an edge, whatever its value;
- a graph of networkx, whose vertices are its nodes, or of igraph, whose vertices are their indices;
- a DataFrame of pandas or a Table of pyarrow: an edge in each row, between the columns ``source`` and ``target``, or
  else the first two;
- an iterable of pairs of any hashable objects.

Vertices without edges are no part of a graph: only the pattern ``vertex`` would find them.

**Patterns** are text as on the command line, small undirected graphs of networkx or igraph, or iterables of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, SupportsIndex

from knee.mine import pattern as patterns
from knee.mine.asking import Labels, ask

Induced = Literal["edge", "vertex"]
"""Sub-graphs that have the pattern's edges, or exactly those."""

Graph = str | PathLike[str] | Iterable[Any] | Any
"""A graph of any kind that is listed above."""


def count(
    graph: Graph,
    pattern: Any,
    *,
    induced: Induced = "edge",
    threads: SupportsIndex | None = None,
    plan: Literal["auto", "explore", "formula"] = "auto",
    labels: Labels = None,
) -> int:
    """Count the copies of a pattern in a graph, exactly.

    Parameters
    ----------
    graph
        A path, an array of edges, a sparse matrix, a graph of networkx or igraph, a table, or pairs.
    pattern
        Its name (``"house"``), its edges as text (``"a-b,b-c,a!c"``), a small graph, or pairs.
    induced
        What a copy is: a sub-graph with the pattern's edges, or, with ``"vertex"``, with exactly those.
    threads
        How many; by default, one on each allowed cpu.
    plan
        How to count: ``"explore"`` matches, ``"formula"`` does not, ``"auto"`` takes a formula where there is one.
    labels
        The label of each vertex that has one, for a pattern with labels such as ``"a:C-b:N"``: a mapping, or, of a
        graph in a file or an array, the path of a file of them.

    Returns
    -------
    int
        How many there are. Each is counted once, not once for each symmetry of the pattern.

    Raises
    ------
    TypeError, ValueError
        When graph or pattern are none.
    knee.store.StudyError
        When the binary refuses them; the message says why.

    Examples
    --------
    >>> import knee
    >>> knee.mine.count([("ann", "bob"), ("bob", "cy"), ("cy", "ann")], "triangle")
    1
    """
    answer, _ = ask("count", graph, threads, labels, pattern=patterns.text(pattern), induced=induced, plan=plan)
    return int(answer["count"])


def motifs(
    graph: Graph, size: SupportsIndex, *, induced: Induced = "vertex", threads: SupportsIndex | None = None
) -> dict[str, int]:
    """Count all connected patterns of a size.

    Parameters
    ----------
    graph
        As for :func:`count`.
    size
        Their number of vertices: 3, 4 or 5.
    induced, threads
        As for :func:`count`, but vertex-induced, as is usual for motifs.

    Returns
    -------
    dict
        The count of each pattern, by its name.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    >>> import knee
    >>> knee.mine.motifs([(0, 1), (1, 2), (2, 0), (2, 3)], 3)
    {'triangle': 1, 'wedge': 2}
    """
    answer, _ = ask("motifs", graph, threads, size=size, induced=induced)
    return {name: int(number) for name, number in answer["motifs"].items()}


def exists(
    graph: Graph,
    pattern: Any,
    *,
    induced: Induced = "edge",
    threads: SupportsIndex | None = None,
    labels: Labels = None,
) -> bool:
    """Find out whether a graph has a copy of a pattern. Ends as soon as one is found.

    Parameters
    ----------
    graph, pattern, induced, threads, labels
        As for :func:`count`.

    Returns
    -------
    bool
        Whether there is one.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    >>> import knee
    >>> knee.mine.exists("rmat:6", "5-clique")
    True
    """
    answer, _ = ask("exists", graph, threads, labels, pattern=patterns.text(pattern), induced=induced)
    return bool(answer["exists"])


def match(
    graph: Graph,
    pattern: Any,
    *,
    limit: SupportsIndex = 10,
    induced: Induced = "edge",
    threads: SupportsIndex | None = None,
    labels: Labels = None,
) -> list[tuple[Any, ...]]:
    """Find copies of a pattern. Ends as soon as there are enough.

    Parameters
    ----------
    graph, pattern, induced, threads, labels
        As for :func:`count`.
    limit
        How many copies to find at most, up to a million.

    Returns
    -------
    list of tuple
        For each copy its vertices: nodes of networkx, indices of igraph, row numbers of a matrix, else what was given.
        They are in the order in which the pattern's vertices first appear in its edges, which
        ``knee mine match`` prints for names. Each copy comes once, the same ones with any number of threads.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    The pattern's vertices are centre, left and right, in this order:

    >>> import knee
    >>> knee.mine.match([("ann", "bob"), ("bob", "cy")], "centre-left,centre-right")
    [('bob', 'cy', 'ann')]
    """
    words = {"pattern": patterns.text(pattern), "limit": limit, "induced": induced}
    answer, edges = ask("match", graph, threads, labels, **words)
    own = int if edges is None else edges.vertex
    return [tuple(own(int(number)) for number in copy) for copy in answer["matches"]]


def fsm(
    graph: Graph,
    support: SupportsIndex,
    *,
    edges: SupportsIndex = 3,
    threads: SupportsIndex | None = None,
    labels: Labels = None,
) -> dict[str, int]:
    """Find the patterns that are frequent in a graph.

    Parameters
    ----------
    graph, threads, labels
        As for :func:`count`.
    support
        How many vertices there are at least for each place of a pattern (its minimum image).
    edges
        How many edges a pattern has at most, 1 to 7.

    Returns
    -------
    dict
        The support of each pattern, by its edges as text. Patterns with few edges come first.

    Raises
    ------
    TypeError, ValueError, knee.store.StudyError
        As for :func:`count`.

    Examples
    --------
    >>> import knee
    >>> knee.mine.fsm([(0, 1), (1, 2), (2, 3)], 2, labels={0: "C", 1: "C", 2: "C", 3: "N"})
    {'0:C-1:C': 3}
    """
    answer, _ = ask("fsm", graph, threads, labels, support=support, edges=edges)
    return {one["pattern"]: int(one["support"]) for one in answer["fsm"]}
