"""The counted list of made-up instances: a machine, a program, the planted causes and what each truly costs.

An instance's number is the seed of everything random in it. What a cause costs is its share of M = ln(n T(n) / T(1)) at
the largest thread count, without noise: with one cause M with it less M without it, with several the mean of that over
all orders in which they can be planted (Shapley). Dials are set so that the first cause costs a drawn share of ln n.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from made_up.machine import Machine
from made_up.noise import Noise
from made_up.play import play
from made_up.program import Program
from made_up.spots import Code
from made_up.write import record

TOPOLOGIES = (
    "laptop-4c-smt2",
    "xeon4108-2p-16c-smt2",
    "westmere-ex-4p-40c",
    "opteron6276-4p-64c-8n",
    "epyc7451-2p-48c-smt2-8n",
    "synthetic-c5metal-2p-48c-smt2",
    "synthetic-e5-4620-4p-32c-smt2",
    "synthetic-e7-4p-72c-nosmt",
)

Change = Callable[[Machine, Program, float], tuple[Machine, Program]]
"""Plants a cause of a strength from 0 to 1."""


def _sets(**most: float) -> Change:
    """Return a change that sets fields of the program to a share of these values."""
    return lambda machine, program, d: (machine, replace(program, **{name: d * v for name, v in most.items()}))


def _smt(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    return machine, replace(program, issue=0.45 + 0.5 * d)


def _bandwidth(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    per_core = machine.node_gbs * len(machine.nodes) / len(machine.topology["cores"])
    return machine, replace(program, read_gbs=(0.2 + 3 * d) * per_core)


def _cache(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    size, cpus = machine.last_caches[0]
    return machine, replace(program, footprint_mib=(0.5 + 4 * d) * size / len(cpus))


def _far(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    return machine, replace(program, memory=0.9 * d, pages="interleaved")


def _one_node(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    shared = machine.link_gbs / len(machine.topology["cores"])
    # Less than a core's share of its own node, so that only the place of the pages costs time.
    own = 0.8 * machine.node_gbs * len(machine.nodes) / len(machine.topology["cores"])
    changed = replace(program, pages="one-node", memory=0.02, read_gbs=min(own, 4 * d * shared))
    return machine, changed if d else program


def _clock(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    return replace(machine, clock_drop=0.5 * d), program


def _quota(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    return replace(machine, quota_cpus=len(machine.cpus) * (1 - 0.9 * d) if d else None), program


def _interpreter(machine: Machine, program: Program, d: float) -> tuple[Machine, Program]:
    turns = {"PYTHONPATH": {"turn_s": 0.1}}
    return machine, replace(program, interpreter=0.6 * d, helps=program.helps | (turns if d else {}))


def _helped(field: str, most: float, *variables: str) -> Change:
    """Return a change that these environment variables take back."""
    helps = {name: {field: 0.0} for name in variables}
    return lambda machine, program, d: (
        machine,
        replace(program, **{field: d * most}, helps=program.helps | (helps if d else {})),
    )


PLANTED: dict[str, Change] = {
    "serial part": _sets(serial=0.5),
    "imbalance": _sets(imbalance=2.0),
    "sleeping lock": _sets(lock=0.5),
    "spinning": _sets(spin=0.4),
    "false sharing": _sets(false_sharing=2.0),
    "true sharing": _sets(true_sharing=2.0),
    "instruction growth": _sets(growth=0.4),
    "duplicated work": _sets(duplicated=0.3),
    "page faults": _helped("faults", 0.5, "GLIBC_TUNABLES"),
    "allocator": _helped("allocator", 0.5, "LD_PRELOAD"),
    "garbage collection": _helped("collector", 0.5, "GOGC", "JAVA_TOOL_OPTIONS"),
    "interpreter lock": _interpreter,
    "I/O": _sets(disk_s=6.0),
    "SMT sharing": _smt,
    "memory bandwidth": _bandwidth,
    "shared cache": _cache,
    "NUMA distance": _far,
    "page placement": _one_node,
    "clock": _clock,
    "quota": _quota,
}

LINES = frozenset({"false sharing", "true sharing"})
TOGETHER = frozenset({"duplicated work", *LINES})
COSTLY = frozenset({"spinning", "duplicated work"})

GROUPS: dict[str, tuple[frozenset[str], ...]] = {
    "false sharing": (LINES, TOGETHER),
    "true sharing": (LINES, TOGETHER),
    "spinning": (COSTLY,),
    "duplicated work": (COSTLY, TOGETHER),
}
"""Groups that are acceptable, because nothing in a record without hardware counters tells them apart."""

NEEDS: dict[str, Callable[[Machine], bool]] = {
    "SMT sharing": lambda machine: len(machine.cpus) > len(machine.topology["cores"]),
    "NUMA distance": lambda machine: len(machine.nodes) > 1,
    "page placement": lambda machine: len(machine.nodes) > 1,
    "shared cache": lambda machine: bool(machine.last_caches),
}


@dataclass(frozen=True)
class Drawn:
    """An instance."""

    number: int
    machine: Machine
    program: Program
    counts: tuple[int, ...]
    """Thread counts of the study."""
    causes: tuple[str, ...]
    truth: dict[str, float]
    """What each planted cause costs at the largest count, in logarithms."""
    loss: float
    """M at the largest count."""
    noise: Noise
    switches: bool
    """Whether its records have context switches."""

    def play(self, plan: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a record for each run spec."""
        blocks = max(spec["block"] for spec in plan)
        courses: dict[str, Any] = {}
        code = Code.of(self.program, self.noise.seed)
        made: list[dict[str, Any]] = []
        for spec in plan:
            key = json.dumps({name: spec[name] for name in spec if name not in ("id", "block", "cell", "test")})
            course = courses.get(key) or courses.setdefault(key, play(self.machine, self.program, spec))
            factor = self.noise.factor(spec["block"], blocks, spec["id"])
            mapped = ["libpython3.11.so.1.0"] if self.program.interpreter else []
            made.append(record(spec, course, factor, self.machine, switches=self.switches, mapped=mapped, code=code))
        return made


