"""Sleeping lock.

What it sees
    Threads go to sleep and wake up hundreds or thousands of times a second, waiting for each other. Or a processor of a
    Go program is idle while goroutines wait for a lock.
Why the curve bends
    Only one thread at a time can be inside the lock, so the others sleep; each hand-over costs system calls, too.
How to test it
    Run all threads on one cpu: nobody else runs while a lock is held, so almost nobody waits for it. Run twice the
    threads on the same cpus: they gain nothing.
How to move it
    Hold the lock for a shorter time, use several locks, or give each thread its own data.
"""

from __future__ import annotations

import math

import numpy as np

from knee.explain.causes.cause import WAITS, Finding, Part
from knee.explain.causes.computing import page_faults
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, Ledger
from knee.explain.signs.computing.kernel import held_by_lock, waited_for_lock
from knee.explain.signs.idle.doubled import doubled
from knee.explain.signs.idle.file_locks import SOME, at_file_locks, at_files, grows_with_twice
from knee.explain.signs.idle.futexes import INTERPRETERS, RARELY, at_futexes, untimed
from knee.explain.signs.idle.goroutines import at_locks, hands_over, has_goroutines, lock_holds, nobody_waits
from knee.explain.signs.idle.processes import separate
from knee.explain.signs.idle.stretches import bottleneck, one_alone
from knee.explain.signs.idle.waits import LOADED, SETTINGS, fewer, longer_turns, own_waits, share_left
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio

NAME = "sleeping lock"

ON_DISK = 0.3
"""Share of the time off the cpus that threads may wait for a disk."""

MANY = np.log(8)
"""Beside waits for a disk, threads wait for each other so many times as often as on one cpu, as a logarithm."""

LEAST = 0.02
"""A smaller part is not examined."""

MOST_TAKEN = 0.4
"""Share of the waits, at most, that settings together may take away where others are left."""

GAINS = 0.5
"""Twice the threads on the same cpus gain this share of the idle time, at least, where smaller pieces fill the gaps."""

IDLE_CLASSES = (NOBODY, ONE, FEW)
"""Parts of the ledger that a lock on a file holds."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    if at_files(found):
        return _on_a_file(found, book)
    return _of_goroutines(found, book) if lock_holds(found) else _in_memory(found, book)


def _in_memory(found: Evidence, book: Ledger) -> Finding | None:
    holds, waiting = held_by_lock(found, book), own_waits(found)
    nobody = separate(found) or one_alone(found) or bottleneck(found) or nobody_waits(found) or hands_over(found)
    if nobody or not book.value(*holds).interval.low > LEAST or waiting is None or not waiting.passed_on:
        return None
    # An interpreter's own lock has the same signs; samples tell them apart, or a run with longer turns.
    own = _own(found) if found.mapped(INTERPRETERS) else 1.0
    if own < 1 - RARELY:
        return None
    # Where each of two settings takes waits away, the other's are left, and a lock beside them cannot be told.
    left = [one for name in SETTINGS if fewer(found, name) and (one := share_left(found, name)) is not None]
    if len(left) > 1 and sum(1 - one for one in left) > MOST_TAKEN:
        return None
    # Threads that wait for a disk go to sleep as often, but on one cpu, too.
    asleep = mean(found.threads * found.many.seconds - found.many.cpu)
    on_disk, some = mean(found.many.on_disk).value, ON_DISK * asleep.value
    if on_disk > some and waiting.ratio.interval.low < MANY:
        return None
    # So do those that wait for pages, which looks like a disk, where samples meet hardly any at a lock of the program.
    if page_faults.often(found) and not at_futexes(found) and not on_disk <= some:
        return None
    low, high = (math.exp(end) for end in (waiting.ratio.interval.low, waiting.ratio.interval.high))
    # Where no other allocator was loaded, the lock may be the allocator's: the C library's, or one in the program's own
    # file. Threads of Go do not wait for its own so often.
    own_file = found.without_libraries and not has_goroutines(found)
    untold = (found.mapped(LOADED) or own_file) and relief(found, "allocator") is None
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
        part=waited_for_lock(found, book).times(own),
        holds=holds,
    )


def _of_goroutines(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding where goroutines wait for locks. Twice the threads on the same cpus gain nothing from that."""
    share, twice, holds = at_locks(found), doubled(found), held_by_lock(found, book)
    whole = waited_for_lock(found, book)
    if share is None or twice is None or twice.seconds.interval.high < -GAINS * whole.value:
        return None
    usual, low, high = _ends(share)
    part = _of(share, whole)
    if not part.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"goroutines wait for locks in {100 * usual:.0f} % of the time of idle processors",
        signs=(
            f"samples of goroutines: {100 * low:.0f} to {100 * high:.0f} % of idle processors would have one that "
            "waits for a lock",
            f"twice the threads on the same cpus take {as_ratio(twice.seconds)} times as long",
        ),
        refute="give each goroutine its own data: if the loss stays, it is not a lock",
        remedy="hold the lock for a shorter time, or use several",
        threads=found.threads,
        part=part,
        holds=holds,
    )


def _on_a_file(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding where threads, or processes, wait for a lock on a file."""
    share, idle = at_file_locks(found), Part.of(book.value(*IDLE_CLASSES))
    if not share.interval.low > SOME or not grows_with_twice(found):
        return None
    usual, low, high = _ends(share)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads wait for locks on files in {100 * usual:.0f} % of their idle time",
        signs=(
            f"the system calls of sleeping threads are waits for such a lock in {100 * low:.0f} to {100 * high:.0f} % "
            "of the idle time",
            "twice the threads on the same cpus wait longer for them",
        ),
        refute="let each thread lock a file of its own: if the loss stays, it is not the lock",
        remedy="hold the lock for a shorter time, or use several files",
        threads=found.threads,
        part=_of(share, idle),
        holds=IDLE_CLASSES,
    )


def _ends(share: Mean) -> tuple[float, float, float]:
    """Return a share and its interval: samples may count more than there is."""
    usual, low, high = (min(1.0, one) for one in (share.value, share.interval.low, share.interval.high))
    return usual, low, high


def _of(share: Mean, whole: Part) -> Part:
    """Return a share of a part, with the errors of both."""
    usual, low, high = _ends(share)
    return Part(usual * whole.value, low * whole.low, high * whole.high)


def _own(found: Evidence) -> float:
    """Return which share of the waits is for a lock of the program's own, and not for its interpreter; 0 where that is
    not known.
    """
    share = untimed(found)
    return float(longer_turns(found) is False) if share is None else share
