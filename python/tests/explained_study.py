"""Writes the folder of a simulated study that ran with ``--explain``: 200 records. The result is the same every time.

The program of `test_two_sockets`, at two sizes, on two sockets whose cores have two threads. Each block has the
study's own runs, and all but the first have every question, too: the chain of copies, the runs that change one thing,
and the factorial of placements.
"""

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import machine
from made_up.drawn import Drawn
from made_up.noise import Noise
from test_two_sockets import MACHINE, PROGRAM

from knee.store import Folder
from knee.study.questions.questions import BY_NAME, asking, asking_of_base
from knee.study.questions.seats import Seats

COUNTS, SIZES, BLOCKS = (1, 24, 48, 96), (1, 2), 5

DRAWN = Drawn(0, MACHINE, PROGRAM, COUNTS, (), {}, 0.0, Noise(0.01, 0.01, seed="explained"), switches=True)


def write_study(path: Path) -> Folder:
    """Write the folder and return it."""
    folder, draw = Folder(path), random.Random(1)
    folder.path.mkdir(parents=True)
    folder.study_spec.write_text('schema = 1\nname = "made up"\n[program]\ncommand = ["program", "{threads}"]\n')
    folder.machine.write_text(json.dumps(_machine()))
    specs: list[dict[str, Any]] = []
    for block in range(1, BLOCKS + 1):
        own = [_spec(block, threads, size) for size, threads in itertools.product(SIZES, COUNTS)]
        asked = [one for size in SIZES for one in _asked(block, size)] if block > 1 else []
        specs += draw.sample([*own, *asked], len(own) + len(asked))
    specs = [spec | {"id": f"{number:04d}"} for number, spec in enumerate(specs, 1)]
    folder.plan.write_text("".join(json.dumps(one) + "\n" for one in specs))
    folder.records.write_text("".join(json.dumps(one) + "\n" for one in DRAWN.play(specs)))
    return folder


def _machine() -> dict[str, Any]:
    """Return the whole of what `knee machine --json` prints."""
    found, plain = MACHINE.topology, machine(COUNTS[-1])
    threads = [
        {"id": cpu, "cpus": [cpu], "core": core["id"], "socket": core["socket"], "node": core["node"]}
        for core in found["cores"]
        for cpu in core["cpus"]
    ]
    return {
        **plain,
        "sockets": [{"id": node["id"], "cpus": node["cpus"]} for node in found["nodes"]],
        "nodes": [node | {"memory_bytes": 1 << 38} for node in found["nodes"]],
        "caches": [cache | {"id": number, "kind": "unified"} for number, cache in enumerate(found["caches"])],
        "cores": found["cores"],
        "hardware_threads": threads,
        "allowed": plain["allowed"] | {"nodes": [node["id"] for node in found["nodes"]]},
    }


def _spec(block: int, threads: int, size: int) -> dict[str, Any]:
    return {
        "schema": 1,
        "id": "",
        "role": "measure",
        "cell": {"threads": threads, "placement": "cores-close", "size": size},
        "block": block,
        "program": {"command": ["program", "{threads}"], "directory": "/made/up", "env": {"SIZE": str(size)}},
        "threads": threads,
        "cpus": list(range(threads)),
        "bind": "each",
        "sample_ms": 10,
        "timeout_s": 3600.0,
    }


def _asked(block: int, size: int) -> Iterator[dict[str, Any]]:
    """Yield the runs of every question about the largest thread count."""
    spec: Any = _spec(block, COUNTS[-1], size)
    base: Any = _spec(block, COUNTS[0], size)
    for question in BY_NAME.values():
        if question.fits(Seats(tuple(spec["cpus"]), MACHINE.topology)):
            yield dict(asking(question, spec, MACHINE.topology))
            if question.with_base:
                yield dict(asking_of_base(question, spec, base, MACHINE.topology))
