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

from knee.explain.causes.cause import Finding
from knee.explain.causes.machine import shared_cache
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import MACHINE, Ledger
from knee.explain.signs.beside import PIRATE, STREAM, besides_clock, slower, took
from knee.explain.signs.words import as_ratio, plain

NAME = "memory bandwidth"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    machine, stream, pirate = besides_clock(found, book), slower(found, STREAM), slower(found, PIRATE)
    if not machine.low > LEAST or stream is None or not stream.interval.low > LEAST:
        return None
    # Nearly every program feels other memory traffic a little. Both keep cores busy, which copies do as well.
    enough, busy = shared_cache.ENOUGH * machine.value, took(found)
    if not stream.value - busy >= enough or pirate is None or not pirate.value - busy < enough:
        return None
    cache = shared_cache.explain(found, book)
    if cache is not None and cache.part is not None:
        machine = machine.less(cache.part)
    if not machine.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads wait for memory, whose channels they share",
        signs=(
            f"copies that share nothing are slower by {plain(book.value(MACHINE))}",
            f"one thread beside other memory traffic takes {as_ratio(stream)} times its CPU time",
            f"beside a program that takes its share of the cache, one takes {as_ratio(pirate)} times",
        ),
        refute="put the threads on two sockets: if the knee stays, it is not the bandwidth of one",
        remedy="read less memory, or use the memory of all sockets",
        threads=found.threads,
        part=machine,
        holds=(MACHINE,),
    )
