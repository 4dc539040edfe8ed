"""Duplicated work.

What it sees
    CPU time grows in proportion to the threads, and only where they run at the same time.
Why the curve bends
    Several threads compute what one of them could: none has stored it yet when the next one looks.
How to test it
    Run all threads on one cpu: each finds what the one before has stored. What threads lose to shared cache lines has a
    limit, and does not grow in proportion to the threads.
How to move it
    Compute once and share the result: let the others wait for the first one, or divide the work beforehand.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.signs.doubled import COLLAPSE, SLEPT, doubled
from knee.explain.signs.growth import growth
from knee.explain.signs.kernel import handing_over
from knee.explain.signs.words import as_ratio

NAME = "duplicated work"

LEAST = 0.02
"""A smaller part is not named."""

MOSTLY = 0.7
"""Share of the growth that needs threads side by side; otherwise the growth of the whole says nothing about it."""

FREE, FREE_EXACTLY = 0.10, 0.50
"""On one cpu it grows by less than this share of that, and may not grow at all; the second where it grows in proportion
so closely that no other cause is likely.
"""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    together, on_one, grown = book.value(TOGETHER), book.value(MORE), growth(found, book)
    twice = doubled(found)
    if not together.interval.low > LEAST or grown is None or twice is None:
        return None
    if together.value < MOSTLY * book.value(MORE, TOGETHER).value or grown.how != "in proportion" or not grown.goes_on:
        return None
    if handing_over(found, book) or twice.seconds.interval.low > COLLAPSE or twice.cpu.interval.high < SLEPT:
        return None
    free = FREE_EXACTLY if grown.exactly else FREE
    if on_one.interval.low > 0 or not on_one.interval.high < max(LEAST, free * together.value):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads that run at the same time do the same work",
        signs=(
            f"CPU time grows in proportion to the threads, from {grown.fewer} to {grown.threads} by "
            f"{as_ratio(grown.ratio)} times that",
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
        ),
        refute="count what is computed for each answer: if it does not grow, no work is duplicated",
        remedy="compute once: let other threads wait for the first, or divide the work beforehand",
        threads=found.threads,
        part=Part.of(together),
        holds=(TOGETHER,),
        settles=(OPEN, "spinning"),
    )
