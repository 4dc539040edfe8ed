"""Garbage collection.

What it sees
    A part of the loss goes when the heap is larger, or nothing is collected.
Why the curve bends
    A collector stops all threads, or works beside them: n threads allocate n times as fast, so it runs n times as
    often.
How to test it
    Run with four times the heap, or without a collector where there is memory for that (GOGC, -Xmx), with all threads
    and with one.
How to move it
    Allocate less, give the program a larger heap, or let the collector use more threads.
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio, plain

NAME = "garbage collection"

LEAST = 0.02
"""A smaller part is not named."""

FEWER = math.log(0.5)
"""Threads wait at most this share as often, as a logarithm."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    del book
    changed = relief(found, NAME)
    if changed is None or not changed.least > LEAST:
        return None
    # The collector's own work goes, or the waits for it; otherwise something else has changed. The kernel may have to
    # give more memory.
    if not (changed.user.interval.high < 0 or changed.waits.interval.high < FEWER):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads wait for the garbage collector, or do its work ({changed.setting} takes the loss away)",
        signs=(
            f"{changed.setting} takes {plain(changed.loss)} off the loss",
            f"with it CPU time outside of the kernel is {as_ratio(changed.user)} times as long, and threads wait "
            f"{as_ratio(changed.waits)} times as often",
        ),
        refute="give it a larger heap still: if the loss stays, it is not the collector",
        remedy="allocate less, or give the program a larger heap",
        threads=found.threads,
        part=Part.of(changed.loss),
        settles=("sleeping lock", "imbalance", "serial part", "too few tasks", "instruction growth", OPEN),
        holds=(NOBODY, ONE, FEW, MORE, TOGETHER, UNDIVIDED),
    )
