"""Tells apart why one thread, or a few, work while the others wait: because nobody divided that part, or unevenly.

With twice the threads on the same cpus, a part that is not divided takes as long as before, while uneven work comes in
smaller pieces, which fill the gaps. How much of its idle time is left depends on how it is uneven: from nothing, where
pieces are handed out in turn, to half, where the first threads get all of it. So the division has a range of its own.
Where no further thread works, there are as many pieces as before, which are uneven.

A thread that hardly ever computes beside others has no piece of their work, however many threads there are: what it
does alone is a part that nobody divided. So is code that threads hardly execute beside others; while the same code, by
a thread that also works beside others, is a piece of their work. Where one thread after another executes it alone, it
is pieces if twice the threads fill some of the gaps. And where one thread works alone in a long stretch, CPU time that
further threads add is no work that fills the gap, unless CPU times show that the work comes in a few equal pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.disturbance import clock_step
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.evidence.means import Mean, against, mean, over
from knee.explain.ledger.ledger import FEW, NOBODY, NOT_COMPUTED, ONE, TOGETHER, Ledger
from knee.explain.signs.idle.by_code import by_code, goroutines_share, larger_piece, never_beside
from knee.explain.signs.idle.doubled import (
    OFF,
    TINY,
    fewer_pieces,
    fixed_pieces,
    in_one_unit,
    kept,
    no_more_threads,
    waits_actively,
)
from knee.explain.signs.idle.file_locks import at_files
from knee.explain.signs.idle.futexes import mostly_timed, turns
from knee.explain.signs.idle.goroutines import lock_holds, nobody_waits, none_alone, pieces_alone
from knee.explain.signs.idle.own_code import own_code
from knee.explain.signs.idle.pieces import divided_unevenly, in_equal_pieces
from knee.explain.signs.idle.processes import separate
from knee.explain.signs.idle.stretches import SAME, bottleneck, changes_hands, long_stretches, one_alone
from knee.explain.signs.idle.waits import own_cell, own_waits
from knee.stats.intervals import Array, combined

REMAINS, MOST = 0.25, 0.55
"""Share of the idle time of uneven work that is left with twice the threads: usually, and at most."""

WOKEN = 0.25
"""Share of the idle time of a serial part that is missing with twice the threads, where they sleep only then: a thread
that wakes up waits for a cpu, and does not count as idle.
"""

FILLED = 0.75
"""Share of the time in which one thread works alone that is left with twice the threads, at most, where they surely
fill the gaps. Those that take turns at an interpreter fill none.
"""

TURN_S = 0.004
"""How long threads of equal rights take turns on a cpu, about: the kernel's slice is 3 ms."""

SURELY = 0.85
"""Share of the idle time that a part which nobody divided surely keeps with twice the threads."""

LONGER = 1.15
"""With twice the threads one is alone for at least so many times as long, where it has a large piece."""

HALF = 0.5
"""A part that nobody divided is in every run, so what is left is less than this share of it in hardly any."""

ALIKE = 0.1
"""CPU times of threads that have as much to do differ by this share of their mean, at most."""

MOST_RUNS = 0.5
"""Share of the runs in which that is so, at the least."""

BASE_WAITS = 0.5
"""The base waits for at least this share of the idle time, where that is no matter of dividing work."""

PARTS = {"one": ONE, "few": FEW}
"""Classes of idle time, and their parts of the ledger."""


@dataclass(frozen=True)
class Alone:
    """Idle time of a class, divided; and with twice the threads, over that with all."""

    uneven: Part
    undivided: Part
    stays: Mean
    holds: tuple[str, ...]
    hidden: bool
    """Whether threads wait actively, so that a part of the idle time is CPU time."""


