"""Patterns as the text that the command line takes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, cast

from knee.mine import edges
from knee.mine.kinds import library

MOST_VERTICES = 8
"""What the binary takes. Checked here too, since a whole graph may be given as a pattern by mistake."""


DIRECTED = "the pattern has directions, which knee does not look for: give it without directions"


def text(pattern: Any) -> str:
    """Return the text of a pattern: text as it is, a small graph as its edges.

    Vertices are numbered as they first appear in the edges.

    Raises
    ------
    TypeError
        When it is neither text nor a graph.
    ValueError
        When it is directed, has a node without edges, or too many nodes.
    """
    if isinstance(pattern, str):
        return pattern
    numbers: dict[Hashable, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for ends in edges.checked(_pairs(pattern), "the pattern"):
        first, second = (numbers.setdefault(end, len(numbers)) for end in ends)
        if first == second:
            raise ValueError(f"the pattern joins {ends[0]!r} to itself, but no graph has such edges here: remove it")
        if len(numbers) > MOST_VERTICES:
            raise ValueError(
                f"the pattern has more than {MOST_VERTICES} vertices, which is the most: give a smaller one"
            )
        # A second edge between the same two changes nothing.
        pairs.setdefault((min(first, second), max(first, second)))
    if not pairs:
        raise ValueError("the pattern has no edge: give a name such as 'triangle', or edges such as [(0, 1), (1, 2)]")
    # The lower number appeared first: the binary, which numbers vertices as they appear here, finds the same numbers.
    return ",".join(f"{first}-{second}" for first, second in pairs)


def _pairs(pattern: Any) -> Iterable[Any]:
    known = library(pattern)
    if known in ("networkx", "igraph") and hasattr(pattern, "is_directed"):
        if pattern.is_directed():
            raise ValueError(DIRECTED)
        if isolated := _without_edges(pattern, known):
            raise ValueError(
                f"{isolated} has no edge in the pattern, but a pattern is connected: remove it, or join it"
            )
        return pattern.edges() if known == "networkx" else pattern.get_edgelist()
    # The edges of a graph in networkx, which know their graph.
    if getattr(getattr(pattern, "_graph", None), "is_directed", bool)():
        raise ValueError(DIRECTED)
    if known == "networkx" and callable(pattern):
        # The edges of a multigraph, without their keys.
        pattern = pattern()
    if not isinstance(pattern, Iterable):
        kind = type(pattern).__name__
        raise TypeError(
            f"{kind} is not a pattern: give its name or edges as text, a small graph, or an iterable of pairs"
        )
    return cast("Iterable[Any]", pattern)


def _without_edges(pattern: Any, known: str) -> str:
    if known == "networkx":
        return next((repr(node) for node, degree in pattern.degree() if degree == 0), "")
    return next((f"vertex {at}" for at, degree in enumerate(pattern.degree()) if degree == 0), "")
