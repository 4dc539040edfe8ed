"""Whether work was divided beforehand, and unevenly; or may have come in equal pieces, as CPU times of threads show.

Pieces that are handed out while the program runs go to other threads in each run, and each thread gets about as many.
If they are equal, no thread has two more than another, so shares of the CPU time have two values. Work that was divided
beforehand goes to the same threads each time, so the largest share is the same in each run, and so are the others; also
with twice the threads. Where one thread has a serial part as well, the others have the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.stats.intervals import Array
from knee.store.records.threads import MOST_SHARES

FEWEST = 3
"""Runs that tell whether shares are the same in each."""

SAME = 0.02
"""Standard deviation of shares that are the same in each run, at most: the mean over threads."""

SAME_OF_ONE = 0.16
"""The same over an equal share: of many threads each has a small one."""

UNEVEN = 0.4
"""The larger of two threads has this share more than the smaller one, of the mean, where pieces are uneven."""

MOSTLY = 0.5
"""Share of the CPU time that as many threads as were asked for have, unless threads come and go."""

WORK = 0.1
"""Share of the CPU time that the others have, at least, where they tell how the work is divided."""

MOST = 20
"""Pieces of each thread, at most, that are looked for."""

A_PIECE, A_SHARE = 0.07, 0.02
"""How far CPU times of threads may be from whole numbers of equal pieces: of a piece, and of a thread's share."""


CHANCE = 0.05
"""That one thread alone has an equal piece more than all others is by chance as unlikely as 1 in their number. Where
that is less, it is no matter of equal pieces.
"""

NEARLY = 0.3
"""The same with twice the threads, which take turns on the cpus."""

PIECES = 12
"""Most pieces that are recognised."""

FEW = 7
"""Up to so many pieces, a serial part is hardly as long as one of them."""

SURE = 0.12, 0.12
"""How far CPU times may be from whole numbers of pieces, in pieces, with all threads and with twice as many: medians
over the runs of the largest deviation in each.
"""

MAYBE = 0.25, 0.35
"""The same, where uneven pieces are as likely."""

WORKS = 0.25
"""A thread with less than this share of a piece works on none."""

HELP = 0.1
"""Share of the CPU time that such threads may have in all."""


@dataclass(frozen=True)
class Pieces:
    """Into how many pieces the work is divided, and whether they are surely equal."""

    many: int
    equal: bool


def largest(cell: Cell, n: int) -> Array:
    """Return the CPU time of the thread with most, over the mean of as many as were asked for, by run that tells."""
    known = [run.shares for run in cell.runs if run.shares]
    # Of more threads not all shares are known.
    return n * np.array([each[0] / (sum(each[:n]) if n <= MOST_SHARES else 1.0) for each in known])


def come_and_go(found: Evidence) -> bool:
    """Whether threads live for a part of the run, so that their CPU times do not tell how work was divided."""
    all_of_them = [sum(run.shares[: found.threads]) for run in found.watched.runs if run.shares]
    return bool(all_of_them) and sum(all_of_them) / len(all_of_them) < MOSTLY


def divided_unevenly(found: Evidence) -> bool:
    """Whether the work was surely divided beforehand, and unevenly, also among those threads that have not most."""
    usual = _same_with_twice(found)
    # What threads that hardly compute do is no piece of the work.
    if usual is None or not usual[1:].sum() > WORK:
        return False
    return bool(np.ptp(usual[1:]) > UNEVEN * usual[1:].mean()) and not _may_be_many_equal(usual)


def _may_be_many_equal(usual: Array) -> bool:
    """Whether threads may have equal pieces, of which some have one more, and which are too many to be recognised."""
    threads, shares = usual.size, usual / usual.sum()
    counts = [(each, more) for each in range(MOST + 1) for more in range(1, threads) if threads * each + more > PIECES]
    return any(_equal(shares, each, more) for each, more in counts)


