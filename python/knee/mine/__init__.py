"""Counts and finds patterns in graphs that are in Python already, by the binary.

``knee.mine.count(graph, "triangle")`` takes a networkx or igraph graph, an array of edges, a sparse matrix, a table,
pairs of anything, or a file. Answers use the graph's own vertices. No library is imported for a graph that is not its
own.
"""

from knee.mine.orbits import per_edge, per_vertex
from knee.mine.questions import count, exists, fsm, match, motifs

__all__ = ["count", "exists", "fsm", "match", "motifs", "per_edge", "per_vertex"]
