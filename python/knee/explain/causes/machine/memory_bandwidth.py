"""Memory bandwidth.

What it sees
    Copies that share nothing but the machine slow each other down, and other memory traffic slows one thread.
Why the curve bends
    All threads share the channels to memory, and together they ask for more than these can carry.
How to test it
    Run one thread beside a program that reads memory, and beside one that only takes its share of the cache. Threads on
    a second socket move the knee, since it has channels of its own.
How to move it
    Read less: smaller types, results that stay in the cache, one pass instead of two. Use the memory of all sockets.
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.causes.machine import shared_cache
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import MACHINE, Ledger
from knee.explain.signs.beside import BUSY, PIRATE, STREAM, besides_clock, slower
from knee.explain.signs.words import as_ratio, plain

NAME = "memory bandwidth"

LEAST = 0.02
"""A smaller part is not named."""

SURE = 0.1
"""What slows copies by less than this, in logarithms, is not named without a run beside memory traffic."""

LITTLE = 0.25
"""Busy cores, and a smaller share of the cache, then slow one thread by less than this share of that."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    machine, pirate = besides_clock(found, book), slower(found, PIRATE)
    if not machine.low > LEAST or pirate is None or not pirate.value < shared_cache.ENOUGH * machine.value:
        return None
    sign = _beside(found, machine)
    cache = shared_cache.explain(found, book)
    if cache is not None and cache.part is not None:
        machine = machine.less(cache.part)
    if sign is None or not machine.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads wait for memory, whose channels they share",
        signs=(
            f"copies that share nothing are slower by {plain(book.value(MACHINE))}",
            sign,
            f"beside a program that takes its share of the cache, one takes {as_ratio(pirate)} times",
        ),
        refute="put the threads on two sockets: if the knee stays, it is not the bandwidth of one",
        remedy="read less memory, or use the memory of all sockets",
        threads=found.threads,
        part=machine,
        holds=(MACHINE,),
    )


def _beside(found: Evidence, machine: Part) -> str | None:
    """Return what one thread does beside other memory traffic; None where that does not slow it.

    Where too few such runs were made to tell, and neither busy cores nor a smaller share of the cache slow it, memory
    is what is left.
    """
    stream, busy, pirate = (slower(found, name) for name in (STREAM, BUSY, PIRATE))
    if stream is not None and stream.interval.low > LEAST:
        return f"one thread beside other memory traffic takes {as_ratio(stream)} times its CPU time"
    if stream is not None and not stream.value > LITTLE * machine.value:
        return None
    if busy is None or pirate is None or not machine.low > SURE:
        return None
    if not max(busy.interval.high, pirate.interval.high) < LITTLE * machine.value:
        return None
    return f"one thread beside cores that compute in registers takes {as_ratio(busy)} times its CPU time"