def may_be_equal(found: Evidence) -> bool:
    """Whether threads may have taken equal pieces: shares of the CPU time have two values, and one is a piece more."""
    n = found.threads
    if n > MOST_SHARES or not (shares := _shares(found.watched, n)).size:
        return False
    usual = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    fewest = 1 if 1 / n > CHANCE else 2
    counts = [(each, more) for each in range(1, MOST + 1) for more in range(fewest, n)]
    possible = [n * each + more for each, more in counts if _equal(usual, each, more)]
    twice = _same_with_twice(found)
    return any(twice is None or _whole(twice, pieces) for pieces in possible)


def _equal(usual: Array, each: int, more: int) -> bool:
    """Whether each thread has so many pieces, and some of them have one more."""
    pieces = usual.size * each + more
    expected = (each + (np.arange(usual.size) < more)) / pieces
    return bool(np.abs(usual - expected).max() < max(A_PIECE / pieces, A_SHARE / usual.size))


def _same_with_twice(found: Evidence) -> Array | None:
    """Return the shares of twice the threads where they are the same in each run; None where they are not."""
    twice, many = found.test(TWICE), 2 * found.threads
    if twice is None or many > MOST_SHARES or (shares := _shares(twice, many)).shape[0] < FEWEST:
        return None
    return shares.mean(axis=0) if shares.std(axis=0, ddof=1).mean() < min(SAME, SAME_OF_ONE / many) else None


def _whole(shares: Array, pieces: int) -> bool:
    """Whether shares are nearly whole numbers of equal pieces."""
    done = shares / shares.sum() * pieces
    return bool(np.abs(done - np.rint(done)).max() < NEARLY)


def _shares(cell: Cell, many: int) -> Array:
    """Return the largest shares of the CPU time, one for each thread, shape (runs, threads)."""
    known = [np.pad(run.shares[:many], (0, max(0, many - len(run.shares)))) for run in cell.runs if run.shares]
    return np.array(known) if known else np.empty((0, many))


def whole_pieces(all_threads: Cell, twice: Cell, threads: int) -> Pieces | None:
    """Return into how many pieces the work is divided, as CPU times of threads show; None if into none.

    Parameters
    ----------
    all_threads, twice
        Runs with all threads, and with twice as many.
    threads
        The thread count, which does not divide the number of pieces.
    """
    cells = (all_threads, threads), (twice, 2 * threads)
    shares = [[np.array(run.shares) for run in cell.runs if run.shares] for cell, _ in cells]
    if not all(shares):
        return None
    possible: dict[int, tuple[float, ...]] = {}
    for pieces in range(2, max(PIECES, 2 * threads - 1) + 1):
        off = tuple(
            float(np.median([_off(each, pieces, min(count, pieces), fair=count == threads) for each in of_cell]))
            for of_cell, (_, count) in zip(shares, cells, strict=True)
        )
        if pieces > FEW and pieces % (2 * threads) == 1:
            # One thread has a little more than the others, with twice the threads, too: a serial part looks the same.
            continue
        if pieces % threads and all(one < most for one, most in zip(off, MAYBE, strict=True)):
            possible[pieces] = off
    if not possible:
        return None
    best = min(possible, key=lambda pieces: sum(possible[pieces]))
    return Pieces(best, all(one < most for one, most in zip(possible[best], SURE, strict=True)))


def in_equal_pieces(found: Evidence, twice: Cell) -> bool:
    """Whether the work comes in equal pieces that the threads cannot share, as CPU times show."""
    pieces = whole_pieces(found.watched, twice, found.threads)
    return pieces is not None and pieces.equal


def _off(shares: Array, pieces: int, working: int, *, fair: bool) -> float:
    """Return how far the CPU times of a run are from whole numbers of pieces; infinite if they cannot be.

    As many threads must work as can, helpers have little, and the whole numbers add up. Where each thread has a cpu
    (fair), none takes two equal pieces more than another.
    """
    done: Array = shares * pieces
    works: Array = done[done > WORKS]
    if works.size != working or works.sum() < (1 - HELP) * pieces:
        return np.inf
    # Threads that work on no piece help those that do.
    works = works * pieces / works.sum()
    whole: Array = np.rint(works)
    if whole.sum() != pieces or (fair and np.ptp(whole) > 1):
        return np.inf
    return float(np.abs(works - whole).max())
