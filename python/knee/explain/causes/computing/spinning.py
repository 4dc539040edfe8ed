"""Spinning.

What it sees
    CPU time grows with the threads, and the run time does not fall as it should: threads that wait keep computing.
Why the curve bends
    A thread that waits for a lock tries again and again instead of sleeping, so it uses a cpu without any progress.
How to test it
    Run twice the threads on the same cpus: a thread that spins keeps its cpu from the one that holds the lock, so the
    run takes longer. On one cpu CPU time grows for the same reason.
How to move it
    Use locks that sleep, or hold the lock for a shorter time.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.signs.doubled import COLLAPSE, doubled
from knee.explain.signs.growth import growth
from knee.explain.signs.words import as_ratio

NAME = "spinning"

LEAST = 0.02
"""A smaller part is not examined."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    # On one cpu a thread that spins for a whole turn adds more than side by side, so the two parts belong together.
    grown, on_one, twice = book.value(MORE, TOGETHER), book.value(MORE), doubled(found)
    if not grown.interval.low > LEAST or twice is None:
        return None
    faster = growth(found, book)
    # More work for the same answer grows ever more slowly, and takes longer with twice the threads, too.
    accelerates = faster is not None and faster.how == "accelerates" and book.value(TOGETHER).value > on_one.value
    # Where nothing but a lock grows like that, a little more on one cpu is enough, or with twice the threads.
    more = on_one.interval.low > LEAST or (accelerates and (on_one.interval.low > 0 or twice.cpu.interval.low > 0))
    if not more or (faster is not None and faster.limited):
        return None
    collapses = twice.seconds.interval.low > COLLAPSE
    if not collapses and not (faster is not None and faster.how and book.value(TOGETHER).value > on_one.value):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads that wait keep computing, and take cpus from the thread they wait for",
        signs=(
            f"twice the threads on the same cpus take {as_ratio(twice.seconds)} times as long",
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
            *([f"CPU time {faster.how}, from {faster.fewer} to {faster.threads} threads"] if faster else []),
        ),
        refute="let waiting threads sleep: if CPU time does not fall, they were not spinning",
        remedy="use locks that sleep, or hold the lock for a shorter time",
        threads=found.threads,
        part=Part.of(grown),
        holds=(MORE, TOGETHER),
        ask=(NAME,),
        settles=(OPEN, "instruction growth"),
    )
