"""Imbalance.

What it sees
    Threads get unequal work, so those that finish first wait for the others.
Why the curve bends
    The thread with most work sets the time.
How to test it
    Run twice the threads on the same cpus: the work comes in smaller pieces, and the gaps are filled.
How to move it
    Divide the work into smaller pieces and hand them out while the program runs (a dynamic schedule, work stealing).
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.causes.idle import too_few_tasks
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import Ledger
from knee.explain.signs.alone import alone
from knee.explain.signs.words import plain

NAME = "imbalance"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    divided = [one for name in ("one", "few") if (one := alone(found, book, name)) and one.uneven.low > LEAST]
    if not divided or too_few_tasks.explain(found, book) is not None:
        return None
    part = Part(*(sum(getattr(one.uneven, end) for one in divided) for end in ("value", "low", "high")))
    how = ", some of it as CPU time, since they wait actively" if any(one.hidden for one in divided) else ""
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads get unequal work, and those that finish first wait",
        signs=(
            f"threads wait for others that work{how}",
            f"with twice the threads on the same cpus they wait {plain(divided[0].stays)} times as long",
        ),
        refute="divide the work into smaller pieces: if the loss stays, the work is not uneven",
        remedy="divide the work into smaller pieces that threads take as they finish (a dynamic schedule)",
        threads=found.threads,
        part=part,
        holds=tuple(dict.fromkeys(name for one in divided for name in one.holds)),
    )
