"""Allocator.

What it sees
    A part of the loss goes with another allocator.
Why the curve bends
    Threads wait for each other inside malloc and free: they share an arena and its lock, or move memory between arenas.
How to test it
    Load another allocator before the program's own (LD_PRELOAD), with all threads and with one.
How to move it
    Use that allocator, allocate less, or keep what was allocated for the next use.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.causes.computing import page_faults
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.relief import relief
from knee.explain.signs.words import plain

NAME = "allocator"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    changed = relief(found, NAME)
    if changed is None or not changed.least > LEAST or page_faults.explain(found, book) is not None:
        return None
    lost = book.value(NOBODY, ONE, FEW, MORE, TOGETHER, UNDIVIDED)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads wait for each other while they allocate memory",
        signs=(
            f"{changed.setting} takes {plain(changed.loss)} off the loss",
            f"idle time and CPU time that grows in the program are {plain(lost)} of it",
        ),
        refute="run with one arena (MALLOC_ARENA_MAX=1): if that makes nothing worse, it is not the allocator",
        remedy="use that allocator, or allocate less",
        threads=found.threads,
        part=Part.of(changed.loss),
        settles=("sleeping lock", "spinning", "instruction growth", OPEN),
        holds=(NOBODY, ONE, FEW, MORE, TOGETHER, UNDIVIDED),
    )
