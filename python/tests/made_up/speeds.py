"""How fast threads run that share cores, caches, memory and links: 1 is the speed of one thread on an idle machine.

Each thread has a limit of its own: clock, siblings, cache, distance of its memory. Below it, threads that share the
memory of a node or its links get equal shares of the traffic (max-min fairness: all speeds grow together until a
resource is full, and the threads that use it stop there).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from made_up.machine import Machine
from made_up.program import Program


@dataclass(frozen=True)
class Running:
    """A thread on a cpu, and the share of its pages on each node."""

    cpu: int
    program: Program
    home: dict[int, float]


def speeds(machine: Machine, running: Sequence[Running]) -> list[float]:
    """Return the speed of each thread."""
    limits = [_limit(machine, running, one) for one in running]
    traffic = [one.program.read_gbs + machine.spill_gbs * _spilled(machine, running, one) for one in running]
    return _shared(machine, running, limits, traffic)


def clock(machine: Machine, cpu: int, busy: Collection[int]) -> float:
    """Return the clock of a cpu while these compute, itself among them: it falls with the busy cores of its socket."""
    socket = machine.socket_of[cpu]
    active = {machine.core_of[other] for other in busy if machine.socket_of[other] == socket}
    return 1 - machine.clock_drop * (len(active) - 1) / max(1, machine.cores_of_socket[socket] - 1)


def _limit(machine: Machine, running: Sequence[Running], one: Running) -> float:
    core, node = machine.core_of[one.cpu], machine.node_of[one.cpu]
    siblings = [other for other in running if machine.core_of[other.cpu] == core]
    demand = sum(other.program.issue for other in siblings)
    shared = max(1.0, demand) * (1 + machine.smt_cost * (len({other.cpu for other in siblings}) - 1))
    far = sum(share * (machine.distance(node, home) - 1) for home, share in one.home.items())
    slower = 1 + one.program.memory * far + machine.spill_cost * _spilled(machine, running, one)
    return clock(machine, one.cpu, [other.cpu for other in running]) / shared / slower


def _spilled(machine: Machine, running: Sequence[Running], one: Running) -> float:
    """Return the share of a thread's data that does not fit into its last-level cache."""
    for size, cpus in machine.last_caches:
        if one.cpu in cpus:
            near = [other.program for other in running if other.cpu in cpus]
            held = min(size, sum(program.footprint_mib for program in near if program.holds))
            wanted = sum(program.footprint_mib for program in near if not program.holds)
            if one.program.holds or not wanted:
                return 0.0
            return max(0.0, 1 - (size - held) / wanted)
    return 0.0


def _shared(machine: Machine, running: Sequence[Running], limits: list[float], traffic: list[float]) -> list[float]:
    """Return speeds below their limits, such that no node and no link carries more than it can."""
    loads: list[tuple[float, dict[int, float]]] = []
    for node in machine.nodes:
        loads.append((machine.node_gbs, {n: traffic[n] * one.home.get(node, 0) for n, one in enumerate(running)}))
        far = {
            n: traffic[n] * one.home.get(node, 0) for n, one in enumerate(running) if machine.node_of[one.cpu] != node
        }
        loads.append((machine.link_gbs, far))
    left = [[room, {n: load for n, load in users.items() if load > 0}] for room, users in loads]
    found, growing = [0.0] * len(running), set(range(len(running)))
    while growing:
        step = min(limits[n] - found[n] for n in growing)
        for room, users in left:
            load = sum(users.get(n, 0.0) for n in growing)
            step = min(step, room / load) if load > 0 else step
        for n in growing:
            found[n] += step
        full: set[int] = set()
        for entry in left:
            load = sum(entry[1].get(n, 0.0) for n in growing)
            entry[0] -= step * load
            if load > 0 and entry[0] <= 1e-12:
                full |= entry[1].keys()
        growing -= full | {n for n in growing if limits[n] - found[n] <= 1e-12}
    return found


def homes(machine: Machine, program: Program, cpus: Sequence[int], policy: dict | None) -> list[dict[int, float]]:
    """Return where each thread's pages are, by node, under a memory policy of a run spec."""
    used = Counter(machine.node_of[cpu] for cpu in cpus)
    match (policy or {}).get("policy"):
        case "interleave" | "weighted-interleave":
            nodes = policy["nodes"] or machine.nodes
            return [dict.fromkeys(nodes, 1 / len(nodes))] * len(cpus)
        case "bind" | "preferred":
            nodes = policy["nodes"]
            return [dict.fromkeys(nodes, 1 / len(nodes))] * len(cpus)
        case "local":
            return [{machine.node_of[cpu]: 1.0} for cpu in cpus]
        case _:
            pass
    if program.pages == "interleaved":
        return [dict.fromkeys(used, 1 / len(used))] * len(cpus)
    if program.pages == "one-node":
        return [{machine.node_of[cpus[0]]: 1.0}] * len(cpus)
    return [{machine.node_of[cpu]: 1.0} for cpu in cpus]
