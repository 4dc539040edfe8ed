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

from knee.explain.causes.cause import LINES, OPEN, WAITS, Finding, Part
from knee.explain.causes.computing import page_faults
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.computing.for_pages import share_for_pages
from knee.explain.signs.idle.futexes import at_futexes
from knee.explain.signs.idle.waits import SPIN, waits
from knee.explain.signs.relief import GONE, relief
from knee.explain.signs.words import plain

NAME = "allocator"

IDLE = (NOBODY, ONE, FEW)
HOLDS = (*IDLE, MORE, TOGETHER, UNDIVIDED)

SAID = 0.01
"""A smaller share of time for pages is not worth a line."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    changed = relief(found, NAME)
    # Threads that wait for the lock of glibc's allocator sleep, and hardly on one cpu. What goes without waits is where
    # data lie.
    waiting = waits(found)
    if waiting is not None and waiting.passed_on is False and not found.mapped(SPIN):
        return None
    if changed is None or (page_faults.fewer_faults(found, NAME) and _faults(found, book)):
        return None
    if (taken := changed.taken()) is None:
        return None
    relieved, idle = taken
    part, gone, lost = Part.of(relieved), Part.of(changed.idle), book.value(*HOLDS)
    beside: tuple[str, ...] = ()
    faults = page_faults.explain(found, book)
    if faults is not None and not faults.may_be_nothing:
        # What it takes off the time for pages is theirs.
        pages = share_for_pages(found, NAME, idle=idle)
        part = part.less(Part(*(end * part.value for end in (pages.value, pages.low, pages.high))))
        gone = gone.at_most(part)
        if pages.value >= SAID:
            beside = (f"{100 * pages.value:.0f} % of that is time for pages, and not its own",)
        if not part.low > 0:
            return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads wait for each other while they allocate memory",
        signs=(
            f"{changed.setting} takes {plain(relieved)} off the {'idle time' if idle else 'loss'}",
            *beside,
            f"idle time and CPU time that grows in the program are {plain(lost)} of it",
        ),
        refute="run with one arena (MALLOC_ARENA_MAX=1): if that makes nothing worse, it is not the allocator",
        remedy="use that allocator, or allocate less",
        threads=found.threads,
        part=part,
        idle=gone,
        # Where all waits go, they were the allocator's.
        sure=bool(changed.waits.interval.high < GONE),
        settles=("sleeping lock", WAITS, "spinning", "instruction growth", OPEN, *LINES),
        holds=IDLE if idle else HOLDS,
    )


def _faults(found: Evidence, book: Ledger) -> bool:
    """Whether it is page faults that cost time, or may be: no run with memory that is kept tells."""
    changed = relief(found, NAME)
    # Threads that wait for pages sleep inside the kernel, and at no futex.
    locks = at_futexes(found) and changed is not None and changed.waits.interval.high < GONE
    untold = page_faults.often(found) and found.setting(page_faults.NAME) is None and not locks
    return untold or page_faults.explain(found, book) is not None
