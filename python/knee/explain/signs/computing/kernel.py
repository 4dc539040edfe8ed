"""CPU time inside the kernel, and whether it is that of handing a lock over.

A thread that goes to sleep for a lock, and one that wakes it, do so in the kernel: about 20 microseconds for each
wait, up to 40 in a virtual machine, most of them there. CPU time that grows elsewhere is not the lock's, unless it is
as little for each wait.
"""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, TOGETHER, WAITING, Ledger
from knee.explain.signs.idle.futexes import turns
from knee.explain.signs.idle.stretches import long_stretches, longest_stretch
from knee.explain.signs.idle.waits import own_waits
from knee.stats.intervals import combined

IN_KERNEL = 0.25
"""Share of what grows side by side that must grow inside the kernel."""

USUAL_S = 40e-6
"""CPU time of a wait as it is at most where waking a cpu takes long. If it is no more, it is the lock's, wherever ticks
found it.
"""

A_WAIT_S, SELDOM = 100e-6, 5_000.0
"""CPU time that a wait costs at most; and waits of a thread in a second, up to which the kernel's time tells little."""

MOST_S = 150e-6
"""More CPU time for each wait than this is not a lock's, also where it grows inside the kernel."""


def in_kernel(found: Evidence) -> Mean:
    """Return by how much CPU time inside the kernel grows with all threads, over the CPU time of the base."""
    whole = mean(found.base.cpu).value
    inside, before = (cell.system[np.isfinite(cell.system)] / whole for cell in (found.many, found.base))
    value, ends = combined(inside, [(-1.0, before)])
    return Mean(value, ends, min(inside.size, before.size))


def handing_over(found: Evidence, book: Ledger) -> bool:
    """Whether CPU time grows side by side because a lock is handed over."""
    together = book.value(TOGETHER)
    if not together.interval.low > 0:
        return False
    waits, grown = _waits(found), _grown_s(found)
    if grown > MOST_S * waits:
        return False
    return bool(in_kernel(found).value > IN_KERNEL * np.expm1(together.value) or _cheap(found))


def _waits(found: Evidence) -> float:
    return mean(found.many.sleeps).value - mean(found.base.sleeps).value


def _grown_s(found: Evidence) -> float:
    return mean(found.many.cpu).value - mean(found.base.cpu).value


def _cheap(found: Evidence) -> bool:
    """Whether CPU time grows by as little for each wait as handing a lock over usually costs."""
    waits, grown = _waits(found), _grown_s(found)
    seldom = waits < SELDOM * found.threads * mean(found.many.seconds).value
    return grown < USUAL_S * waits or (seldom and grown < A_WAIT_S * waits)


def of_turns(found: Evidence) -> bool:
    """Whether CPU time grows by as little as turns at an interpreter cost, and threads take turns at one."""
    return turns(found, found.threads) is not None and _grown_s(found) < MOST_S * mean(found.many.sleeps).value


def lock_passed_on(found: Evidence, book: Ledger) -> bool:
    """Whether threads pass a lock on, and that is the CPU time that grows side by side."""
    waiting = own_waits(found)
    return waiting is not None and bool(waiting.passed_on) and handing_over(found, book)


def waited_for_lock(found: Evidence, book: Ledger) -> Part:
    """Return how much of the loss a lock holds: the parts that it holds, without a long start or end of one thread.

    Time in which threads wait for a cpu may be the lock's, and so may CPU time of which copies do not tell surely that
    it grows in the program.
    """
    holds = held_by_lock(found, book)
    every = holds if TOGETHER in holds or not _cheap(found) else (*holds, TOGETHER)
    whole, surely = (Part.of(book.value(*some)) for some in (every, [name for name in holds if name != WAITING]))
    if ONE in holds:
        whole, surely = (part.less(longest_stretch(found, book)) for part in (whole, surely))
    whole, surely = (part.less(_of_base(found, book)) for part in (whole, surely))
    return Part(surely.value, surely.low, max(surely.high, whole.high))


def _of_base(found: Evidence, book: Ledger) -> Part:
    """Return the idle time in which no thread computes that the base has as well, as where a program is loaded."""
    nobody = mean(found.watched.idle("nobody")).value
    base_s = mean(found.base.threads * found.base.seconds - found.base.cpu).value / found.base.threads
    share = found.threads * base_s / nobody if nobody > 0 and base_s > 0 else 0.0
    return Part.of(book.value(NOBODY)).times(min(1.0, share)) if share > 0 else Part(0.0, 0.0, 0.0)


def held_by_lock(found: Evidence, book: Ledger) -> tuple[str, ...]:
    """Return the parts of the ledger that a lock holds whose waiters sleep.

    A waiter that is woken may wait for the cpu of the thread that wakes it, although others are free.
    """
    idle = (NOBODY, FEW) if long_stretches(found) else (NOBODY, ONE, FEW)
    if found.threads <= found.series.cpus:
        idle = (*idle, WAITING)
    return (*idle, TOGETHER) if handing_over(found, book) else idle
