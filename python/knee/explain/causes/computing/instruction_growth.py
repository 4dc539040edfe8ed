"""Instruction growth.

What it sees
    CPU time grows with the threads even if all of them run on one cpu, where none waits for another core.
Why the curve bends
    The program does more for the same answer: atomic operations and locks that one thread does not need, results that
    are merged, tables that every thread fills.
How to test it
    Run all threads on one cpu: what grows there is the program's own.
How to move it
    Merge less often, share tables that are only read, keep the way that one thread takes.
"""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.causes.machine import shared_cache
from knee.explain.causes.machine.shared_cache import REFILLS
from knee.explain.evidence.evidence import ONE_CPU, Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import MACHINE, MACHINES, MORE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.computing.collector import may_be_collecting
from knee.explain.signs.computing.each_thread import each_thread
from knee.explain.signs.computing.growth import Growth, between, growth
from knee.explain.signs.computing.hotspots import compiles, grown, said, spread
from knee.explain.signs.computing.kernel import of_turns
from knee.explain.signs.computing.polling import polled
from knee.explain.signs.idle.doubled import LONGER, Doubled, doubled
from knee.explain.signs.idle.processes import separate
from knee.explain.signs.words import as_ratio, plain

NAME = "instruction growth"

LEAST = 0.02
"""A smaller part is not examined."""

SAME = 0.10
"""Twice the threads take at most this much longer, in logarithms; spinning threads take more."""

SPINS = 0.4
"""A lock whose waiters spin grows on one cpu by less than this share of what it grows side by side."""

FREE = 0.5
"""Share of what grows on one cpu from which on it counts that it does not grow side by side, surely or not."""

UNTOLD = 0.1
"""Less growth on one cpu than this is not named where the curve does not tell how it grows."""

TINY = 1e-4
"""CPU time outside of the kernel counts as this many seconds, at least, so that it has a logarithm."""

A_WAIT_S = 60e-6
"""CPU time that each wait for a disk costs at most: threads ask the kernel, sleep, and are woken."""

ON_DISK = 0.03
"""Share of the time of all threads on one cpu that waits for a disk have, where that may be what grows."""

REMEDY = "merge results less often, and avoid atomic operations on data that one thread uses"

EACH, EACH_REMEDY = (
    "each further thread adds as much, as where all of them prepare the same data",
    "let one thread do for all what each does by itself, or divide it among them",
)
"""What is said where each thread does the same more."""

TELLS = 1.3
"""The curve tells how CPU time grows on one cpu where that is so many times what the machine adds, or more."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    on_one, twice, own = book.value(MORE), doubled(found), _outside(found)
    # It has to grow side by side as well, beyond what the machine adds, and outside of the kernel.
    machine = max(0.0, np.nan_to_num(book.value(MACHINE).value))
    if not on_one.interval.low > LEAST or not own.interval.low > machine or twice is None:
        return None
    # Threads take turns at an interpreter on one cpu as well.
    if of_turns(found) or (compiles(found) and not each_thread(found, book)):
        return None
    if _of_disk_waits(found) or (on_one.value < REFILLS * machine and shared_cache.explain(found, book) is not None):
        return None
    slower = growth(found, book)
    # Processes hardly wait for each other's locks.
    told = (slower is not None and slower.limited) or each_thread(found, book) or separate(found)
    if not told and _may_spin(found, book, twice, slower):
        return None
    # What grows on one cpu only, as where a runtime's compilers get less time there, costs nothing side by side.
    less = book.value(TOGETHER, UNDIVIDED)
    holds = (MORE, TOGETHER, UNDIVIDED) if less.interval.high < 0 or less.value < -FREE * on_one.value else (MORE,)
    more, looks = Part.of(book.value(*holds)), polled(found, on_one_cpu=holds == (MORE,))
    if looks is not None:
        more = more.less(Part.of(looks))
    if not more.low > LEAST or may_be_collecting(found, more.value):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"{found.threads} threads do more for the same answer than 1",
        signs=(
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
            f"side by side, and outside of the kernel: {as_ratio(own)}",
            *((EACH,) if each_thread(found, book) else ()),
            *(
                (f"{plain(looks)} more is a thread that polls until the others are done, and not counted here",)
                if looks
                else ()
            ),
            *said(found),
        ),
        refute="count instructions: if they do not grow, it is not more work",
        remedy=EACH_REMEDY if each_thread(found, book) else REMEDY,
        threads=found.threads,
        part=more,
        holds=holds,
    )


def _of_disk_waits(found: Evidence) -> bool:
    """Whether what grows on one cpu is as little for each wait as asking a disk costs."""
    one_cpu = found.test(ONE_CPU)
    if one_cpu is None or not mean(one_cpu.on_disk / one_cpu.seconds).value > ON_DISK:
        return False
    more_s = mean(one_cpu.cpu).value - mean(found.base.cpu).value
    more_waits = mean(one_cpu.sleeps).value - mean(found.base.sleeps).value
    return more_s < A_WAIT_S * more_waits


def _outside(found: Evidence) -> Mean:
    """Return how CPU time outside of the kernel grows side by side, as a logarithm."""
    # A run may be in the kernel for as long as is counted.
    many, base = (np.log(np.maximum(TINY, cell.cpu - cell.system)) for cell in (found.many, found.base))
    return mean(many - base)


def _may_spin(found: Evidence, book: Ledger, twice: Doubled, slower: Growth | None) -> bool:
    """Whether it may be threads that wait for a lock and spin: more work grows ever more slowly over the curve."""
    spots = grown(found)
    if spread(found) or (spots is not None and (spots.works or spots.moved)):
        return False
    if spots is not None and (spots.tight or spots.loops) and twice.cpu.interval.low > LONGER:
        return True
    on_one, machine = book.value(MORE).value, max(0.0, np.nan_to_num(book.value(*MACHINES).value))
    if not twice.seconds.interval.low < SAME or on_one < SPINS * book.value(TOGETHER).value:
        return True
    if slower is not None and slower.limited is False:
        return on_one > TELLS * machine
    return bool(between(found)) and on_one < UNTOLD and on_one > machine
