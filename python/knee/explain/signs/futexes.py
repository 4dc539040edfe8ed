"""Whether threads take turns at an interpreter's lock, as sampled.

Most sleeping locks wait without a time limit. CPython's interpreter lock waits with one, because a thread that waits
for it asks for it again after each switch interval. A wait alone is no sign of a lock: an idle pool waits at one futex,
too. So whoever names a lock by this also needs a run that changes something.
"""

from __future__ import annotations

from dataclasses import dataclass

from knee.explain.ledger.evidence import Evidence, Mean, mean

INTERPRETERS = r"(lib)?(python3|ruby)|.*\.cpython-3"
"""Files of interpreters with a global lock."""

ENOUGH = 20
"""Sampled waits, at the least, in all runs together."""

TIMED = 0.8
"""Share of the sampled waits, at the least, that are at one futex and have a time limit."""

BUSY = 1.2
"""More cpus than this are not busy where one thread runs at a time."""


@dataclass(frozen=True)
class Turns:
    """Sampled waits at futexes that several threads share, in all runs with all threads together."""

    waits: int
    at_one: int
    """Those with a time limit, at the futex of each run where most of them are."""
    busy: Mean
    """Cpus that were busy."""


def turns(found: Evidence) -> Turns | None:
    """Return the sampled waits where an interpreter is there and its threads take turns; None elsewhere."""
    waits = at_one = 0
    for run in found.many.runs:
        # A futex of one thread is no lock: the main thread waits so for the end of another.
        shared = [one for one in run.record.get("futex", {}).get("hottest", []) if one["threads"] > 1]
        waits += sum(one["waits"] for one in shared)
        at_one += max((one["timed"] for one in shared), default=0)
    busy = mean(found.many.cpu / found.many.seconds)
    if waits < ENOUGH or at_one < TIMED * waits or not busy.interval.high < BUSY or not found.mapped(INTERPRETERS):
        return None
    return Turns(waits, at_one, busy)
