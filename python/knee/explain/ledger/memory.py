"""Where the program's memory is, and whether that costs its threads time.

Where one node has most of the pages, interleaving them makes the program faster, and what it gains is what that place
costs, at least: memory of other nodes still takes longer.

Where several nodes have them, copies with interleaved memory show what memory of other nodes costs threads that share
nothing. That holds for the program only if its threads use such memory: then interleaving its own changes little; where
each thread uses pages of its own node, interleaving makes the program slower.
"""

from __future__ import annotations

from dataclasses import dataclass

from knee.explain.evidence.evidence import COPIES, INTERLEAVED, SPREAD, Evidence
from knee.explain.evidence.means import Mean, against

MOST = 0.8
"""Share of the pages on one node, from which on the program has its memory there."""

HALF = 0.5
"""Interleaving slows the program by less than this share of what memory of other nodes costs copies."""


@dataclass(frozen=True)
class Remote:
    """Memory of other nodes that threads use.

    Parameters
    ----------
    one_node
        Whether one node has most of it.
    interleaved
        Logarithm of the program's time with interleaved memory over that as it is; of CPU times, where several nodes
        have it.
    computing
        Where one node has most of it: the same of CPU times.
    costs
        Where several nodes have it: logarithm of the CPU time of copies with interleaved memory over that of copies
        with memory of their own nodes.
    """

    one_node: bool
    interleaved: Mean
    costs: Mean | None = None
    computing: Mean | None = None


def on_one_node(found: Evidence) -> bool | None:
    """Whether one memory node has most of the pages; None if pages were not counted."""
    pages = found.many.pages()
    return max(pages.values()) > MOST if pages else None


def distance_untold(found: Evidence) -> bool:
    """Whether one node has most of the pages, and the program ran with interleaved ones as well: half of those are of
    other nodes, too, so what distance costs stays in the program's CPU time.
    """
    return bool(on_one_node(found)) and found.test(INTERLEAVED) is not None


def remote(found: Evidence) -> Remote | None:
    """Return the memory of other nodes that threads use; None if they use none, or runs do not tell."""
    one_node = on_one_node(found)
    if one_node is None:
        return None
    far, near, interleaved = found.test(SPREAD), found.test(COPIES), found.test(INTERLEAVED)
    if interleaved is None:
        return None
    if one_node:
        changes, computing = (
            against(after, before)
            for after, before in (
                (interleaved.seconds, found.many.seconds),
                (interleaved.cpu, found.many.cpu),
            )
        )
        # Where threads wait for one that has its memory near, only CPU time changes.
        uses = changes.interval.high < 0 or computing.interval.high < 0
        return Remote(True, changes, computing=computing) if uses else None
    if far is None or near is None:
        return None
    # Waiting for memory is CPU time, while time may hardly change where threads wait for each other.
    changes = against(interleaved.cpu, found.many.cpu)
    costs = against(far.copy_cpu, near.copy_cpu)
    uses = costs.interval.low > 0 and changes.interval.high < HALF * costs.value
    return Remote(False, changes, costs) if uses else None


def untold(found: Evidence) -> float:
    """Return what memory of other nodes costs copies, where it cannot be told whether the program uses it; else 0."""
    far, near, interleaved = found.test(SPREAD), found.test(COPIES), found.test(INTERLEAVED)
    if far is None or near is None or interleaved is None or remote(found) is not None:
        return 0.0
    costs = against(far.copy_cpu, near.copy_cpu)
    changes = against(interleaved.cpu, found.many.cpu)
    return costs.value if costs.interval.low > 0 and not changes.interval.low > HALF * costs.value else 0.0
