"""Which parameters of knee's own workloads say what there is to do."""

INPUTS = frozenset(
    {"n", "size", "rows", "columns", "steps", "points", "graph", "pattern", "query", "scale", "repeat", "rehearse"}
)
"""With less of it a run is not faster. Nor are virtual times of a rehearsal to be compared with measured ones."""
