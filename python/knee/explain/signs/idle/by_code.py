"""Whether a thread that works alone has a piece of the work of all, or a part that nobody divided: as its code tells,
and which thread executes it.

Where its code is that of all, and it is no thread that starts the others, its piece is larger than theirs. A thread
that hardly ever computes beside others has no piece of their work.
"""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.signs.idle.doubled import OFF
from knee.explain.signs.idle.goroutines import own_alone, pieces_alone
from knee.explain.signs.idle.own_code import own_code
from knee.explain.signs.idle.pieces import come_and_go, largest
from knee.explain.signs.idle.stretches import ONLY, SELDOM, always_another, by_a_worker, by_workers
from knee.explain.signs.idle.waits import own_waits

MOSTLY = 0.5
"""Share of what is executed alone that decides whose it is."""

LARGER = 1.2
"""A thread with a larger piece has this many times the mean CPU time, at least."""


def same_work(found: Evidence, stays: Mean) -> bool:
    """Whether what threads execute alone is what all execute, and twice the threads fill some of the gaps: it comes in
    pieces, and another one is the last each time.

    Where each thread lives for a part of the run and it is another one that executes it alone each time, a part of the
    work may have fewer pieces than there are threads, and more threads fill no gap.
    """
    own = own_code(found)
    if own is not None and own.alike and own.workers is None and come_and_go(found) and always_another(found):
        return True
    workers = own is not None and (by_workers(found) if own.workers is None else own.workers.low > MOSTLY)
    return own is not None and own.alike and workers and stays.interval.high < 1 - OFF


def goroutines_share(found: Evidence) -> bool:
    """Whether what a goroutine does alone surely is work that several do, in code that all of them execute.

    Where a phase has fewer pieces than there are threads, more threads fill no gap, and yet it is no serial part.
    """
    own = own_code(found)
    return own is not None and own.alike and pieces_alone(found)


def by_code(found: Evidence, stays: Mean, low: float, usual: float, most: float) -> tuple[float, float, float]:
    """Return which share is that of uneven work, as the code tells that is executed alone."""
    own = own_code(found)
    if own is None:
        return low, usual, most
    # The first thread of a process need not be the one that starts the others, where a runtime makes code.
    if (own.workers is None and own.alike and by_a_worker(found)) or same_work(found, stays):
        return 1.0, 1.0, 1.0
    if own.workers is not None and own.workers.low > MOSTLY:
        low, usual, most = max(low, own.workers.low), max(usual, own.workers.value), max(most, own.workers.high)
    if own.workers is not None and own.workers.high < MOSTLY and _starter_beside(found):
        low, usual, most = (min(one, own.workers.high) for one in (low, usual, most))
    return min(low, 1 - own.at_most), min(usual, 1 - own.share), min(most, 1 - own.least)


def _starter_beside(found: Evidence) -> bool:
    """Whether as many threads work as were asked for, beside the one that started them and worked as well."""
    n, runs = found.threads, [run.shares for run in found.watched.runs if run.shares]
    return bool(runs) and all(len(each) > n and each[n] > MOSTLY * each[n - 1] for each in runs)


def larger_piece(found: Evidence) -> bool:
    """Whether threads seldom wait, and one surely has more of the work of all than the others, of a program whose code
    is made while it runs: its runtime's own threads wait as often as those at a lock that is passed on seldom.
    """
    own, waiting = own_code(found), own_waits(found)
    if own is None or own.workers is None or waiting is None or not own.workers.low > MOSTLY:
        return False
    more = mean(np.log(largest(found.watched, found.threads)))
    return waiting.rate.value < SELDOM and more.interval.low > np.log(LARGER)


def never_beside(found: Evidence) -> float:
    """Return the share of the time in which one thread works alone that is one's that hardly works beside others."""
    goroutines = own_alone(found)
    if goroutines is not None:
        # Any thread may run them.
        return goroutines if goroutines > MOSTLY else 0.0
    own, share, helper = (mean(found.watched.alone(name)).value for name in ("own", "share", "helper"))
    return share if own > ONLY and share > MOSTLY and not helper > 0 else 0.0
