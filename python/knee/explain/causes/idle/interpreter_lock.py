"""Interpreter lock.

What it sees
    At most one thread runs the interpreter at a time, and threads take turns at it.
Why the curve bends
    An interpreter with a global lock (Python before free threading, Ruby) runs one thread's code at a time; only what
    is done outside of it, such as compression or waiting for files, overlaps.
How to test it
    Let threads keep the lock for longer before they pass it on: they take turns less often. A lock of the program's own
    does not change with it. Without that run: they wait with a time limit, taking turns, and about one cpu is busy, or
    sleeping threads do nothing else; while all threads on one cpu hardly wait, or copies of the program, which are
    processes, do not.
How to move it
    Use processes instead of threads, an interpreter without the lock, or move work out of the interpreter.
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import PIECES, WAITS, Finding
from knee.explain.evidence.evidence import COPIES, Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.computing.kernel import held_by_lock, waited_for_lock
from knee.explain.signs.idle.futexes import BUSY, Turns, turns
from knee.explain.signs.idle.stretches import in_turn
from knee.explain.signs.idle.waits import OFTEN, Waits, longer_turns, own_waits, waits
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio, plain

NAME = "interpreter lock"

LEAST = 0.02
"""A smaller part is not named."""

ALL = 0.85
"""Share of the cpus that copies keep busy, at least, if they do not wait."""

FEWER = math.log(0.7)
"""With longer turns threads go to sleep at most this share as often, as a logarithm."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    holds = held_by_lock(found, book)
    waiting, sampled = waits(found), turns(found, ALL * found.threads)
    if not book.value(*holds).interval.low > LEAST or waiting is None:
        return None
    sign = _sign(found, waiting, sampled)
    if sign is None:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads take turns at the interpreter, which runs one of them at a time",
        signs=(
            f"{found.threads} threads go to sleep {waiting.rate.value:,.0f} times a second",
            sign,
            *_told(sampled),
        ),
        refute="use processes instead of threads: if they are no faster, it is not the interpreter's lock",
        remedy="use processes instead of threads, or an interpreter without the lock",
        threads=found.threads,
        part=waited_for_lock(found, book),
        holds=holds,
        settles=("sleeping lock", WAITS, "imbalance", PIECES, "serial part"),
    )


def _sign(found: Evidence, waiting: Waits, sampled: Turns | None) -> str | None:
    """Return what the run says that changes one thing; None where it does not speak for an interpreter's lock."""
    changed = relief(found, NAME)
    if changed is not None:
        # Long turns are as many on one cpu; then samples have to say that threads take them. A few of them cost time,
        # since each is as long.
        takes_turns = waiting.passed_on is not False or waiting.more or sampled is not None
        if takes_turns and (changed.waits.interval.high < FEWER or longer_turns(found) is True):
            return f"with {changed.setting} they do so {as_ratio(changed.waits)} times as often"
    own, apart = own_waits(found), _apart(found)
    if sampled is None:
        return None
    if own is not None and own.passed_on is not False:
        # Threads that give the lock up themselves do so as often with longer turns; then processes have to tell.
        alone = own.passed_on and changed is None and sampled.busy.interval.high < BUSY
        return f"that is {as_ratio(waiting.ratio)} times as often as all threads on one cpu" if alone else apart
    # Where each gives the lock up before long C code, threads take turns as often on one cpu, and so does one thread.
    # Then samples have to say that threads wait for nothing else, or times that one computes at a time.
    often = changed is None or waiting.rate.interval.low > OFTEN
    one_at_a_time = often and sampled.busy.interval.high < BUSY
    return apart if one_at_a_time or (sampled.all_there_is and in_turn(found)) else None


def _apart(found: Evidence) -> str | None:
    """Return that copies do not wait, if they do not: processes have an interpreter each."""
    copies = found.test(COPIES)
    if copies is None:
        return None
    cpus = mean(copies.threads * copies.copy_cpu / copies.seconds)
    if not cpus.interval.low > ALL * copies.threads:
        return None
    return f"as many copies, which are processes, keep {plain(cpus)} cpus busy"


def _told(sampled: Turns | None) -> tuple[str, ...]:
    if sampled is None:
        return ()
    return (
        f"{sampled.at_one} of {sampled.waits} sampled waits of threads that take turns have a time limit",
        f"{plain(sampled.busy)} cpus are busy",
    )
