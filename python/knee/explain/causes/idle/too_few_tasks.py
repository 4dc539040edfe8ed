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

from knee.explain.causes.cause import PIECES as UNEVEN
from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.idle.alone import alone
from knee.explain.signs.idle.pieces import divided_unevenly, whole_pieces

NAME = "too few tasks"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    twice = found.test(TWICE)
    found_alone = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    pieces = None if twice is None else whole_pieces(found.watched, twice, found.threads)
    if not found_alone or pieces is None:
        return None
    whole = Part(*(sum(getattr(one.uneven, end) for one in found_alone) for end in ("value", "low", "high")))
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
