"""Edges between numbers, and what the numbers stand for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Edges:
    """A row of two vertex numbers for each edge."""

    rows: Array
    vertices: Sequence[Any] | None = None
    """What each number stands for; None where vertices are numbers."""

    def vertex(self, number: int) -> Any:
        """Return the user's own vertex."""
        return number if self.vertices is None else self.vertices[number]


def of_rows(array: Any, what: str = "the array") -> Edges:
    """Return the edges of an array with a row for each.

    Raises
    ------
    ValueError
        When it does not have two columns, or has numbers below zero.
    TypeError
        When its values are neither whole numbers nor objects.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} has a mask, but every row is an edge: give its rows that count")
    rows = np.asarray(array)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"{what} has the shape {rows.shape}, but edges are rows of two numbers: {_other_shape(rows)}")
    if rows.dtype.kind in "OUST":
        return of_pairs(rows.tolist(), what)
    if rows.dtype.kind not in "iu":
        raise TypeError(f"{what} has values of type {rows.dtype}, but vertices are whole numbers: try .astype(int)")
    if rows.dtype.kind == "i" and rows.size and rows.min() < 0:
        row = int(np.argmax((rows < 0).any(axis=1)))
        raise ValueError(f"row {row} of {what} is {rows[row].tolist()}, but vertices are not below zero")
    return Edges(rows)


def _other_shape(rows: NDArray[Any]) -> str:
    if rows.ndim == 2 and rows.shape[0] == 2:
        return "give its transpose, .T"
    if rows.ndim == 2 and rows.shape[0] == rows.shape[1]:
        return "give a matrix of neighbours as scipy.sparse.coo_array(matrix)"
    return "give an array of shape (m, 2)"


def of_columns(first: Any, second: Any, what: str) -> Edges:
    """Return the edges between the members of two columns: whole numbers, or any objects."""
    ends = np.asarray(first), np.asarray(second)
    if all(end.dtype.kind in "iu" for end in ends):
        # A signed and an unsigned column of 64 bits have no common type but float.
        kept = np.result_type(*ends)
        if kept.kind == "f":
            kept = np.dtype(np.uint64)
        for end in ends:
            if end.dtype.kind == "i" and end.size and end.min() < 0:
                row = int(np.argmax(end < 0))
                raise ValueError(f"row {row} of {what} has the vertex {end[row]}, but vertices are not below zero")
        # By columns, so that each is written as it is.
        rows = np.empty((len(ends[0]), 2), kept, order="F")
        rows[:, 0], rows[:, 1] = ends
        return Edges(rows)
    for end in ends:
        if end.dtype.kind in "fcb":
            raise TypeError(f"{what} has vertices of type {end.dtype}, but they are whole numbers, text or objects")
    # As Python's own numbers and text, but dates as they are: as numbers, they would be somebody else's vertices.
    own = (list(end) if end.dtype.kind in "mM" else end.tolist() for end in ends)
    return of_pairs(zip(*own, strict=True), what)


def of_pairs(pairs: Iterable[Any], what: str = "the graph") -> Edges:
    """Return the edges that an iterable of pairs of any hashable objects names.

    Raises
    ------
    TypeError
        When it gives something else.
    ValueError
        When an end of an edge is None or NaN.
    """
    numbers: dict[Hashable, int] = {}
    flat = (numbers.setdefault(end, len(numbers)) for pair in checked(pairs, what) for end in pair)
    ends = np.fromiter(flat, np.int64).reshape(-1, 2)
    missing = [number for vertex, number in numbers.items() if is_missing(vertex)]
    if missing:
        # All of them would be one vertex, which nobody has.
        edge = int(np.argmax(np.isin(ends, missing).any(axis=1)))
        raise ValueError(f"edge {edge} of {what} has no value at one end, but edges have two ends: drop such edges")
    return Edges(ends, list(numbers))


def of_numbered(vertices: Iterable[Hashable], pairs: Iterable[tuple[Hashable, Hashable]]) -> Edges:
    """Return the edges between these vertices; those that come first have the lowest numbers."""
    names = list(vertices)
    number: Callable[[Hashable], int] = {name: at for at, name in enumerate(names)}.__getitem__
    ends = np.fromiter((number(end) for pair in pairs for end in pair), np.int64)
    return Edges(ends.reshape(-1, 2), names)


def checked(pairs: Iterable[Any], what: str) -> Iterable[tuple[Hashable, Hashable]]:
    """Give each pair, if it is one of hashable objects."""
    for at, pair in enumerate(pairs):
        ends = _two(pair)
        if ends is None:
            reason = "but an edge is a pair of hashable vertices: give an iterable of pairs such as [(0, 1), (1, 2)]"
            raise TypeError(f"edge {at} of {what} is {_short(pair)}, {reason}")
        yield ends


def is_missing(value: Any) -> bool:
    """Whether it stands for no value: None, NaN, or pandas' NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        # pandas.NA is neither equal nor unequal to itself.
        return True
    except ValueError:
        # An array, which is neither a vertex nor a label, and is refused as such.
        return False


def _two(pair: Any) -> tuple[Hashable, Hashable] | None:
    if isinstance(pair, str | bytes):
        # Text of two letters would pass for a pair.
        return None
    try:
        first, second = pair
        hash((first, second))
    except (TypeError, ValueError):
        return None
    return first, second


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
