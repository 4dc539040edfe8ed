"""In how long stretches one thread works alone, and which thread that is, as records of context switches say.

One and the same thread that is alone for long is no waiting for a lock. Where it is another one in each run, it has
taken the last piece of the work.
"""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import ONE, Ledger
from knee.explain.signs.idle.waits import own_waits
from knee.store.records.idle import Alone

SAME, LONG_S = 0.8, 0.02
"""One thread has this share of the time in which exactly one works, and is alone for so many seconds each time: threads
that take turns at a lock are not.
"""

LITTLE = 0.3
"""None of the threads has this share of the time in which one works alone, where it is another one each time."""

ONLY = 0.9
"""A thread that is alone for this share of its CPU time hardly ever works beside others."""

HALF = 0.5
"""Share of the time in which one thread works alone that one long stretch has, beside many short ones."""

HELPERS = 2
"""Threads of a program beside those that it is told to use: its main thread, and one more."""

FEWEST = 3
"""Runs that tell whether it is the same thread in each."""

MOST_OF_IT = 0.7
"""Share of the time in which one thread works alone that is one stretch."""

MOST_RUNS = 0.5
"""Share of the runs in which something is seen, at the least."""

ALWAYS = 0.95
"""A thread that computes for this share of the run time waits for nothing."""

SELDOM = 1000.0
"""Waits in a second. A lock with fewer is held for long each time, by one thread after another."""


def long_stretches(found: Evidence) -> bool:
    """Whether one and the same thread works alone in long stretches, which is no waiting for a lock.

    Only records of context switches tell. One stretch may have most of the time, beside many short ones.
    """
    watched = found.watched
    whole, longest = watched.idle("one") / (found.threads - 1), mean(watched.alone("longest_s")).value
    each = mean(whole / np.maximum(1.0, watched.alone("intervals"))).value
    most = longest > max(LONG_S, HALF * mean(whole).value)
    return mean(watched.alone("share")).value > SAME and (each > LONG_S or most)


def one_alone(found: Evidence) -> bool:
    """Whether one and the same thread works alone, and threads wait too seldom for a lock that they pass on."""
    waiting = own_waits(found)
    return waiting is not None and waiting.rate.value < SELDOM and mean(found.watched.alone("share")).value > SAME


def bottleneck(found: Evidence) -> bool:
    """Whether one thread computes nearly all the time, and is the one that does so alone: it waits for no lock, and the
    others wait for what it hands out.
    """
    runs = found.watched.runs
    known = [(run.shares[0] * run.cpu_s, run.time_s) for run in runs if run.shares and run.cpu_s is not None]
    always = sum(computes > ALWAYS * time for computes, time in known)
    return always > MOST_RUNS * len(known) and mean(found.watched.alone("share")).value > SAME


def in_turn(found: Evidence) -> bool:
    """Whether several threads of a run surely work alone, one after another."""
    return mean(found.watched.alone("share")).value < SAME


def always_another(found: Evidence) -> bool:
    """Whether none of many threads of a run works alone for much of the time in which exactly one works."""
    return mean(found.watched.alone("share")).value < LITTLE


def changes_hands(found: Evidence) -> bool:
    """Whether another thread works alone in one run than in another, for one long stretch of each run.

    It has taken the last piece of the work, which is a large one. A part that nobody divides is the main thread's, or
    that of the same thread in each run.
    """
    known = _known(found.watched, found.test(TWICE))
    places = [one.place for one in known if one.share > SAME]
    by_first = places.count(0.0) >= len(places) / 2
    if len(known) < FEWEST or len(set(places)) < 2 or by_first or any(np.isnan(place) for place in places):
        return False
    # Runtimes with threads of their own, such as Go's, move the same work from thread to thread.
    if any(len(run.shares) > found.threads + HELPERS for run in found.watched.runs):
        return False
    longest, whole = (mean(each) for each in (found.watched.alone("longest_s"), found.watched.idle("one")))
    return longest.value > max(LONG_S, MOST_OF_IT * whole.value / (found.threads - 1))


def by_a_worker(found: Evidence) -> bool:
    """Whether one and the same thread of each run works alone, as in :func:`by_workers`."""
    return by_workers(found) and all(one.share > SAME for one in _known(found.watched))


def by_workers(found: Evidence) -> bool:
    """Whether threads that work alone, one or several in turn, surely are none that starts the others: none is the
    first one of its process. They work beside others as well, so that they have a part of their work.
    """
    known = _known(found.watched)
    # What is not known is NaN, and no number is above or below it.
    return len(known) >= FEWEST and all(one.place > 0 and one.own < ONLY for one in known)


def _known(*cells: Cell | None) -> list[Alone]:
    """Return what is known of the thread that works alone, of each run."""
    runs = [run for cell in cells if cell is not None for run in cell.runs]
    return [run.idle.alone for run in runs if run.idle is not None and run.idle.alone is not None]


def _only_the_first(found: Evidence) -> bool:
    """Whether in each run the first thread works alone most, and hardly ever beside others."""
    known = _known(found.watched)
    return len(known) >= FEWEST and all(one.place == 0 and one.own > ONLY for one in known)


def longest_stretch(found: Evidence, book: Ledger) -> Part:
    """Return the idle time of the longest stretch in which one thread works alone, where that is a long one.

    It is a start or an end, in which no thread has others to take turns with. Where the first thread does all of it and
    hardly works beside others, so are shorter ones.
    """
    if _only_the_first(found):
        return Part.of(book.value(ONE)).times(min(1.0, mean(found.watched.alone("share")).value))
    longest, idle = mean(found.watched.alone("longest_s")).value, mean(found.watched.idle("one")).value
    if not longest > LONG_S or not idle > 0:
        return Part(0.0, 0.0, 0.0)
    return Part.of(book.value(ONE)).times(min(1.0, (found.threads - 1) * longest / idle))
