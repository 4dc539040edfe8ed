"""I/O.

What it sees
    Threads wait for a disk, and the more of them do, the longer each waits.
Why the curve bends
    The disk serves so many requests a second, whoever asks.
How to test it
    Run all threads on one cpu: they wait for the disk as before, while they would hardly wait for each other there. Or
    leave all files to the page cache, or keep temporary ones in memory, with all threads and with one.
How to move it
    Read ahead, write later, sync less often, ask for larger pieces, or keep the files in memory (tmpfs).
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import LINES, OPEN, PIECES, WAITS, Finding, Part
from knee.explain.evidence.evidence import ONE_CPU, Evidence
from knee.explain.evidence.means import Mean, against, mean, over
from knee.explain.ledger.ledger import FEW, NOBODY, NOT_COMPUTED, ONE, WAITING, Ledger
from knee.explain.signs.relief import FEWER, Relief, relief
from knee.explain.signs.words import as_ratio, plain

NAME = "I/O"

LEAST = 0.02
"""A smaller part is not named."""

ENOUGH = 0.1
"""Share of the idle time that threads spend waiting for a disk, at least."""

MOST = 0.5
"""From this share on other idle time is no cause of its own."""

SETTLES = ("sleeping lock", WAITS, "imbalance", "serial part", "too few tasks", PIECES, OPEN, *LINES)
"""What waits for a disk look like."""

STILL = math.log(0.5)
"""On one cpu threads wait for the disk for at least this share of the time, as a logarithm."""

TINY = 1e-4
"""Seconds that are added on both sides of a ratio, so that there always is one."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    one_cpu, idle = found.test(ONE_CPU), book.value(NOBODY, ONE, FEW)
    if one_cpu is None or not idle.interval.low > LEAST:
        return None
    waited, off = mean(found.many.on_disk), found.threads * found.many.seconds - found.many.cpu
    if not waited.interval.low > ENOUGH * mean(off).value > 0:
        return None
    changed = relief(found, NAME)
    if changed is not None and _goes(changed):
        return _in_memory(found, changed, waited)
    there = against(one_cpu.on_disk + TINY, found.many.on_disk + TINY)
    # Waits overlap with other threads' work on one cpu, so some of them are shorter, but they do not go.
    if not there.value > STILL or (changed is not None and _stays(found, changed, idle)):
        return None
    # Who waits for a cpu is not asleep.
    share = over(found.many.on_disk, off - found.many.idle("waiting"))
    low, high = (min(1.0, max(0.0, end)) for end in (share.interval.low, share.interval.high))
    most = waited.interval.low > MOST * mean(off).value
    # One thread waits for the disk as well.
    holds = (NOBODY, ONE, FEW, NOT_COMPUTED)
    held = Part(min(1.0, share.value) * idle.value, low * idle.interval.low, high * idle.interval.high)
    part = held.less(_gained(book))
    if not part.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads wait for a disk for {plain(waited)} thread-seconds of a run",
        signs=(
            f"that is {100 * min(1.0, share.value):.0f} % of the time in which they sleep",
            f"on one cpu, where threads hardly wait for each other, it is {as_ratio(there)} times as long",
        ),
        refute="keep the files in memory (tmpfs): if the time stays, it is not the disk",
        remedy="read ahead, ask for larger pieces, or keep the files in memory",
        threads=found.threads,
        part=part,
        idle=part,
        holds=holds,
        settles=SETTLES if most else (),
    )


def _goes(changed: Relief) -> bool:
    """Whether the loss surely goes where files are in memory.

    One thread waits for the disk, too, so idle time alone does not tell.
    """
    fewer = changed.waits.interval.high < FEWER and changed.loss.interval.low > LEAST
    return fewer or changed.least > LEAST


def _stays(found: Evidence, changed: Relief, idle: Mean) -> bool:
    """Whether most of the loss surely stays where files are in memory, and nobody waits for a disk any more."""
    there = found.setting(NAME)
    gone = there is not None and against(there.on_disk + TINY, found.many.on_disk + TINY).interval.high < STILL
    return gone and changed.loss.interval.high < MOST * idle.value


def _in_memory(found: Evidence, changed: Relief, waited: Mean) -> Finding:
    """Return the finding if the loss goes where files are in memory."""
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads wait for a disk for {plain(waited)} thread-seconds of a run",
        signs=(
            f"{changed.setting} takes {plain(changed.loss)} off the loss",
            f"with it threads go to sleep {as_ratio(changed.waits)} times as often",
        ),
        refute="look what else is different there: if threads wait for a disk as long, it is not that",
        remedy="read ahead, sync less often, ask for larger pieces, or keep the files in memory",
        threads=found.threads,
        part=Part.of(changed.loss),
        idle=Part.of(changed.loss),
        # The kernel's own work for the disk takes cpus from threads.
        holds=(NOBODY, ONE, FEW, WAITING, NOT_COMPUTED),
        settles=SETTLES,
    )


def _gained(book: Ledger) -> Part:
    """Return what the base's own waits take off the loss."""
    base = book.value(NOT_COMPUTED)
    return Part(-base.value, -base.interval.high, -base.interval.low)
