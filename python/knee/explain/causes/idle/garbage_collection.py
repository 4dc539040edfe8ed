"""Garbage collection.

What it sees
    A part of the loss goes when the heap is larger, or nothing is collected. Or the CPU time that grows is in functions
    that collect garbage.
Why the curve bends
    A collector stops all threads, or works beside them: n threads allocate n times as fast, so it runs n times as
    often.
How to test it
    Run with four times the heap, or without a collector where there is memory for that (GOGC, -Xmx), with all threads
    and with one.
How to move it
    Allocate less, give the program a larger heap, or let the collector use more threads.
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import LINES, OPEN, PIECES, WAITS, Finding, Part
from knee.explain.causes.idle import serial_part
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.computing.collector import COLLECTING, collects_less
from knee.explain.signs.computing.hotspots import growth_in
from knee.explain.signs.relief import Relief, relief
from knee.explain.signs.words import as_ratio, plain
from knee.stats.intervals import Interval

NAME = "garbage collection"

IDLE = (NOBODY, ONE, FEW)
HOLDS = (*IDLE, MORE, TOGETHER, UNDIVIDED)

SETTLES = (
    "sleeping lock",
    WAITS,
    "imbalance",
    "serial part",
    "too few tasks",
    PIECES,
    "instruction growth",
    OPEN,
    *LINES,
)
"""What a collector looks like without the run with another heap."""

LEAST = 0.02
"""A smaller part is not named."""

MOSTLY = 0.7
"""Share of what grows that is in functions of the collector, at least."""

STILL = 0.7
"""Share of their time that a collector's threads take with another heap, at most, where it tells what all costs."""

FEWER = math.log(0.5)
"""Threads wait at most this share as often, as a logarithm."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    changed = relief(found, NAME)
    # The collector's own work goes, or the waits for it, or it works alone; otherwise something else has changed. The
    # kernel may have to give more memory.
    if changed is None or not (
        changed.user.interval.high < 0
        or changed.waits.interval.high < FEWER
        or changed.helpers.interval.high < FEWER
        or serial_part.helped(found, mean(found.watched.idle("one") / (found.threads - 1)).value)
    ):
        return _by_functions(found, book)
    relieved, holds, taken = _part(found, book, changed)
    if not relieved.interval.low > LEAST and (agreed := changed.taken()) is not None:
        # What goes off the loss is less sure by itself, but as many waits go.
        relieved, holds, taken = agreed[0], HOLDS, f"{changed.setting} takes {plain(agreed[0])} off the loss"
    if not relieved.interval.low > LEAST:
        return _by_functions(found, book)
    part, idle = (_without_any(found, Part.of(one)) for one in (relieved, changed.idle))
    collector = ""
    if changed.helpers.interval.high < FEWER:
        collector = f", and the collector's own {as_ratio(changed.helpers)} times"
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads wait for the garbage collector, or do its work ({changed.setting} takes the loss away)",
        signs=(
            taken,
            f"with it CPU time outside of the kernel is {as_ratio(changed.user)} times as long{collector}; threads "
            f"wait {as_ratio(changed.waits)} times as often",
        ),
        refute="give it a larger heap still: if the loss stays, it is not the collector",
        remedy="allocate less, or give the program a larger heap",
        threads=found.threads,
        part=part,
        idle=idle,
        settles=SETTLES,
        holds=holds,
    )


def _without_any(found: Evidence, taken: Part) -> Part:
    """Return what a collector costs that still collects with another heap, in proportion to the time of its threads; at
    least what is taken.
    """
    changed = found.setting(NAME)
    left = mean(changed.collector).value / mean(found.many.collector).value if changed is not None else 0.0
    if not 0 < left < STILL:
        return taken
    whole = taken.times(1 / (1 - left))
    return Part(whole.value, taken.low, whole.high)


def _by_functions(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding where the collector's own functions take most of the CPU time that grows.

    A program that sets its collector up by itself hears of no setting. Where one is heard, what it takes off the loss
    decides: a collector may work beside threads that do not wait for it.
    """
    if collects_less(found):
        return None
    share, more, holds = growth_in(found, COLLECTING), book.value(MORE, TOGETHER), (MORE, TOGETHER)
    if not share > MOSTLY or not more.interval.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads do the garbage collector's work",
        signs=(
            f"{100 * share:.0f} % of the CPU time that grows is in functions that collect garbage",
            f"CPU time of all threads on one cpu over that of 1 thread: {as_ratio(book.value(MORE))}",
        ),
        refute="give it a larger heap: if the loss stays, it is not the collector",
        remedy="allocate less, or give the program a larger heap",
        threads=found.threads,
        part=Part.of(more).times(min(1.0, share)),
        # The kernel gives the pages of a heap that its collector gave back.
        settles=(*SETTLES, "spinning", "page faults"),
        holds=holds,
    )


def _with_cpu_time(changed: Relief) -> Mean:
    """Return the idle time that goes, and half of the CPU time that may go with it: that is known less closely.

    Where it is not sure that idle time goes, the lower end says so.
    """
    idle, loss = changed.idle, changed.loss
    more = max(0.0, loss.value - idle.value)
    low = idle.interval.low if changed.idle_least > LEAST else changed.idle_least
    return Mean(idle.value + more / 2, Interval(low, max(idle.interval.high, loss.interval.high)), idle.blocks)


def _part(found: Evidence, book: Ledger, changed: Relief) -> tuple[Mean, tuple[str, ...], str]:
    """Return the part of the loss, the parts of the ledger that it is of, and the sign that says so.

    Times may vary too much to tell. Idle time is a ratio inside each run; and so is the time in which a collector that
    collects less works alone.
    """
    # Where idle time goes as surely, it is known more closely.
    closely = changed.idle_goes and not changed.loss.interval.low > changed.idle.value
    contradicted = changed.idle_least > LEAST and not changed.idle_goes
    if contradicted or (changed.least > LEAST and not closely):
        return changed.loss, HOLDS, f"{changed.setting} takes {plain(changed.loss)} off the loss"
    if changed.idle_least > LEAST or not changed.helpers.interval.high < FEWER:
        return _with_cpu_time(changed), IDLE, f"{changed.setting} takes {plain(changed.idle)} off the idle time"
    alone = mean(found.watched.alone("share") * found.watched.alone("helper"))
    whole = book.value(ONE)
    ends = Interval(alone.interval.low * whole.interval.low, alone.interval.high * whole.interval.high)
    said = f"in {100 * alone.value:.0f} % of the time in which one thread works alone it is the collector's"
    return Mean(alone.value * whole.value, ends, min(alone.blocks, whole.blocks)), (ONE,), said
