"""Duplicated work.

What it sees
    CPU time grows only where threads run at the same time: in proportion to the threads, or at all instructions at
    which one thread works, too.
Why the curve bends
    Several threads compute what one of them could: none has stored it yet when the next one looks.
How to test it
    Run all threads on one cpu: each finds what the one before has stored. What threads lose to shared cache lines has a
    limit, does not grow in proportion to the threads, and grows at one or two instructions.
How to move it
    Compute once and share the result: let the others wait for the first one, or divide the work beforehand.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.ledger.memory import distance_untold, untold
from knee.explain.signs.computing.growth import Growth, growth
from knee.explain.signs.computing.hotspots import grown, said
from knee.explain.signs.computing.kernel import handing_over
from knee.explain.signs.computing.lines import at_lines
from knee.explain.signs.idle.doubled import COLLAPSE, SLEPT, doubled
from knee.explain.signs.words import as_ratio

NAME = "duplicated work"

LEAST = 0.02
"""A smaller part is not named."""

MOSTLY = 0.7
"""Share of the growth that needs threads side by side; otherwise the growth of the whole says nothing about it."""

HALF = 0.5
"""Share of what grows side by side that memory of other nodes may cost."""

FREE, FREE_EXACTLY = 0.10, 0.50
"""On one cpu it grows by less than this share of that, and may not grow at all; the second where it grows in proportion
so closely that no other cause is likely.
"""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    together, on_one, curve = book.side_by_side, book.value(MORE), growth(found, book)
    twice, spots = doubled(found), grown(found)
    mostly = together.value >= MOSTLY * book.value(MORE, TOGETHER).value
    # Memory of other nodes costs time at all instructions that use it, but no more for each further thread.
    exactly = curve is not None and curve.how == "in proportion" and curve.exactly
    distant = (distance_untold(found) and not exactly) or untold(found) > HALF * together.value
    if not together.interval.low > LEAST or not mostly or twice is None or distant:
        return None
    # A thread that spins is met at a few instructions, and one that waits for a line at that line.
    lines = at_lines(found, book)
    works = spots is not None and (spots.again or (spots.works and lines is False))
    proportional = curve is not None and curve.how == "in proportion" and curve.goes_on
    if not works and (not proportional or (spots is not None and spots.waits)):
        return None
    # Threads that duplicate work use memory of their own.
    # What handing a lock over costs is mostly inside the kernel, where no samples are; but what was in a cache has gone
    # then, so the program's own code takes longer as well.
    again = spots is not None and spots.again
    if lines or (handing_over(found, book) and not again) or twice.seconds.interval.low > COLLAPSE:
        return None
    # Threads that wait actively do not work where one thread does; those that race may do so less often in turns.
    if twice.cpu.interval.high < SLEPT and not works:
        return None
    free = FREE_EXACTLY if works or (curve is not None and curve.exactly) else FREE
    if (on_one.interval.low > 0 and not works) or not on_one.interval.high < max(LEAST, free * together.value):
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads that run at the same time do the same work",
        signs=(
            *(_over_the_curve(curve) if curve is not None and proportional else ()),
            *said(found),
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
        ),
        refute="count what is computed for each answer: if it does not grow, no work is duplicated",
        remedy="compute once: let other threads wait for the first, or divide the work beforehand",
        threads=found.threads,
        part=Part.of(together),
        holds=(TOGETHER,),
        settles=(OPEN, "spinning"),
    )


def _over_the_curve(grown: Growth) -> tuple[str, ...]:
    return (
        f"CPU time grows in proportion to the threads, from {grown.fewer} to {grown.threads} by "
        f"{as_ratio(grown.ratio)} times that",
    )
