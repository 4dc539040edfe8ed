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
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.signs.doubled import COLLAPSE, doubled
from knee.explain.signs.growth import growth
from knee.explain.signs.relief import relief
from knee.explain.signs.waits import waits
from knee.explain.signs.words import as_ratio

NAME = "shared cache lines"

LINES = ("false sharing", "true sharing")
LEFT = (*LINES, "duplicated work")
COSTLY = ("spinning", "duplicated work")

OPENMP = r"lib(g|i|)omp"
"""Libraries whose threads wait actively."""

LEAST = 0.02
"""A smaller part is not examined."""


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])}, or {names[-1]}" if len(names) > 2 else " or ".join(names)


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    together, on_one = book.value(TOGETHER), book.value(MORE)
    twice, waiting = doubled(found), waits(found)
    if not together.interval.low > LEAST or twice is None or waiting is None:
        return None
    # With twice the threads as many run at the same time, so lines move as often.
    if waiting.passed_on or twice.seconds.interval.low > COLLAPSE or twice.cpu.interval.high < 0:
        return None
    # Threads of OpenMP that wait for others compute while they do; only a run in which they sleep would tell.
    if found.mapped(OPENMP) and relief(found, "spinning") is None:
        return None
    if not on_one.interval.high < together.value / 2:
        return None
    # Duplicated work grows in proportion to the threads, lines have a limit, and a lock may hardly show on one cpu.
    grown = growth(found)
    left = LEFT if grown is None or grown.limited is None else LINES if grown.limited else COSTLY
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
