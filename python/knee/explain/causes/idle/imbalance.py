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

from knee.explain.causes.cause import Finding, Part
from knee.explain.causes.idle import too_few_tasks
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.alone import Alone, alone
from knee.explain.signs.doubled import fixed_pieces
from knee.explain.signs.words import plain

NAME = "imbalance"

UNEQUAL = 0.3
"""The thread with most work explains at least this share of the idle time, if the others wait for it alone."""

LEAST = 0.02
"""A smaller part is not named."""


def most(found: Evidence) -> float:
    """Return the CPU time of the thread with most, over the mean of all threads; 1 if it is not known."""
    known = [run.shares[0] for run in found.watched.runs if run.shares]
    return found.threads * sum(known) / len(known) if known else 1.0


def unequal(found: Evidence, divided: Sequence[Alone]) -> bool:
    """Whether threads have so unequal CPU times that those that finish first wait."""
    return math.log(max(1.0, most(found))) > UNEQUAL * sum(one.uneven.value for one in divided)


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    divided = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    if not divided or too_few_tasks.explain(found, book) is not None:
        return None
    if not any(one.hidden for one in divided) and not unequal(found, divided):
        return None
    part = Part(*(sum(getattr(one.uneven, end) for one in divided) for end in ("value", "low", "high")))
    how = ", some of it as CPU time, since they wait actively" if any(one.hidden for one in divided) else ""
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads get unequal work, and those that finish first wait",
        signs=(
            f"the thread with most CPU time has {most(found):.2f} times the mean{how}",
            f"with twice the threads on the same cpus {_what_twice_does(found, divided[0])}",
        ),
        refute="divide the work into smaller pieces: if the loss stays, the work is not uneven",
        remedy="divide the work into smaller pieces that threads take as they finish (a dynamic schedule)",
        threads=found.threads,
        part=part,
        holds=tuple(dict.fromkeys(name for one in divided for name in one.holds)),
    )


def _what_twice_does(found: Evidence, divided: Alone) -> str:
    if fixed_pieces(found):
        return "no further thread works: the pieces are as many as before"
    return f"they wait {plain(divided.stays)} times as long"
