"""Sleeping lock.

What it sees
    Threads go to sleep and wake up hundreds or thousands of times a second, waiting for each other.
Why the curve bends
    Only one thread at a time can be inside the lock, so the others sleep; each hand-over costs system calls, too.
How to test it
    Run all threads on one cpu: nobody else runs while a lock is held, so almost nobody waits for it.
How to move it
    Hold the lock for a shorter time, use several locks, or give each thread its own data.
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import WAITS, Finding, Part
from knee.explain.causes.computing import page_faults
from knee.explain.ledger.evidence import Evidence, mean
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, TOGETHER, Ledger
from knee.explain.signs.futexes import INTERPRETERS
from knee.explain.signs.relief import relief
from knee.explain.signs.waits import longer_turns, own_waits

NAME = "sleeping lock"

LOADED = r"libc\.so|libc-2"
"""The library whose allocator another one can replace."""

ON_DISK = 0.3
"""Share of the time off the cpus that threads may wait for a disk."""

LEAST = 0.02
"""A smaller part is not examined."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    idle, waiting = book.value(NOBODY, ONE, FEW), own_waits(found)
    if not idle.interval.low > LEAST or waiting is None or not waiting.passed_on:
        return None
    # An interpreter's own lock has the same signs; a run with longer turns tells them apart. So do waits for pages.
    if found.mapped(INTERPRETERS) and longer_turns(found) is not False:
        return None
    if found.mapped(LOADED) and page_faults.often(found) and found.setting("page faults") is None:
        return None
    # Threads that wait for a disk go to sleep as often.
    asleep = mean(found.threads * found.many.seconds - found.many.cpu)
    if mean(found.many.on_disk).value > ON_DISK * asleep.value:
        return None
    low, high = (math.exp(end) for end in (waiting.ratio.interval.low, waiting.ratio.interval.high))
    # Handing over costs CPU time as well, and only where threads meet.
    grown = book.value(TOGETHER).interval.low > 0
    holds = (NOBODY, ONE, FEW, TOGETHER) if grown else (NOBODY, ONE, FEW)
    # Where another allocator could be loaded and was not, the lock may be that of the program's.
    untold = found.mapped(LOADED) and relief(found, "allocator") is None
    return Finding(
        series=found.series.name,
        cause=WAITS if untold else NAME,
        says=f"threads wait for each other {waiting.rate.value:,.0f} times a second",
        signs=(
            f"{found.threads} threads go to sleep {waiting.rate.value:,.0f} times a second",
            f"{math.exp(waiting.ratio.value):.0f} [{low:.0f}, {high:.0f}] times as often as all threads on one cpu",
        ),
        refute=(
            "load another allocator: if the loss stays, it is a lock of the program's own"
            if untold
            else "give each thread its own data: if the loss stays, it is not a lock"
        ),
        remedy="hold the lock for a shorter time, or use several",
        threads=found.threads,
        left=(NAME, "allocator") if untold else (),
        part=Part.of(book.value(*holds)),
        holds=holds,
    )