def drawn(number: int, topologies: Path, binary: str) -> Drawn:
    """Return the instance of this number; every sixth has no cause, and every sixth several.

    Parameters
    ----------
    number
        Its number, from 0.
    topologies
        Folder of the captured machines.
    binary
        Path of knee, which reads them.
    """
    draw = random.Random(f"made up {number}")
    machine = _machine(draw, topologies, binary)
    possible = [name for name in PLANTED if NEEDS.get(name, lambda _: True)(machine)]
    # In turn, so that all causes are planted equally often.
    first = possible[(number - number // 6) % len(possible)]
    many = {0: 0, 1: draw.choice((2, 3))}.get(number % 6, 1)
    causes = tuple([first, *draw.sample([one for one in possible if one != first], 2)][:many])
    program = Program(issue=draw.uniform(0.35, 0.5), memory=draw.uniform(0, 0.1), read_gbs=0.05, footprint_mib=0.05)
    # A clean instance may lose much for a reason without a name: then nothing may be named.
    unnamed = draw.choice((0, 0, 0, 0.01) if causes else (0, 0.01, 0.1))
    program = replace(program, work_s=draw.uniform(1, 20), unnamed=unnamed)
    most = len(machine.topology["cores"]) * (2 if "SMT sharing" in causes else 1)
    counts = tuple(sorted({*(n for n in (1, 2, 4, 8, 16, 32) if n < most), most}))
    strengths = _strengths(draw, machine, program, causes, most)
    truth = _shapley(machine, program, strengths, most)
    planted = _planted(machine, program, strengths)
    noise = Noise(
        block=draw.choice((0.003, 0.01, 0.03)), run=draw.choice((0.003, 0.01, 0.03)),
        drift=draw.choice((0, 0, 0.03)), outliers=draw.choice((0, 0, 0.05)), seed=f"{number}",
    )  # fmt: skip
    loss = _loss(*planted, most)
    return Drawn(number, *planted, counts, causes, truth, loss, noise, switches=draw.random() < 0.5)


def _machine(draw: random.Random, topologies: Path, binary: str) -> Machine:
    topology = json.loads(_read(topologies / f"{draw.choice(TOPOLOGIES)}.xml", binary))
    cores_a_node = len(topology["cores"]) / max(1, len(topology["nodes"]))
    return Machine(topology, node_gbs=draw.uniform(2, 4) * cores_a_node, link_gbs=draw.uniform(0.5, 2) * cores_a_node,
                   smt_cost=draw.uniform(0, 0.02), clock_drop=draw.choice((0.0, 0.0, 0.01)))  # fmt: skip


@cache
def _read(path: Path, binary: str) -> str:
    return subprocess.run(
        [binary, "machine", "--json", "-i", str(path)], capture_output=True, text=True, check=True
    ).stdout


def _strengths(
    draw: random.Random, machine: Machine, program: Program, causes: tuple[str, ...], most: int
) -> dict[str, float]:
    """Return a strength for each cause, such that it alone costs a drawn share of ln n, if it can."""
    found: dict[str, float] = {}
    clean = _loss(machine, program, most)
    for cause in causes:
        wanted = draw.uniform(0.05, 0.6) * math.log(most) / len(causes)
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = (low + high) / 2
            enough = _loss(*PLANTED[cause](machine, program, middle), most) - clean > wanted
            low, high = (low, middle) if enough else (middle, high)
        found[cause] = high
    return found


def _planted(machine: Machine, program: Program, strengths: dict[str, float]) -> tuple[Machine, Program]:
    for cause, strength in strengths.items():
        machine, program = PLANTED[cause](machine, program, strength)
    return machine, program


def _shapley(machine: Machine, program: Program, strengths: dict[str, float], most: int) -> dict[str, float]:
    """Return what each cause adds to M, as the mean over all orders."""
    losses: dict[frozenset[str], float] = {}
    for many in range(len(strengths) + 1):
        for some in itertools.combinations(strengths, many):
            chosen = {cause: strength for cause, strength in strengths.items() if cause in some}
            losses[frozenset(some)] = _loss(*_planted(machine, program, chosen), most)
    shares = dict.fromkeys(strengths, 0.0)
    orders = list(itertools.permutations(strengths))
    for order in orders:
        for at, cause in enumerate(order):
            shares[cause] += (losses[frozenset(order[: at + 1])] - losses[frozenset(order[:at])]) / len(orders)
    return shares


def _loss(machine: Machine, program: Program, threads: int) -> float:
    """Return M at a thread count, on cores first and their siblings last."""
    seats = max(len(core["cpus"]) for core in machine.topology["cores"])
    order = [core["cpus"][at] for at in range(seats) for core in machine.topology["cores"] if at < len(core["cpus"])]

    def wall(n: int) -> float:
        spec = {"threads": n, "cpus": order[:n], "program": {"command": ["made-up"]}}
        return play(machine, program, spec).wall_s

    return math.log(threads * wall(threads) / wall(1))
