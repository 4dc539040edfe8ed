"""SMT sharing.

What it sees
    Threads are on siblings of one core, and copies that share nothing are slower there than with a core each.
Why the curve bends
    Two hardware threads of a core share its execution units and its caches, so the second one adds less than a core.
How to test it
    Run copies, one a core, and copies on the program's own cpus. Where a machine shows no siblings, as a virtual one,
    run one thread beside cores that compute in registers: they slow it down, and the clock does not fall.
How to move it
    Use one thread per core, if the second one adds nothing. Otherwise count it as what the machine has.
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import COPIES, ON_CORES, Evidence
from knee.explain.evidence.means import against
from knee.explain.ledger.ledger import MACHINE, SIBLINGS, Ledger
from knee.explain.signs.beside import BUSY, clock_beside, shares_a_core, slower
from knee.explain.signs.words import as_ratio

NAME = "SMT sharing"


LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    cost, on_cores, copies = book.value(SIBLINGS), found.test(ON_CORES), found.test(COPIES)
    if on_cores is None and (hidden := _hidden(found, book)) is not None:
        return hidden
    if on_cores is None or copies is None or not cost.interval.low > LEAST:
        return None
    alone = against(on_cores.copy_cpu, found.base.cpu)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"{found.threads} threads share {on_cores.threads} cores",
        signs=(
            f"copies on the same cpus take {as_ratio(cost)} times the CPU time of copies with a core each",
            f"those take {as_ratio(alone)} times that of one copy alone",
        ),
        refute="put each thread on a core of its own: if CPU time stays, it is not the shared core",
        remedy="use one thread per core where the second one adds nothing",
        threads=found.threads,
        part=Part.of(cost),
        holds=(SIBLINGS,),
    )


def _hidden(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding where cpus share a core and the machine does not show it, as on a virtual one."""
    machine, busy, clock = book.value(MACHINE), slower(found, BUSY), clock_beside(found)
    if busy is None or clock is None or not shares_a_core(found):
        return None
    if not machine.interval.low > LEAST or not busy.interval.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="cpus share a core, although the machine shows each as a core of its own",
        signs=(
            f"one thread beside cores that compute in registers takes {as_ratio(busy)} times its CPU time",
            f"a chain of dependent operations takes {as_ratio(clock)} times as long there, so it is not the clock",
        ),
        refute="run it on a bare machine: if copies slow each other down as much, it is not a shared core",
        remedy="nothing in the program; the host has to give each cpu a core",
        threads=found.threads,
        # Copies that wait for memory may take less of a core than a loop in registers does.
        part=Part.of(busy).at_most(Part.of(machine)),
        holds=(MACHINE,),
    )