def alone(found: Evidence, book: Ledger, name: str) -> Alone | None:
    """Divide the idle time of a class; None if it cannot be divided, or threads take turns."""
    waiting, stays, hidden = own_waits(found), kept(found, book, name), waits_actively(found, book)
    twice = found.test(TWICE)
    locks = waiting is not None and waiting.passed_on is not False and not _no_locks(found)
    if (
        not found.told
        or waiting is None
        or ((locks or lock_holds(found)) and not (name == "one" and long_stretches(found)))
        or twice is None
        or stays is None
        or not np.isfinite(stays.interval.low)
    ):
        return None
    # An interpreter's threads that take long turns sleep as often on one cpu; so do those that wait for a disk. But
    # where one and the same thread works alone, or more threads fill the gaps, they take no turns.
    in_turn = mostly_timed(found) and not (one_alone(found) or stays.interval.high < FILLED)
    others = (in_turn or _base_waits(book, hidden=hidden)) and not long_stretches(found)
    if turns(found) is not None or at_files(found) or others:
        return None
    adds = name == "one" and not hidden and adds_work(found) and not in_equal_pieces(found, twice)
    stays = _unfilled(found) if adds else stays
    # With many threads some of those that wait actively are in either class.
    holds = (PARTS[name], TOGETHER) if hidden and (name == "one" or found.threads > 2) else (PARTS[name],)
    whole = book.value(*holds)
    left, before = (_left(found), found.watched.idle(name)) if adds else in_one_unit(found, twice, name)
    always = _always(left, before)
    low, usual, most = _uneven(stays, always, OFF + WOKEN if hidden else OFF)
    if name == "one" and ((_may_wait_for_turns(found) and usual < HALF) or no_more_threads(found)):
        low, most = 0.0, 1.0
    # What more threads compute besides the work says nothing of how many pieces that has.
    moves = name == "one" and changes_hands(found)
    if (fixed_pieces(found) and not adds) or moves:
        low = usual = most = 1.0
        if name == "one" and not moves and own_code(found) is None and _others_have_as_much(found):
            # One large piece, or a part that nobody divided: as many threads work in either case.
            low = 0.0
    if name == "few" and fewer_pieces(found):
        low = usual = most = 1.0
    if name == "one" and not (adds or hidden) and _lengthens(found, twice, stays):
        low = usual = most = 1.0
    if name == "one":
        low, usual, most = by_code(found, stays, *(min(one, 1 - never_beside(found)) for one in (low, usual, most)))
    # A piece of the work that goroutines share, unless its code is known and twice the threads surely leave it as long;
    # but never a serial part where that code, and the goroutine, are met beside others as well.
    own = own_code(found)
    shared = own is not None and own.alike and none_alone(found)
    known = stays.interval.low >= SURELY and own is not None
    equal = own is not None and own.alike and in_equal_pieces(found, twice)
    if name == "one" and (shared or equal or (not known and pieces_alone(found))):
        most = 1.0
    if name == "one" and goroutines_share(found):
        low = usual = most = 1.0
    rest = _rest(found, name)
    uneven = _part(whole, usual * rest.value, low * rest.low, most * rest.high)
    uneven = replace(uneven, low=max(0.0, uneven.low - _by_the_machine(found)))
    undivided = _part(whole, (1 - usual) * rest.value, (1 - most) * rest.low, (1 - low) * rest.high)
    return Alone(uneven, undivided, stays, holds, hidden)


def _others_have_as_much(found: Evidence) -> bool:
    """Whether all threads but the one with most CPU time have about as much, and these are two or more."""
    runs = [run.shares[1 : found.threads] for run in found.watched.runs if len(run.shares) >= found.threads]
    alike = [max(rest) - min(rest) < ALIKE * sum(rest) / len(rest) for rest in runs if len(rest) > 1]
    return bool(alike) and sum(alike) > MOST_RUNS * len(alike)


def _rest(found: Evidence, name: str) -> Part:
    """Return the share of the idle time that is left with the setting that takes most waits away: another allocator's
    locks, and those of other runtimes, are no matter of how work is divided.
    """
    own = own_cell(found)
    if own is found.many:
        return Part(1.0, 1.0, 1.0)
    left = over(own.idle(name) + TINY, found.many.idle(name) + TINY)
    ends = (left.value, left.interval.low, left.interval.high)
    return Part(*(min(1.0, max(0.0, one)) if np.isfinite(one) else 1.0 for one in ends))


