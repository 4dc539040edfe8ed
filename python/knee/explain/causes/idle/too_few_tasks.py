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

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.ledger.evidence import TWICE, Cell, Evidence
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.alone import alone

NAME = "too few tasks"

LEAST = 0.02
"""A smaller part is not named."""

PIECES = 12
"""Most pieces that are recognised."""

OFF = 0.12
"""How far CPU times may be from a whole number of pieces, in pieces."""

WORKS = 0.25
"""A thread with less than this share of a piece works on none."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    twice = found.test(TWICE)
    found_alone = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    pieces = None if twice is None else whole_pieces([found.watched, twice], found.threads)
    if not found_alone or pieces is None:
        return None
    whole = found_alone[0].uneven
    holds = tuple(dict.fromkeys(name for one in found_alone for name in one.holds))
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"the work comes in {pieces} equal pieces, which {found.threads} threads cannot share evenly",
        signs=(
            f"CPU times of {found.threads} threads are whole multiples of 1/{pieces} of the work",
            f"so are those of {2 * found.threads} threads on the same cpus",
        ),
        refute="divide the work into more pieces: if the loss stays, their number is not the cause",
        remedy="divide the work into more pieces, or give the program more work",
        threads=found.threads,
        part=whole,
        holds=holds,
    )


def whole_pieces(cells: list[Cell], threads: int) -> int | None:
    """Return into how many equal pieces the work is divided, as CPU times of threads show; None if into none.

    Parameters
    ----------
    cells
        Runs with different thread counts.
    threads
        The thread count, which does not divide the number of pieces.
    """
    shares = [run.shares for cell in cells for run in cell.runs if run.shares]
    if not shares or len(shares) < len(cells):
        return None
    for pieces in range(threads + 1, PIECES + 1):
        if pieces % threads and all(_whole(np.array(each) * pieces) for each in shares):
            return pieces
    return None


def _whole(pieces: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    """Whether several threads work, and each of them has done a whole number of pieces."""
    working = pieces[pieces > WORKS]
    if working.size < 2 or np.abs(working.sum() - pieces.sum()) > OFF:
        return False
    return bool((np.abs(working - np.round(working)) < OFF).all())
