"""Shared cache lines.

What it sees
    CPU time grows only where threads run at the same time. Copies and all threads on one cpu take what one thread
    takes.
Why the curve bends
    A cache line that several cores write to moves from core to core, and a store waits for it each time: true sharing
    if they write to the same data, false sharing if only the line is the same.
How to test it
    Run all threads on one cpu: no line moves between cores. Run copies: they share no data. Padding tells false from
    true sharing; counting instructions tells both from work that threads duplicate.
How to move it
    Put data that different threads write to on separate cache lines; collect results per thread.

Without hardware counters, work that several threads do at the same time (each computes what is not there yet) has the
same signs, so the finding lists all three.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, INFLATION, MACHINES, MORE, NOBODY, ONE, TOGETHER, Ledger
from knee.explain.ledger.memory import untold
from knee.explain.signs.doubled import COLLAPSE, doubled
from knee.explain.signs.growth import growth
from knee.explain.signs.relief import relief
from knee.explain.signs.waits import own_waits
from knee.explain.signs.words import as_ratio

NAME = "shared cache lines"

LINES = ("false sharing", "true sharing")
LEFT = (*LINES, "duplicated work")
COSTLY = ("spinning", "duplicated work")

OPENMP = r"lib(g|i|)omp"
"""Libraries whose threads wait actively."""

LEAST = 0.02
"""A smaller part is not examined."""

MACHINE_SHARE = 0.25
"""Share of the CPU time that grows which the machine may hold where growth over the curve tells anything."""

HALF = 0.5
"""Share of what grows side by side that memory of other nodes may cost."""

LITTLE = 0.1
"""Idle time, as a share of the CPU time that grows: with less, waits are not what it is spent on."""


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])}, or {names[-1]}" if len(names) > 2 else " or ".join(names)


def _locked(found: Evidence, book: Ledger) -> bool:
    """Whether threads wait for a lock so long that handing it over may cost that CPU time."""
    waiting = own_waits(found)
    if waiting is None or not waiting.passed_on:
        return False
    return book.value(NOBODY, ONE, FEW).value > LITTLE * book.value(TOGETHER).value


def _machines(book: Ledger) -> bool:
    """Whether much of the CPU time that grows is the machine's."""
    return book.value(*MACHINES).interval.low > MACHINE_SHARE * book.group(INFLATION).value


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    together, on_one = book.value(TOGETHER), book.value(MORE)
    twice, waiting = doubled(found), own_waits(found)
    if not together.interval.low > LEAST or twice is None or waiting is None:
        return None
    # With twice the threads as many run at the same time, so lines move as often.
    if _locked(found, book) or twice.seconds.interval.low > COLLAPSE or twice.cpu.interval.high < 0:
        return None
    # Threads of OpenMP that wait for others compute while they do; only a run in which they sleep would tell.
    if found.mapped(OPENMP) and relief(found, "spinning") is None:
        return None
    # Duplicated work grows in proportion to the threads, lines have a limit, and a lock may hardly show on one cpu.
    # Memory of other nodes costs time side by side as well.
    if untold(found) > HALF * together.value:
        return None
    grown = growth(found)
    if not on_one.interval.high < together.value / 2 and (grown is None or grown.limited is None):
        return None
    left = LEFT
    if grown is not None and (twice.cpu.interval.low > 0 or grown.limited is not None):
        # Only waiting threads compute more with twice the threads, or on one cpu as well. What the machine adds grows
        # in its own way.
        tells = not _machines(book)
        spins = grown.goes_on or grown.how == "accelerates" or on_one.interval.low > 0
        costly = twice.cpu.interval.low > 0 or (tells and spins)
        left = LINES if tells and grown.limited else COSTLY if costly else LEFT
    return Finding(
        series=found.series.name,
        cause=OPEN,
        says=f"CPU time grows only where threads run at the same time: {_or(left)}",
        signs=(
            f"CPU time that needs threads on several cpus: {as_ratio(together)}",
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
            f"twice the threads on the same cpus take {as_ratio(twice.cpu)} times the CPU time",
        ),
        refute="count instructions: if they grow, threads duplicate work; if not, pad data that threads write to",
        remedy="put data that different threads write to on separate cache lines",
        left=left,
        threads=found.threads,
        part=Part.of(together),
        holds=(TOGETHER,),
    )
