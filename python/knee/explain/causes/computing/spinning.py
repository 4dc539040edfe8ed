"""Spinning.

What it sees
    CPU time grows with the threads, and the run time does not fall as it should: threads that wait keep computing, at a
    few instructions to which one thread hardly gets.
Why the curve bends
    A thread that waits for a lock tries again and again instead of sleeping, so it uses a cpu without any progress.
How to test it
    Run twice the threads on the same cpus: a thread that spins keeps its cpu from the one that holds the lock, so the
    run takes longer. On one cpu CPU time grows for the same reason.
How to move it
    Use locks that sleep, or hold the lock for a shorter time.
"""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import LINES, OPEN, Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import MORE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.computing.collector import may_be_collecting
from knee.explain.signs.computing.each_thread import each_thread, may_be_each
from knee.explain.signs.computing.growth import growth
from knee.explain.signs.computing.hotspots import compiles, grown, said, spread
from knee.explain.signs.computing.kernel import lock_passed_on
from knee.explain.signs.computing.lines import at_lines
from knee.explain.signs.idle.doubled import COLLAPSE, LONGER, doubled, never_ended
from knee.explain.signs.idle.processes import separate
from knee.explain.signs.relief import relief
from knee.explain.signs.words import as_ratio, plain

NAME = "spinning"

HOLDS = (MORE, TOGETHER, UNDIVIDED)

MOSTLY = 0.5
"""Share of what grows that must grow outside of the kernel, where threads spin."""

LEAST = 0.02
"""A smaller part is not examined."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    # On one cpu a thread that spins for a whole turn adds more than side by side, so the two parts belong together.
    grown, passive = book.value(*HOLDS), relief(found, NAME)
    if not grown.interval.low > LEAST or not _outside(found) > MOSTLY * grown.value:
        return None
    # Threads that sleep while they wait compute for each hand-over of a lock.
    if lock_passed_on(found, book) or may_be_collecting(found, grown.value):
        return None
    part = grown
    if passive is not None and passive.least > LEAST:
        part = passive.loss
        taken = f"{passive.setting} takes {plain(part)} off the loss"
        signs: tuple[str, ...] | None = (taken, f"CPU time that grows in the program: {as_ratio(grown)}")
    else:
        # Where a run in which they sleep tells, nothing else does.
        signs = _signs(found, book) if passive is None else None
    if signs is None:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads that wait keep computing, and take cpus from the thread they wait for",
        signs=signs,
        refute="let waiting threads sleep: if CPU time does not fall, they were not spinning",
        remedy="use locks that sleep, or hold the lock for a shorter time",
        threads=found.threads,
        part=Part.of(part),
        holds=HOLDS,
        ask=(NAME,),
        settles=(OPEN, "instruction growth", *LINES),
    )


def _signs(found: Evidence, book: Ledger) -> tuple[str, ...] | None:
    """Return what all threads on one cpu and twice the threads say; None where it does not speak for spinning."""
    on_one, twice, faster, spots = book.value(MORE), doubled(found), growth(found, book), grown(found)
    # Threads that wait for one that has no cpu keep cpus from it, for a whole turn each time.
    if twice is None and (waited := never_ended(found)) is not None:
        return (f"twice the threads on the same cpus had not ended after {waited}",)
    # A thread that tries again and again is met at the same few instructions.
    if compiles(found) or spread(found) or (spots is not None and (spots.works or spots.scattered or spots.moved)):
        return None
    if twice is None or (faster is not None and faster.limited) or separate(found):
        return None
    # Where one thread takes another way, it is as long with twice the threads.
    loops = spots is not None and spots.loops and twice.cpu.interval.low > LONGER
    told = each_thread(found, book) and not loops
    # Where samples do not tell, times have to.
    if told or (spots is None and may_be_each(found, book)):
        return None
    # More work for the same answer grows ever more slowly, and takes longer with twice the threads, too.
    accelerates = faster is not None and faster.how == "accelerates" and book.value(TOGETHER).value > on_one.value
    # Where nothing but a lock grows like that, a little more on one cpu is enough, or with twice the threads.
    more = on_one.interval.low > LEAST or (
        (accelerates or loops) and (on_one.interval.low > 0 or twice.cpu.interval.low > 0)
    )
    collapses = twice.seconds.interval.low > COLLAPSE
    mostly = faster is not None and bool(faster.how) and book.value(TOGETHER).value > on_one.value
    # Samples that meet lines which several threads write to tell more than how CPU time grows.
    if not more or not (collapses or ((mostly or loops) and not at_lines(found, book))):
        return None
    return (
        f"twice the threads on the same cpus take {as_ratio(twice.seconds)} times as long",
        f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(on_one)}",
        *([f"CPU time {faster.how}, from {faster.fewer} to {faster.threads} threads"] if faster else []),
        *said(found),
    )


def _outside(found: Evidence) -> float:
    """Return how CPU time outside of the kernel grows, as a share of the base's CPU time, in logarithms."""
    many, base = (mean(cell.cpu - cell.system).value for cell in (found.many, found.base))
    return float(np.log1p((many - base) / mean(found.base.cpu).value))
