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

import math

from knee.explain.causes.cause import OPEN, WAITS, Finding, Part
from knee.explain.causes.computing import page_faults
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.relief import relief
from knee.explain.signs.words import plain

NAME = "allocator"

IDLE = (NOBODY, ONE, FEW)
HOLDS = (*IDLE, MORE, TOGETHER, UNDIVIDED)

FEWER = math.log(0.7)
"""With the other allocator threads go to sleep at most this share as often, as a logarithm."""

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    changed = relief(found, NAME)
    if changed is None or page_faults.explain(found, book) is not None:
        return None
    # Times may vary too much to tell, while idle time is a ratio inside each run, and so are its waits.
    waits_less = changed.idle_least > LEAST and changed.waits.interval.high < FEWER
    if not (changed.least > LEAST or waits_less):
        return None
    relieved, holds = (changed.loss, HOLDS) if changed.least > LEAST else (changed.idle, IDLE)
    lost = book.value(*HOLDS)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads wait for each other while they allocate memory",
        signs=(
            f"{changed.setting} takes {plain(relieved)} off the {'loss' if holds is HOLDS else 'idle time'}",
            f"idle time and CPU time that grows in the program are {plain(lost)} of it",
        ),
        refute="run with one arena (MALLOC_ARENA_MAX=1): if that makes nothing worse, it is not the allocator",
        remedy="use that allocator, or allocate less",
        threads=found.threads,
        part=Part.of(relieved),
        idle=Part.of(changed.idle),
        settles=("sleeping lock", WAITS, "spinning", "instruction growth", OPEN),
        holds=holds,
    )
