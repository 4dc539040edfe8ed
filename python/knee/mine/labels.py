"""Labels of vertices as a file that the binary reads, and patterns that are frequent by them."""

from __future__ import annotations

import operator
import re
from collections.abc import Hashable, Mapping
from typing import Any

from knee.mine.edges import Edges, is_missing

WORD = re.compile(r"\w+")
"""What may be a label: letters, digits and _."""


def lines(labels: Mapping[Any, Any], edges: Edges | None) -> bytes:
    """Return the text of a file that gives vertices their labels; ``edges`` is None for a graph in a file.

    A vertex has no label where that is None or NaN.

    Raises
    ------
    TypeError
        When they are no mapping, or a vertex of a graph of numbers is no number.
    ValueError
        When a label is not one word, or no vertex of the graph has one.
    """
    if not hasattr(labels, "items"):
        what = f"labels are given as {type(labels).__name__}, which does not say of which vertices"
        raise TypeError(f"{what}: give a mapping from vertices, such as dict(enumerate(labels))")
    own = None if edges is None or edges.vertices is None else edges.vertices
    numbers: dict[Hashable, int] | None = None if own is None else {vertex: at for at, vertex in enumerate(own)}
    text: list[str] = []
    first: Any = None
    for vertex, label in labels.items():
        if is_missing(label):
            continue
        word = str(label)
        if not WORD.fullmatch(word):
            raise ValueError(f"the label of {vertex!r} is {word!r}, but a label is of letters, digits and _")
        # A vertex without edges is no part of the graph.
        number = _number(vertex) if numbers is None else numbers.get(vertex)
        if number is not None:
            text.append(f"{number} {word}\n")
        elif first is None:
            first = vertex
    if first is not None and not text and own:
        raise ValueError(f"no label is of a vertex of the graph: {first!r} is not one: give labels to its own vertices")
    if first is None and not text:
        raise ValueError("no vertex has a label: give a label to at least one, or leave out labels")
    return "".join(text).encode()


def _number(vertex: Any) -> int:
    try:
        return operator.index(vertex)
    except TypeError:
        what = "has a label, but the graph's vertices are whole numbers"
        raise TypeError(f"{vertex!r} {what}: give labels by those numbers") from None