def _by_the_machine(found: Evidence) -> float:
    """Return how much longer a cpu may take for a piece of the work than another one for as much, in logarithms.

    Where the clock of the cpus changes while a run lasts, as on a host with other guests, it does so on one cpu more
    than on another, by chance; unless the same threads have most work in each run.
    """
    if divided_unevenly(found):
        return 0.0
    return float(np.median([clock_step(run) for cell in (found.base, found.many, found.watched) for run in cell.runs]))


def _no_locks(found: Evidence) -> bool:
    """Whether threads that go to sleep wait for no lock, however often they do. Processes have none in common."""
    return separate(found) or one_alone(found) or bottleneck(found) or nobody_waits(found) or larger_piece(found)


def _uneven(stays: Mean, always: float, off: float) -> tuple[float, float, float]:
    """Return which share of the idle time is that of uneven work: at least, usually, and at most."""
    longest = min(stays.interval.high, always) if always < HALF else stays.interval.high
    low, high = (min(1.0, max(0.0, 1 - end)) for end in (longest + off, stays.interval.low - OFF))
    usual = min(1.0, max(0.0, 1 - stays.value) / (1 - REMAINS))
    most = min(1.0, high / (1 - MOST))
    # Where all of it may have one reason, it has one.
    return low, 1.0 if most >= 1 else 0.0 if low <= 0 else usual, most


def adds_work(found: Evidence) -> bool:
    """Whether twice the threads surely compute more, beside one that works alone in a long stretch."""
    twice = found.test(TWICE)
    return twice is not None and long_stretches(found) and against(twice.cpu, found.many.cpu).interval.low > 0


def _unfilled(found: Evidence) -> Mean:
    """Return the idle time that stays with twice the threads, and the CPU time that they add, over that with all.

    Where a thread computes instead of being idle, both change in the same run.
    """
    idle = mean(found.watched.idle("one")).value
    both, before = (each[np.isfinite(each)] / idle for each in (_left(found), found.many.cpu))
    value, ends = combined(both, [(-1.0, before - before.mean())])
    return Mean(value, ends, min(both.size, before.size))


def _left(found: Evidence) -> Array:
    """Return the idle time in which one thread works, with twice the threads, and the CPU time that they add."""
    twice = found.tests[TWICE]
    return twice.idle("one") + twice.cpu - mean(found.many.cpu).value


def _lengthens(found: Evidence, twice: Cell, stays: Mean) -> bool:
    """Whether with twice the threads one is alone for longer, and no more is computed: a part that nobody divided is as
    long, while a large piece of the work has to share its cpu until the others have ended.
    """
    return bool(stays.interval.low > LONGER) and not against(twice.cpu, found.many.cpu).interval.low > 0


def _may_wait_for_turns(found: Evidence) -> bool:
    """Whether what is alone may be pieces that are shorter than a turn of the scheduler.

    Such a piece fills no gap, since it waits until another one has ended. Another thread takes it each time.
    """
    longest, share = (mean(found.watched.alone(name)).value for name in ("longest_s", "share"))
    return longest < TURN_S and not share > SAME


def _base_waits(book: Ledger, *, hidden: bool) -> bool:
    """Whether the base waits as well, so that most idle time has nothing to do with how work is divided."""
    waits = (NOBODY, ONE, FEW, TOGETHER) if hidden else (NOBODY, ONE, FEW)
    return -book.value(NOT_COMPUTED).value > BASE_WAITS * book.value(*waits).value


def _always(left: Array, before: Array) -> float:
    """Return how much of the idle time is left in every run with twice the threads but one, over that with all.

    A part that nobody divided takes its time in every run, while pieces of work fill the gaps in some, and not in
    others.
    """
    known, whole = np.sort(left[np.isfinite(left)]), mean(before).value
    return float(known[1] / whole) if known.size > 1 and whole > 0 else np.inf


def _part(whole: Mean, share: float, low: float, high: float) -> Part:
    return Part(share * whole.value, low * whole.interval.low, high * whole.interval.high)
