"""Words for thread counts that the machine decides."""

from __future__ import annotations

from typing import Any

OWN_COUNTS = ("core-cpus", "node-cores", "cores", "cpus")
"""The hardware threads of a core, the cores of a NUMA node, all cores, and all cpus that a study may use here."""


def own_counts(machine: dict[str, Any]) -> dict[str, int]:
    """Return what the words stand for on a machine.

    Of nodes with different numbers of cores the smallest one counts, so that as many threads fit on any of them. Of
    cores with different numbers of hardware threads the largest one counts, as in what a claim needs.

    Examples
    --------
    >>> cores = [{"cpus": [0, 4]}, {"cpus": [1, 5]}, {"cpus": [2, 6]}, {"cpus": [3, 7]}]
    >>> two = {"allowed": {"cpus": [0, 1, 2, 4, 5]}, "cores": cores}
    >>> own_counts(two | {"nodes": [{"cpus": [0, 1, 4, 5]}, {"cpus": [2, 3, 6, 7]}, {"cpus": []}]})
    {'core-cpus': 2, 'node-cores': 1, 'cores': 3, 'cpus': 5}
    """
    allowed = set(machine["allowed"]["cpus"])

    def cores(cpus: set[int]) -> int:
        return sum(1 for core in machine["cores"] if set(core["cpus"]) & cpus)

    nodes = [many for node in machine["nodes"] if (many := cores(allowed & set(node["cpus"])))]
    return {
        "core-cpus": max((len(set(core["cpus"]) & allowed) for core in machine["cores"]), default=1) or 1,
        "node-cores": min(nodes, default=cores(allowed)),
        "cores": cores(allowed),
        "cpus": len(allowed),
    }
