"""What a question costs in a block, in seconds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.explain.evidence.evidence import (
    COPIES,
    INTERLEAVED,
    ON_CORES,
    ONE_CPU,
    SPREAD,
    SWITCHES,
    TWICE,
    Evidence,
    answers,
)
from knee.explain.ledger.ledger import (
    MACHINE,
    ledger,
)
from knee.explain.ledger.placements import PLACED
from knee.explain.signs.beside import BUSY, PIRATE, STREAM
from knee.store import Run

SLOWED = {BUSY: 1.1, PIRATE: 1.5, STREAM: 3.0}
"""How many times as long one thread is estimated to take beside other programs."""

MORE_TRAFFIC = 1.3
"""How many times as much other memory traffic slows one thread as copies do, estimated."""

LONGER = 3.0
"""The fewer threads of a placement are estimated to take this many times as long as all."""


def cost_s(found: Evidence, name: str) -> float:
    """Return the seconds that the runs of a question take in a block: those of its own runs, or an estimate."""
    own = [cell for test, cell in found.tests.items() if answers(test, name) and cell.runs]
    if own:
        return sum(seconds(cell.runs) / len(cell.runs) for cell in own)
    base, many = (seconds(cell.runs) / len(cell.runs) for cell in (found.base, found.many))
    if name in PLACED:
        return LONGER * many
    known = {ONE_CPU: max(base, many), COPIES: base, SWITCHES: many, TWICE: many, INTERLEAVED: many}
    if name == STREAM and np.isfinite(machine := ledger(found).value(MACHINE).value):
        # Traffic of others slows one thread about as much as copies do.
        return MORE_TRAFFIC * float(np.exp(machine)) * base
    if name in SLOWED:
        return SLOWED[name] * base
    if name in (ON_CORES, SPREAD) and (copies := found.test(COPIES)) is not None and copies.runs:
        return seconds(copies.runs) / len(copies.runs)
    return known.get(name, base if name in (ON_CORES, SPREAD) else base + many)


def cpu_s(found: Evidence) -> float:
    """Return the CPU time of all threads: the longest that they take on one cpu, if it does not grow there."""
    return float(np.nanmean(found.many.cpu)) if np.isfinite(found.many.cpu).any() else 0.0


def seconds(runs: Sequence[Run]) -> float:
    """Return the time that runs took together."""
    return sum(run.record["wall_ns"] / 1e9 for run in runs)
