"""Page faults.

What it sees
    Threads spend time in the kernel, which gives them memory page by page.
Why the curve bends
    All threads of a process share one map of its memory, and the kernel locks it while it adds or removes pages; pages
    are cleared one by one, and every cpu is told when one is removed.
How to test it
    Let the program keep the memory that it frees, with all threads and with one.
How to move it
    Keep memory for the next use, use huge pages, or processes instead of threads.
"""

from __future__ import annotations

from knee.explain.causes.cause import OPEN, WAITS, Finding, Part
from knee.explain.ledger.evidence import Evidence, mean
from knee.explain.ledger.ledger import FEW, MORE, NOBODY, ONE, TOGETHER, UNDIVIDED, Ledger
from knee.explain.signs.relief import relief
from knee.explain.signs.words import plain

NAME = "page faults"

IDLE = (NOBODY, ONE, FEW)
HOLDS = (*IDLE, MORE, TOGETHER, UNDIVIDED)

OFTEN = 5_000
"""Page faults a second, at least; fewer cost nothing."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    del book
    changed, faults = relief(found, NAME), mean(found.many.faults / found.many.seconds)
    if changed is None or not often(found):
        return None
    if (taken := changed.taken()) is None:
        return None
    relieved, idle = taken
    kernel = mean(found.many.system / found.many.cpu)
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
        settles=("sleeping lock", WAITS, "instruction growth", OPEN),
        holds=IDLE if idle else HOLDS,
    )


def often(found: Evidence) -> bool:
    """Whether there are enough page faults to cost anything."""
    return mean(found.many.faults / found.many.seconds).value > OFTEN
