"""The kinds of graphs, one function for each.

A library is never imported: a graph is known by the module of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import numpy as np

from knee.mine import edges
from knee.mine.edges import Edges

FORMS = (
    "a file's path, a numpy array of shape (m, 2), a scipy.sparse matrix, a networkx or igraph graph, a pandas or"
    " pyarrow table, or pairs"
)
"""What may be given as a graph, for errors."""


def read(graph: Any) -> Edges:
    """Return the edges of a graph of any kind but a file's path.

    Raises
    ------
    TypeError
        When it is no graph, or its vertices are neither whole numbers nor hashable objects.
    ValueError
        When it does not have the shape of a graph.
    """
    reader = KINDS.get(library(graph))
    if reader is not None:
        return reader(graph)
    if hasattr(graph, "__array__"):
        return edges.of_rows(graph)
    if isinstance(graph, str | bytes) or not isinstance(graph, Iterable):
        raise TypeError(f"{type(graph).__name__} is not a graph: give {FORMS}")
    return edges.of_pairs(cast("Iterable[Any]", graph))


def library(graph: object) -> str:
    """Return the library that a graph's class, or a class above it, is from; nothing if it is none of KINDS."""
    roots = (kind.__module__.partition(".")[0] for kind in type(graph).__mro__)
    return next((root for root in roots if root in KINDS), "")


def _networkx(graph: Any) -> Edges:
    if not hasattr(graph, "adjacency"):
        name = type(graph).__name__
        if "Edge" not in name:
            # Of its nodes or degrees, which may be pairs as well.
            raise TypeError(f"{name} of networkx is not a graph: give the graph itself")
        # A view of the edges of a graph: called, that of a multigraph gives pairs without their keys.
        pairs: Any = graph() if callable(graph) else graph
        return edges.of_pairs(pairs)
    return edges.of_numbered(graph, graph.edges())


def _igraph(graph: Any) -> Edges:
    """Vertices are their indices, as in igraph's own functions."""
    if not hasattr(graph, "get_edgelist"):
        raise TypeError(f"{type(graph).__name__} of igraph is not a graph: give a Graph")
    return edges.of_rows(np.array(graph.get_edgelist(), np.int64).reshape(-1, 2))


def _scipy(matrix: Any) -> Edges:
    """Every stored entry is an edge, whatever its value, as in files."""
    shape = getattr(matrix, "shape", ())
    if len(shape) != 2 or not hasattr(matrix, "tocoo"):
        raise TypeError(f"{type(matrix).__name__} of scipy is not a graph: give a sparse matrix")
    rows, columns = shape
    if rows != columns:
        raise ValueError(
            f"the matrix has {rows} rows and {columns} columns, but a graph has as many: give a square one"
        )
    entries = matrix.tocoo()
    return edges.of_columns(entries.row, entries.col, "the matrix")


def _pandas(frame: Any) -> Edges:
    if not hasattr(frame, "columns"):
        raise TypeError(f"{type(frame).__name__} of pandas is not a graph: give a DataFrame with two columns")
    names = list(frame.columns)
    # A few edges with a weight may have as many rows as columns, both only numbered.
    unnamed = type(frame.index).__name__ == "RangeIndex" and len(names) <= 3
    if frame.index.equals(frame.columns) and not unnamed:
        raise ValueError(
            "the DataFrame has the same names for rows and columns, as a matrix of neighbours has, but its rows are"
            " taken for edges: give scipy.sparse.coo_array(frame.to_numpy()), or a table of edges"
        )
    first, second = (frame.iloc[:, at] for at in _ends(names, "DataFrame"))
    for column in (first, second):
        missing = column.isna().to_numpy()
        if missing.any():
            _lacks(column.name, int(np.argmax(missing)), "DataFrame")
    return edges.of_columns(first.to_numpy(), second.to_numpy(), "the DataFrame")


def _pyarrow(table: Any) -> Edges:
    if not hasattr(table, "column_names"):
        raise TypeError(f"{type(table).__name__} of pyarrow is not a graph: give a Table with two columns")
    names = list(table.column_names)
    ends = _ends(names, "Table")
    first, second = (table.column(at) for at in ends)
    for at, column in zip(ends, (first, second), strict=True):
        if column.null_count:
            row = next(row for row, value in enumerate(column) if not value.is_valid)
            _lacks(names[at], row, "Table")
    own = {"zero_copy_only": False}
    return edges.of_columns(first.to_numpy(**own), second.to_numpy(**own), "the Table")


def _ends(names: list[Any], kind: str) -> tuple[int, int]:
    """Return where the columns ``source`` and ``target`` are; without both, the first two."""
    if names.count("source") == names.count("target") == 1:
        return names.index("source"), names.index("target")
    if len(names) < 2:
        raise ValueError(f"the {kind} has {len(names)} columns, but edges have two ends: give two columns")
    return 0, 1


def _lacks(column: object, row: int, kind: str) -> None:
    raise ValueError(f"row {row} of the {kind} has no value in {column!r}, but edges have two ends: drop such rows")


KINDS: dict[str, Callable[[Any], Edges]] = {
    "networkx": _networkx,
    "igraph": _igraph,
    "scipy": _scipy,
    "pandas": _pandas,
    "pyarrow": _pyarrow,
}
"""What reads the graphs of each library."""
