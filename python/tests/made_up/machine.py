"""A machine: its topology as `knee machine --json` prints it, and the numbers that a topology does not have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Machine:
    """A topology with its speeds. Cpus, cores and nodes have the ids of the topology."""

    topology: dict[str, Any]
    node_gbs: float = 20.0
    """Bandwidth of one node's memory, GB/s."""
    link_gbs: float = 10.0
    """Bandwidth from one node to all others, GB/s."""
    clock_drop: float = 0.0
    """By how much the clock falls when all cores of a socket compute, as a share."""
    smt_cost: float = 0.05
    """What siblings cost each other beyond their shared issue slots, as a share."""
    spill_gbs: float = 4.0
    """Memory traffic of a thread whose data no longer fits into the last-level cache, GB/s."""
    spill_cost: float = 0.5
    """How much longer such a thread takes."""
    quota_cpus: float | None = None

    @cached_property
    def core_of(self) -> dict[int, int]:
        """Core of each cpu."""
        return {cpu: core["id"] for core in self.topology["cores"] for cpu in core["cpus"]}

    @cached_property
    def socket_of(self) -> dict[int, int]:
        """Socket of each cpu."""
        return {cpu: core["socket"] for core in self.topology["cores"] for cpu in core["cpus"]}

    @cached_property
    def node_of(self) -> dict[int, int]:
        """Node of each cpu."""
        return {cpu: core["node"] for core in self.topology["cores"] for cpu in core["cpus"]}

    @cached_property
    def cores_of_socket(self) -> dict[int, int]:
        """Number of cores of each socket."""
        sockets = [core["socket"] for core in self.topology["cores"]]
        return {socket: sockets.count(socket) for socket in set(sockets)}

    @cached_property
    def last_caches(self) -> list[tuple[float, frozenset[int]]]:
        """Size in MiB and cpus of each last-level cache."""
        levels = [cache["level"] for cache in self.topology["caches"]]
        last = [cache for cache in self.topology["caches"] if levels and cache["level"] == max(levels)]
        return [(cache["size_bytes"] / 2**20, frozenset(cache["cpus"])) for cache in last]

    def distance(self, node: int, other: int) -> float:
        """Return how much longer memory of another node takes, 1 for its own; 1.7 where the firmware says nothing."""
        if node == other:
            return 1.0
        mine = next(one for one in self.topology["nodes"] if one["id"] == node)
        ids = [one["id"] for one in self.topology["nodes"]]
        distances = mine.get("distances") or []
        return distances[ids.index(other)] / 10 if len(distances) == len(ids) else 1.7

    @property
    def nodes(self) -> list[int]:
        """Nodes with memory."""
        return [one["id"] for one in self.topology["nodes"]]

    @property
    def cpus(self) -> list[int]:
        """Cpus that programs may use."""
        return list(self.topology["allowed"]["cpus"])
