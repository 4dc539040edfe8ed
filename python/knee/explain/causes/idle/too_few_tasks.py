"""Too few tasks.

What it sees
    The work comes in a few pieces of equal size, and their number is no multiple of the threads: some threads do one
    piece more than the others.
Why the curve bends
    A piece is not divided, so the time goes in steps: three pieces take as long on two threads as four.
How to test it
    Run twice the threads on the same cpus: as many threads work as there are pieces, and no more.
How to move it
    Divide the work into more pieces (smaller blocks), or give the program more work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.causes.cause import PIECES as UNEVEN
from knee.explain.causes.cause import Finding
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.idle.alone import alone
from knee.explain.signs.idle.pieces import divided_unevenly
from knee.stats.intervals import Array

NAME = "too few tasks"

LEAST = 0.02
"""A smaller part is not named."""

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


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    twice = found.test(TWICE)
    found_alone = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    pieces = None if twice is None else whole_pieces(found.watched, twice, found.threads)
    if not found_alone or pieces is None:
        return None
    whole = found_alone[0].uneven
    holds = tuple(dict.fromkeys(name for one in found_alone for name in one.holds))
    count, equal = pieces.many, pieces.equal
    if not equal and divided_unevenly(found):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME if equal else UNEVEN,
        says=f"the work comes in {count} {'equal ' if equal else ''}pieces, which {found.threads} threads cannot share "
        "evenly",
        signs=(
            f"CPU times of {found.threads} threads are {'' if equal else 'nearly '}whole multiples of 1/{count} of the "
            "work",
            f"so are those of {2 * found.threads} threads on the same cpus",
        ),
        refute="divide the work into more pieces: if the loss stays, their number is not the cause",
        remedy="divide the work into more pieces, or give the program more work",
        left=() if equal else (NAME, "imbalance"),
        threads=found.threads,
        part=whole,
        holds=holds,
    )


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
    for pieces in range(threads + 1, PIECES + 1):
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
