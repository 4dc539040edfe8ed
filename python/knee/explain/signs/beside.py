"""How much one thread slows down while something else runs on the other cpus."""

from __future__ import annotations

from knee.explain.causes.cause import Part
from knee.explain.ledger.evidence import Evidence, Mean, against
from knee.explain.ledger.ledger import MACHINE, Ledger

STREAM, PIRATE, BUSY = "stream beside", "pirate beside", "busy cores beside"
"""Names of the questions: other memory traffic, a smaller share of the cache, other cores that compute in registers."""


def slower(found: Evidence, name: str) -> Mean | None:
    """Return the logarithm of one thread's CPU time beside it over that alone; None without that run."""
    cell = found.test(name)
    return None if cell is None else against(cell.cpu, found.base.cpu)


MUCH = 0.25
"""Share of what slows copies down that a falling clock must leave: programs that use memory may lower it further."""


def besides_clock(found: Evidence, book: Ledger) -> Part:
    """Return what slows copies down besides a clock that falls while other cores compute."""
    machine, busy = Part.of(book.value(MACHINE)), slower(found, BUSY)
    if busy is None or not busy.interval.low > 0:
        return machine
    left = machine.less(Part.of(busy))
    return left if left.value > MUCH * machine.value else Part(0.0, 0.0, 0.0)
