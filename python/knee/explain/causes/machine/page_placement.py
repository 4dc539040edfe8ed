"""Page placement.

What it sees
    One memory node has most of the program's pages, while its threads are on several nodes.
Why the curve bends
    All threads ask one node for memory: its channels and the links to it are full while those of other nodes are idle.
    Linux puts a page on the node of the thread that first writes to it, so one thread that fills all data causes this.
How to test it
    Interleave the program's memory: it gets faster. Its cost is at least what it gains then.
How to move it
    Fill data with the threads that use it (parallel first touch), or interleave its memory.
"""

from __future__ import annotations

from knee.explain.causes.cause import PIECES, Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean
from knee.explain.ledger.ledger import DISTANT, FEW, ONE, Ledger
from knee.explain.ledger.memory import remote
from knee.explain.signs.words import as_ratio

NAME = "page placement"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    far = remote(found)
    if far is None or not far.one_node or book.entry(DISTANT) is None or far.computing is None:
        return None
    faster = -far.interleaved.interval.high > LEAST
    changes = far.interleaved if faster else far.computing
    if not -changes.interval.high > LEAST:
        return None
    share, of = max(found.many.pages().values()), "as long" if faster else "the CPU time"
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="one memory node has the pages that threads of several nodes use",
        signs=(
            f"node {max(found.many.pages(), key=found.many.pages().__getitem__)} has {100 * share:.0f} % of the pages",
            f"with interleaved memory the program takes {as_ratio(changes)} times {of}",
        ),
        refute="interleave the memory: if the time stays, the place of the pages is not the cause",
        remedy="fill data with the threads that use it, or interleave its memory",
        threads=found.threads,
        part=_less(changes),
        gain=None if faster else _less(far.interleaved),
        # Threads on that node finish first, and wait for the others.
        holds=(DISTANT, ONE, FEW) if faster else (DISTANT,),
        settles=("imbalance", PIECES) if faster else (),
    )


def _less(changes: Mean) -> Part:
    """Return what a change takes away."""
    return Part(-changes.value, -changes.interval.high, -changes.interval.low)
