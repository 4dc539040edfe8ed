"""Interleaved memory, or local memory."""

from __future__ import annotations

from knee.study.remedies.remedy import BANDWIDTH, DISTANCE, PAGES, Remedy
from knee.study.remedies.situation import Situation

ONE_NODE = "the machine has one memory node"


def remedies(here: Situation) -> list[Remedy]:
    """Return both remedies."""
    nodes: list[int] = here.machine["allowed"]["nodes"]
    policy = here.as_is.get("memory", {}).get("policy", "local")
    one = ONE_NODE if len(nodes) < 2 else None
    interleaved = {"policy": "interleave", "nodes": nodes}
    return [
        Remedy(
            "interleaved memory",
            (PAGES, BANDWIDTH),
            f"numactl --interleave={','.join(map(str, nodes))}",
            {"memory": interleaved},
            one or ("memory is interleaved already" if policy == "interleave" else None),
        ),
        Remedy(
            "local memory",
            (DISTANCE, PAGES),
            "numactl --localalloc",
            {"memory": {"policy": "local"}},
            one or ("memory is local already" if policy == "local" else None),
        ),
    ]
