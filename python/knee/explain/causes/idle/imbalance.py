"""Imbalance.

What it sees
    Threads get unequal work, so those that finish first wait for the others.
Why the curve bends
    The thread with most work sets the time.
How to test it
    Run twice the threads on the same cpus: the work comes in smaller pieces, and the gaps are filled; or no further
    thread works, since there are as many pieces as before.
How to move it
    Divide the work into smaller pieces and hand them out while the program runs (a dynamic schedule, work stealing).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from knee.explain.causes.cause import PIECES, Finding, Part
from knee.explain.causes.idle import too_few_tasks
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import ONE_CPU, Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, Ledger
from knee.explain.signs.idle.alone import Alone, alone
from knee.explain.signs.idle.by_code import goroutines_share, same_work
from knee.explain.signs.idle.doubled import OFF, doubled, fixed_pieces, kept
from knee.explain.signs.idle.futexes import turns
from knee.explain.signs.idle.goroutines import has_goroutines
from knee.explain.signs.idle.own_code import own_code
from knee.explain.signs.idle.pieces import come_and_go, divided_unevenly, largest, may_be_equal
from knee.explain.signs.idle.waits import own_waits, waits
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio, plain

NAME = "imbalance"

SPINNING = "spinning"
"""The cause that a run tests in which waiting threads sleep."""

UNEQUAL = 0.5
"""The thread with most work explains at least this share of the idle time, if the others wait for it alone."""

MOSTLY = 0.5
"""Time in which one thread works alone may be a serial part where it has more than this share of the loss."""

CHANCE = 0.01
"""By how much CPU times of equal threads differ, in logarithms."""

APART = 0.05
"""How unequal CPU times surely are, in logarithms, where threads wait for a lock as well."""

IN_PIECES = "the work comes in pieces that the threads cannot share evenly, and those that finish first wait"
"""What is said where pieces may be equal."""

TELLS = "give the program four times the work: if less is lost, there were too few pieces; if as much, they are uneven"
"""The run that would decide then."""

FILLED = 0.6
"""Share of the time in which one thread works alone that is left with twice the threads, at most, where each thread has
most work in turn.
"""

STRETCH_S, PHASE, PASSED = 0.008, 0.1, 0.8
"""The longest stretch then takes so long and has this share of that time, at least, and one and the same thread at most
the last; unless the code that is executed alone tells.
"""

WAKES_S = 100e-6
"""Threads that sleep for less each time sleep about as long as waking them takes."""

LEAST = 0.02
"""A smaller part is not named."""


def most(found: Evidence) -> float:
    """Return the CPU time of the thread with most, over the mean of as many as were asked for; 1 if it is not known.

    Others, such as one that starts them and waits, are helpers.
    """
    return _mean_of(found.watched, found.threads)


def _mean_of(cell: Cell, n: int) -> float:
    known = largest(cell, n)
    return float(known.mean()) if known.size else 1.0


def _only_side_by_side(found: Evidence) -> bool:
    """Whether threads that have as much to do on one cpu differ where each has its own: they slow each other down
    unequally, or the cpus are not as fast, and work is divided evenly.
    """
    one_cpu = found.test(ONE_CPU)
    if one_cpu is None or not largest(one_cpu, found.threads).size or come_and_go(found) or has_goroutines(found):
        return False
    there = math.log(max(1.0, _mean_of(one_cpu, found.threads)))
    return there < UNEQUAL * math.log(max(1.0, most(found)))


def unequal(found: Evidence, divided: Sequence[Alone]) -> bool:
    """Whether threads have so unequal CPU times that those that finish first wait.

    What one thread computes in a serial part makes its CPU time longer, too, and does not count. Threads that each live
    for one phase tell nothing; then twice the threads alone decide.
    """
    if come_and_go(found):
        return True
    alone_s = mean(found.watched.idle("one") / (found.threads - 1)).value
    serial = not any(ONE in one.holds for one in divided)
    share = min(0.9, alone_s / mean(found.watched.cpu).value) if serial else 0.0
    others = (most(found) / found.threads - share) / (1 - share) * found.threads
    return math.log(max(1.0, others)) > CHANCE + UNEQUAL * sum(one.uneven.value for one in divided)


def _in_turn(found: Evidence, divided: Sequence[Alone]) -> bool:
    """Whether threads work alone in long stretches that smaller pieces fill, each in turn: in every phase another one
    has most work, so that all have as much in the end.
    """
    waiting = waits(found)
    if waiting is None or waiting.passed_on is not False:
        # Other threads also work while some wait for a lock, be it that of an allocator.
        return False
    if not all(one.stays.interval.high < FILLED for one in divided):
        return False
    own = own_code(found)
    if own is not None and own.alike:
        return True
    alone_s = mean(found.watched.idle("one") / (found.threads - 1)).value
    longest = mean(found.watched.alone("longest_s")).value
    return longest > max(STRETCH_S, PHASE * alone_s) and mean(found.watched.alone("share")).value < PASSED


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    divided = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    if not divided and (beside := _beside_a_lock(found, book)) is not None:
        return beside
    if not divided or too_few_tasks.explain(found, book) is not None:
        return None
    hidden, passive = any(one.hidden for one in divided), relief(found, SPINNING)
    alike = not hidden and not unequal(found, divided)
    if not alike and _only_side_by_side(found):
        return None
    in_pieces = _in_turn(found, divided) or same_work(found, divided[0].stays) or goroutines_share(found)
    # Pieces that are shorter than what it takes to wake a thread up cannot be told from that.
    if alike and (not in_pieces or _asleep_s(found) < WAKES_S):
        return None
    # Where the loss goes while waiting threads sleep, it was their spinning that cost it. Only that run tells.
    if hidden and (passive is None or passive.least > LEAST):
        return None
    part = Part(*(sum(getattr(one.uneven, end) for one in divided) for end in ("value", "low", "high")))
    # Pieces that are handed out while the program runs may be equal, and too few.
    equal = may_be_equal(found) or come_and_go(found)
    sure = not alike and (hidden or fixed_pieces(found) or divided_unevenly(found) or not equal)
    how = ", some of it as CPU time, since they wait actively" if hidden else ""
    return Finding(
        series=found.series.name,
        cause=NAME if sure else PIECES,
        left=() if sure else (too_few_tasks.NAME, NAME),
        says="threads get unequal work, and those that finish first wait" if sure else IN_PIECES,
        signs=(
            f"the thread with most CPU time has {most(found):.2f} times the mean{how}",
            f"with twice the threads on the same cpus {_what_twice_does(found, divided[0])}",
        ),
        refute="divide the work into smaller pieces: if the loss stays, the work is not uneven" if sure else TELLS,
        remedy="divide the work into smaller pieces that threads take as they finish (a dynamic schedule)",
        threads=found.threads,
        part=part,
        ask=(SPINNING,) if hidden else (),
        holds=tuple(dict.fromkeys(name for one in divided for name in one.holds)),
    )


def _beside_a_lock(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding where threads wait for a lock as well: then only CPU times tell how uneven their work is.

    A lock gains nothing from twice the threads on the same cpus, while smaller pieces of work do.
    """
    waiting, twice, idle = own_waits(found), doubled(found), book.value(NOBODY, ONE, FEW)
    if waiting is None or not waiting.passed_on or twice is None or not found.told or turns(found) is not None:
        return None
    # The thread with most work has none of the others' waits at the end.
    known = [run.shares[0] for run in found.watched.runs if run.shares]
    lost = mean(np.log(found.threads * np.array(known)))
    gained = -twice.seconds.interval.high
    if not (lost.interval.low > APART and gained > LEAST and lost.value < idle.value):
        return None
    stays, alone_part = kept(found, book, "one"), book.value(ONE).value
    if alone_part > MOSTLY * lost.value and not (stays is not None and stays.interval.high < 1 - OFF):
        # What one thread computes in a serial part makes its CPU time longer, too.
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads get unequal work, and those that finish first wait",
        signs=(
            f"the thread with most CPU time has {most(found):.2f} times the mean",
            f"twice the threads on the same cpus take {as_ratio(twice.seconds)} times as long",
        ),
        refute="divide the work into smaller pieces: if the loss stays, the work is not uneven",
        remedy="divide the work into smaller pieces that threads take as they finish (a dynamic schedule)",
        threads=found.threads,
        part=Part.of(lost),
        idle=Part.of(lost),
        holds=(NOBODY, ONE, FEW),
    )


def _asleep_s(found: Evidence) -> float:
    """Return for how long threads sleep each time."""
    asleep, own = mean(found.threads * found.many.seconds - found.many.cpu).value, found.watched.own_sleeps
    sleeps = own if np.isfinite(own).any() else found.many.sleeps
    return asleep / max(1.0, mean(sleeps).value)


def _what_twice_does(found: Evidence, divided: Alone) -> str:
    if fixed_pieces(found):
        return "no further thread works: the pieces are as many as before"
    return f"they wait {plain(divided.stays)} times as long"
