"""Shared cache.

What it sees
    Copies that share nothing but the machine slow each other down, and one thread slows down when it gets a smaller
    share of the cache.
Why the curve bends
    What fits the last-level cache for one thread does not fit it for all of them.
How to test it
    Run one thread beside a program that takes a share of the cache and hardly reads memory.
How to move it
    Work on smaller blocks, so that those of all threads fit; or share what threads only read.
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import MACHINE, MORE, Ledger
from knee.explain.signs.beside import BUSY, PIRATE, STREAM, besides_clock, busy_alone, slower, took
from knee.explain.signs.words import as_ratio, plain

NAME = "shared cache"

LEAST = 0.02
"""A smaller part is not named."""

REFILLS = 0.5
"""Share of what the machine adds that refilled caches may add on one cpu."""

ENOUGH = 0.5
"""A smaller share of the cache that slows one thread by this share of what slows copies is all that does."""

SOME = 0.1
"""Beside other memory traffic it slows one thread by at least this share of that."""

MORE_TRAFFIC = 1.5
"""Other memory traffic then slows one thread by at least so many times as much."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    machine, pirate, stream = besides_clock(found, book), slower(found, PIRATE), slower(found, STREAM)
    if not machine.low > LEAST or pirate is None or not pirate.interval.low > LEAST:
        return None
    # The pirate keeps cores busy as well.
    taken, busy = Part.of(pirate), slower(found, BUSY)
    if busy is not None:
        taken = taken.less(busy_alone(busy))
    if not taken.low > LEAST:
        return None
    # What the run with a smaller share shows may be less.
    part = Part(machine.value, min(machine.low, taken.low), machine.high)
    if taken.value < ENOUGH * machine.value:
        # The rest may be that of other memory traffic.
        if not (
            taken.low > SOME * machine.value
            and stream is not None
            and stream.interval.low - took(found) > MORE_TRAFFIC * taken.value
        ):
            return None
        part = taken
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads take each other's share of the cache",
        signs=(
            f"copies that share nothing are slower by {plain(book.value(MACHINE))}",
            f"one thread with a smaller share of the cache takes {as_ratio(pirate)} times its CPU time",
            *([f"beside other memory traffic, {as_ratio(stream)} times"] if stream else []),
        ),
        refute="halve the input: if copies slow each other down as before, it is not the cache",
        remedy="work on smaller blocks, so that those of all threads fit into the cache",
        threads=found.threads,
        part=part,
        # Threads that take turns on one cpu refill its caches.
        holds=(MACHINE, MORE) if book.value(MORE).value < REFILLS * book.value(MACHINE).value else (MACHINE,),
    )
