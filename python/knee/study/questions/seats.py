"""The cpus of the threads that a question is about, as the machine has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Seats:
    """The cpus of the threads, in the order of their placement."""

    cpus: tuple[int, ...]
    machine: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What ``knee machine --json`` prints."""

    @property
    def others(self) -> list[int]:
        """All but the first cpu and its siblings: those share more with it than what is asked about."""
        core = self._core.get(self.cpus[0], ("none", self.cpus[0]))
        return [cpu for cpu in self.cpus[1:] if self._core.get(cpu) != core]

    @cached_property
    def one_a_core(self) -> list[int]:
        """The first cpu of each core."""
        return list({self._core.get(cpu, ("none", cpu)): cpu for cpu in reversed(self.cpus)}.values())[::-1]

    @cached_property
    def same_cache(self) -> tuple[list[int], int]:
        """The others that share the largest cache of the first cpu, and its size in bytes."""
        caches = [cache for cache in self.machine.get("caches", []) if self.cpus[0] in cache["cpus"]]
        if not caches:
            return [], 0
        last: dict[str, Any] = max(caches, key=lambda cache: cache["level"])
        return [cpu for cpu in self.others if cpu in last["cpus"]], last["size_bytes"]

    @cached_property
    def same_node(self) -> list[int]:
        """The others on the memory node of the first cpu; all others if there are none."""
        near = [cpu for cpu in self.others if self._node.get(cpu) == self._node.get(self.cpus[0])]
        return near or self.others

    @cached_property
    def nodes(self) -> list[int]:
        """The memory nodes of the cpus."""
        return sorted({self._node[cpu] for cpu in self.cpus if cpu in self._node})

    @cached_property
    def _node(self) -> dict[int, int]:
        return {cpu: core["node"] for core in self._cores for cpu in core["cpus"]}

    @cached_property
    def sockets(self) -> dict[int, list[list[int]]]:
        """The cpus of each socket by core, in the order of the placement."""
        found: dict[int, dict[int, list[int]]] = {}
        where = {cpu: (core["socket"], number) for number, core in enumerate(self._cores) for cpu in core["cpus"]}
        for cpu in self.cpus:
            if cpu in where:
                socket, core = where[cpu]
                found.setdefault(socket, {}).setdefault(core, []).append(cpu)
        return {socket: list(cores.values()) for socket, cores in found.items()}

    @cached_property
    def placeable(self) -> int:
        """The largest number of threads that fit on one socket with a core each, on all sockets, and on siblings."""
        if not self.sockets:
            return 0
        fewest = min(map(len, self.sockets.values()))
        return fewest - fewest % (len(self.sockets) * self._siblings)

    @property
    def _siblings(self) -> int:
        """How many of its cpus each core has at least."""
        return min(len(core) for cores in self.sockets.values() for core in cores)

    def placed(self, *, everywhere: bool, together: bool) -> list[int]:
        """Return cpus for :attr:`placeable` threads.

        Parameters
        ----------
        everywhere
            On all sockets, as many on each; otherwise on the first.
        together
            On all siblings of a core; otherwise with a core each.
        """
        used = list(self.sockets.values())[: None if everywhere else 1]
        each, width = self.placeable // len(used), self._siblings if together else 1
        return [cpu for cores in used for core in cores[: each // width] for cpu in core[:width]]

    @property
    def shares_cores(self) -> bool:
        """Whether two of the cpus are siblings of one core."""
        return len(self.one_a_core) < len(self.cpus)

    @property
    def spans_nodes(self) -> bool:
        """Whether the cpus belong to several memory nodes."""
        return len(self.nodes) > 1

    @property
    def _cores(self) -> list[dict[str, Any]]:
        return self.machine.get("cores", [])

    @cached_property
    def _core(self) -> dict[int, tuple[str, int]]:
        return {cpu: ("core", number) for number, core in enumerate(self._cores) for cpu in core["cpus"]}
