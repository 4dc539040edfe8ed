"""Writes the folder of a large simulated study. The result is the same every time.

Every cell of the factors has one run a block. Times follow Amdahl's law with noise; records have all parts of real
ones: threads, counters, validity, output.
"""

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conftest import machine, record

from knee.store import Folder

FIFTY = {"threads": (1, 2, 4, 8, 16), "placement": ("cores-close", "none"), "build": tuple("abcde")}
THOUSAND = {
    "threads": (1, 2, 3, 4, 6, 8, 10, 12, 14, 16),
    "placement": ("cores-close", "cores-spread", "none", "threads-close"),
    "size": tuple(range(1000, 1025)),
}
SMALL = {"threads": (1, 2, 4, 6, 8, 12), "placement": ("cores-close", "none")}
"""With ten blocks 120 runs: what an afternoon makes."""

CPUS = 16
SERIAL = 0.02

Cell = dict[str, str | int]


def write_study(path: Path, factors: Mapping[str, Sequence[str | int]], blocks: int, seed: int = 1) -> Folder:
    """Write the folder and return it. The order within each block is random."""
    folder, draw = Folder(path), random.Random(seed)
    folder.path.mkdir(parents=True)
    cells = [dict(zip(factors, levels, strict=True)) for levels in itertools.product(*factors.values())]
    folder.study_spec.write_text('schema = 1\nname = "made up"\n[program]\ncommand = ["program", "{threads}"]\n')
    folder.machine.write_text(json.dumps(machine(CPUS)))
    with folder.plan.open("w") as plan, folder.records.open("w") as records:
        for number, (block, cell) in enumerate(_order(cells, blocks, draw), 1):
            name = f"{number:06d}"
            plan.write(json.dumps(_spec(name, block, cell)) + "\n")
            records.write(json.dumps(_record(name, block, cell, draw)) + "\n")
    return folder


def _order(cells: list[Cell], blocks: int, draw: random.Random) -> Iterator[tuple[int, Cell]]:
    for block in range(1, blocks + 1):
        for cell in draw.sample(cells, len(cells)):
            yield block, cell


def _spec(name: str, block: int, cell: Cell) -> dict:
    threads = int(cell["threads"])
    return {
        "schema": 1,
        "id": name,
        "cell": cell,
        "block": block,
        "program": {"command": ["./program", str(threads)], "directory": "/made/up", "env": {"SIZE": "1"}},
        "threads": threads,
        "cpus": [] if cell["placement"] == "none" else list(range(threads)),
        "bind": "set",
        "sample_ms": 10,
        "timeout_s": 600.0,
        "counters": ["instructions", "task-clock"],
        "hold": {"smt": "off", "transparent_huge_pages": "madvise"},
    }


def _record(name: str, block: int, cell: Cell, draw: random.Random) -> dict:
    threads = int(cell["threads"])
    # Levels of other factors differ by a little, so that there is something to find.
    others = sum(int(level) if isinstance(level, int) else sum(level.encode()) for level in cell.values()) % 7
    wall_s = (SERIAL + (1 - SERIAL) / threads) * (1 + 0.01 * others) * draw.lognormvariate(0, 0.02)
    cpu_s = wall_s * threads * 0.97
    share = {"cpu_ns": int(cpu_s / threads * 1e9), "run_delay_ns": 41_223, "migrations": 1}
    seen = {"first_seen_ns": 1_101_315, "last_seen_ns": int(wall_s * 1e9)}
    team = [{"tid": 7000 + n, "pid": 7000, "cpu": n, "affinity": [n], "name": "program"} for n in range(threads)]
    validity = {"own_share": 0.97, "other_busy": 0.0, "steal": 0.0, "psi_cpu": 0.0058}
    return record(
        name,
        block,
        wall_s,
        cpu_s,
        counters={
            "instructions": {"unavailable": "no hardware PMU: the hypervisor shows this guest none"},
            "task-clock": {"value": cpu_s * 1e9, "unit": "ns"},
        },
        pages={"0": 4711},
        observed_threads=[one | share | seen for one in team],
        sampling={"period_ms": 10, "count": 97, "cost_ns": 717_400},
        validity=validity | {"clock_before_ns": 1.2333, "clock_after_ns": 1.23555},
        samples=f"samples/{name}.csv.gz",
        output={"stdout_bytes": 12, "stdout_xxh3": "cbf29ce484222325", "stderr_tail": "read the input\n"},
    )
