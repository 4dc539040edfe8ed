"""Words for thread counts that the machine decides."""

from __future__ import annotations

from typing import Any

OWN_COUNTS = ("node-cores", "cores", "cpus")
"""The cores of a NUMA node, all cores, and all cpus that a study may use on its machine."""


def own_counts(machine: dict[str, Any]) -> dict[str, int]:
    """Return what the words stand for on a machine.

    Of nodes with different numbers of cores the smallest one counts, so that as many threads fit on any of them.

    Examples
    --------
    >>> cores = [{"cpus": [0, 4]}, {"cpus": [1, 5]}, {"cpus": [2, 6]}, {"cpus": [3, 7]}]
    >>> two = {"allowed": {"cpus": [0, 1, 2, 4, 5]}, "cores": cores}
    >>> own_counts(two | {"nodes": [{"cpus": [0, 1, 4, 5]}, {"cpus": [2, 3, 6, 7]}, {"cpus": []}]})
    {'node-cores': 1, 'cores': 3, 'cpus': 5}
    """
    allowed = set(machine["allowed"]["cpus"])

    def cores(cpus: set[int]) -> int:
        return sum(1 for core in machine["cores"] if set(core["cpus"]) & cpus)

    nodes = [many for node in machine["nodes"] if (many := cores(allowed & set(node["cpus"])))]
    return {"node-cores": min(nodes, default=cores(allowed)), "cores": cores(allowed), "cpus": len(allowed)}
