"""Clock.

What it sees
    One thread is slower while other cores compute, although these use neither caches nor memory.
Why the curve bends
    With more busy cores the processor lowers its clock, to stay within its power and heat.
How to test it
    Run one thread beside cores that compute in registers. A chain of dependent operations takes longer there, too; if
    it does not, cpus share a core.
How to move it
    Nothing in the program: count it as what the machine has. A fixed clock below the turbo makes times comparable.
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import MACHINE, Ledger
from knee.explain.signs.beside import BUSY, shares_a_core, slower
from knee.explain.signs.words import as_ratio, plain

NAME = "clock"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    machine, busy = book.value(MACHINE), slower(found, BUSY)
    if not machine.interval.low > LEAST or busy is None or not busy.interval.low > LEAST or shares_a_core(found):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="cores run at a lower clock while others compute",
        signs=(
            f"one thread beside cores that compute in registers takes {as_ratio(busy)} times its CPU time",
            f"copies that share nothing are slower by {plain(machine)}",
        ),
        refute="time a dependent loop beside them: if it keeps its time, the clock does not fall",
        remedy="nothing in the program; a fixed clock makes times comparable",
        threads=found.threads,
        # Copies that use memory may have the cores less busy than a loop in registers has them.
        part=Part.of(busy).at_most(Part.of(machine)),
        holds=(MACHINE,),
    )
