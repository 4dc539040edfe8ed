"""Page faults.

What it sees
    Threads spend time in the kernel, which gives them memory page by page.
Why the curve bends
    All threads of a process share one map of its memory, and the kernel locks it while it adds or removes pages; pages
    are cleared one by one, and every cpu is told when one is removed.
How to test it
    Let the program keep the memory that it frees, with all threads and with one. Or run copies: processes of one thread
    get as many pages, but each has a map of its own.
How to move it
    Keep memory for the next use, use huge pages, or processes instead of threads.
"""

from __future__ import annotations

import numpy as np

from knee.explain.causes.cause import LINES, OPEN, WAITS, Finding, Part
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import COPIES, Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import FEW, MACHINES, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.computing.kernel import handing_over, in_kernel
from knee.explain.signs.idle.waits import waits, waits_with
from knee.explain.signs.relief import more, relief
from knee.explain.signs.words import plain

NAME = "page faults"

IDLE = (NOBODY, ONE, FEW)
HOLDS = (*IDLE, MORE, TOGETHER, UNDIVIDED)

HARDLY = 0.2
"""Share of the sleep for pages that copies have, at most, since each has a map of its own."""

OFTEN = 5_000
"""Page faults a second, at least; fewer cost nothing."""

FEWER_FAULTS = 0.7
"""A setting that leads to at most this share of the page faults may help for that reason."""

LEAST = 0.02
"""A smaller part is not named."""

MOSTLY = 0.5
"""Share of what grows side by side that grows inside the kernel, at least; and of waits that cannot be interrupted."""

A_FAULT_S, AS_MANY = 5e-6, 0.8
"""CPU time inside the kernel for each fault with one thread, at most; where it is more, the kernel does something else.
And the share of the base's faults that a copy has, at least.
"""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    if not often(found) or _asked_for(found):
        return None
    changed = relief(found, NAME)
    if changed is None or not fewer_faults(found, NAME):
        return _one_map(found, book)
    # A setting that takes faults away decides.
    if (taken := changed.taken()) is None:
        return None
    relieved, idle = taken
    kernel, faults = mean(found.many.system / found.many.cpu), _rate(found.many)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads ask the kernel for pages {faults.value:,.0f} times a second",
        signs=(
            f"{100 * kernel.value:.0f} % of the CPU time is the kernel's, with {faults.value:,.0f} faults a second",
            f"{changed.setting} takes {plain(relieved)} off the {'idle time' if idle else 'loss'}",
        ),
        refute="look whether faults are gone with it: if the time stays, they are not the cause",
        remedy="keep memory for the next use, or use huge pages",
        threads=found.threads,
        part=Part.of(relieved),
        idle=Part.of(changed.idle),
        settles=("sleeping lock", WAITS, "instruction growth", OPEN, *LINES),
        holds=IDLE if idle else HOLDS,
    )


def often(found: Evidence) -> bool:
    """Whether there are enough page faults to cost anything."""
    return _rate(found.many).value > OFTEN


def fewer_faults(found: Evidence, cause: str) -> bool:
    """Whether there are fewer page faults with the changed setting that tests a cause."""
    changed = found.setting(cause)
    return changed is not None and mean(changed.faults).value < FEWER_FAULTS * mean(found.many.faults).value


def _asked_for(found: Evidence) -> bool:
    """Whether another allocator takes more away than memory that is kept: threads wait for what asks for the pages."""
    if not fewer_faults(found, "allocator"):
        return False
    further = more(found, "allocator", NAME)
    kept, other = waits_with(found, NAME), waits_with(found, "allocator")
    wait = kept is not None and other is not None and kept.passed_on is True and other.passed_on is False
    return wait or (further is not None and further.interval.low > LEAST)


def _rate(cell: Cell) -> Mean:
    """Return the page faults a second."""
    return mean(cell.faults / cell.seconds)


def _one_map(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding if only threads of one process lose time in the kernel, and copies with as many faults do not.

    A program that keeps its memory by itself, or maps files, has no setting that would tell.
    """
    copies = found.test(COPIES)
    if copies is None:
        return None
    each = mean(found.base.system).value / mean(found.base.faults).value
    as_many = mean(copies.copy_faults).value / mean(found.base.faults).value
    if not each < A_FAULT_S or not as_many > AS_MANY:
        return None
    waiting, for_pages = waits(found), _sleeps_for_pages(found)
    # Threads that pass a lock on spend time inside the kernel, too, as far as so many waits cost it.
    waits_for_others = waiting is not None and waiting.passed_on is not False
    if waits_for_others and not for_pages and handing_over(found, book):
        return None
    alike, computed = "copies are processes and have as many page faults: they", book.value(TOGETHER)
    if _grows(found, book):
        holds = (NOBODY, ONE, FEW, TOGETHER) if for_pages else (TOGETHER,)
        signs = (
            f"for each second that 1 thread computes, the kernel computes {plain(in_kernel(found))} s more",
            f"{alike} lose {plain(book.value(*MACHINES))}, and threads of one process lose {plain(computed)} more",
        )
    elif for_pages and _hardly_sleep(copies, found) and book.value(*IDLE).interval.low > LEAST:
        # Idle time is a ratio inside each run, so it tells where CPU times of copies vary too much.
        holds = (*IDLE, TOGETHER) if in_kernel(found).interval.low > LEAST else IDLE
        slept = mean(found.many.on_disk)
        signs = (
            f"threads sleep for {plain(slept)} s of each run where nothing can interrupt them, as for a disk",
            f"{alike} do so for {plain(mean(copies.on_disk))} s",
        )
    else:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"threads ask the kernel for pages {_rate(found.many).value:,.0f} times a second",
        signs=signs,
        refute="let the program keep its memory for the next use: if the loss stays, it is not page faults",
        remedy="keep memory for the next use, use huge pages, or processes instead of threads",
        threads=found.threads,
        part=Part.of(book.value(*holds)),
        settles=("sleeping lock", WAITS, "spinning", "I/O", OPEN, *LINES),
        holds=holds,
    )


def _grows(found: Evidence, book: Ledger) -> bool:
    """Whether CPU time grows side by side, most of it inside the kernel.

    The kernel divides time by samples, so the interval of its part is wide, and copies show it in their whole time.
    """
    computed, inside = book.value(TOGETHER), in_kernel(found)
    surely = bool(computed.interval.low > LEAST and inside.interval.low > 0)
    return surely and inside.value > MOSTLY * np.expm1(computed.value)


def _sleeps_for_pages(found: Evidence) -> bool:
    """Whether most sleep is of a kind that nothing can interrupt: for the lock of the map, or for a disk.

    Waits for a lock of the program can be interrupted.
    """
    off = mean(found.threads * found.many.seconds - found.many.cpu)
    return mean(found.many.on_disk).value > MOSTLY * off.value


def _hardly_sleep(copies: Cell, found: Evidence) -> bool:
    """Whether copies hardly sleep like that, so that it is no disk."""
    return mean(copies.on_disk).value < HARDLY * mean(found.many.on_disk).value
