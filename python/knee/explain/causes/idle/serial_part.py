"""Serial part.

What it sees
    One thread works while the others wait, in few long stretches.
Why the curve bends
    The time of the serial part stays the same however many threads there are, so it is a growing share (Amdahl's
    law).
How to test it
    Run twice the threads on the same cpus: a serial part takes as long as before, uneven work is divided more finely.
    Samples of instructions may show that it is code which threads hardly execute beside others.
How to move it
    Divide the serial part among threads, or let it overlap with parallel work.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.idle.alone import adds_work, alone
from knee.explain.signs.idle.by_code import never_beside
from knee.explain.signs.idle.doubled import PASSIVE
from knee.explain.signs.idle.goroutines import has_goroutines
from knee.explain.signs.idle.own_code import own_code
from knee.explain.signs.idle.pieces import divided_unevenly
from knee.explain.signs.words import plain
from knee.store.records.threads import MOST_SHARES

NAME = "serial part"

LEAST = 0.02
"""A smaller part is not named."""

SAME = 0.4
"""Share of the time in which one thread works alone that the same one has, at least."""

BEYOND = 0.08
"""By so much more, at least, than an equal share."""

HALF = 0.5
"""One more thread than there should be computes as the others do if it has this share of their CPU time, at least."""

HELPS = 0.4
"""Share of the time in which one thread works alone that a helper has, where it may be all that is serial."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    divided = alone(found, book, "one")
    if divided is None or not divided.undivided.low > LEAST:
        return None
    asleep = found.setting(PASSIVE) if divided.hidden else None
    seconds = mean((asleep or found.watched).idle("one") / (found.threads - 1))
    # A helper of the runtime, such as a collector, is no part of the program, and one large piece no serial part.
    # What more threads compute besides the work says nothing of how that was divided.
    own = own_code(found)
    apart = never_beside(found) > 0 or (own is not None and own.most)
    pieces = (divided_unevenly(found) and not adds_work(found)) or _many(found)
    if helped(found, seconds.value) or (pieces and not apart):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"one thread works alone for {seconds.value:.3g} s of each run while the others wait",
        signs=(
            f"with {found.threads} threads{' that sleep while they wait' if asleep else ''} one works alone for "
            f"{plain(seconds)} s",
            f"with twice the threads on the same cpus that takes {plain(divided.stays)} times as long",
            *(() if own is None or not own.most else (own.said,)),
        ),
        refute="divide that part among threads: if the loss stays, it is not the serial part",
        remedy="divide the serial part among threads, or let it overlap with parallel work",
        threads=found.threads,
        part=divided.undivided,
        holds=divided.holds,
    )


def _many(found: Evidence) -> bool:
    """Whether it is not one and the same thread that works alone."""
    # Of two threads one has half of it, at least.
    least = max(SAME, BEYOND + 1 / found.threads)
    share = mean(found.watched.alone("share")).value
    return share < least if share == share else _at_most(found) < least


def _at_most(found: Evidence) -> float:
    """Return which share of the time in which one thread works alone the same one may have, where records do not tell.

    A part that nobody divides gives one thread so much CPU time more than the others have. Of Go, any thread may run
    it, and of very many threads not all are known.
    """
    cell, any_thread = found.watched, has_goroutines(found) or found.threads >= MOST_SHARES
    known = [(run.shares, run.cpu_s) for run in cell.runs if run.shares and run.cpu_s is not None]
    alone_s = mean(cell.idle("one") / (found.threads - 1)).value
    if not known or not alone_s > 0:
        return np.inf
    of = [
        shares[0] * cpu_s / alone_s if any_thread else _of_one(shares, cpu_s / alone_s, found.threads)
        for shares, cpu_s in known
    ]
    return float(np.mean(of))


def _of_one(shares: Sequence[float], cpu: float, threads: int) -> float:
    """Return which share of that time the thread with most CPU time has, at most. ``cpu`` is the CPU time of all
    threads over the time in which one works alone.

    Where one more thread computes as the others do, the one with most may do nothing but that part. Otherwise each of
    the others is alone for as long as another.
    """
    others = sorted(shares[1:threads])
    usual = others[len(others) // 2] if others else 0.0
    further = shares[threads] if len(shares) > threads else 0.0
    if further > HALF * usual:
        return shares[0] * cpu
    return max(further * cpu, ((threads - 1) * (shares[0] - usual) * cpu + 1) / threads)


def helped(found: Evidence, seconds: float) -> bool:
    """Whether most of the time in which one thread works alone is, or may be, that of a helper of the runtime."""
    share = mean(found.watched.alone("helper") * found.watched.alone("share")).value
    return share > HELPS or (share != share and mean(found.watched.helpers).value > HELPS * seconds)
