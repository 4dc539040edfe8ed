"""NUMA distance.

What it sees
    The program's pages are on several memory nodes, and its threads use them all.
Why the curve bends
    Memory of another node takes longer, and the more nodes the threads are on, the more of it is elsewhere.
How to test it
    Run copies with their memory spread over the nodes: they share nothing, so only distance slows them. Interleave the
    program's memory: if that changes little, its threads use the memory of all nodes already.
How to move it
    Let each thread use what it has placed on its own node; divide the data by node, and give each node its own copy of
    what is only read.
"""

from __future__ import annotations

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.ledger.ledger import DISTANT, Ledger
from knee.explain.ledger.memory import remote
from knee.explain.signs.words import as_ratio

NAME = "NUMA distance"

LEAST = 0.02
"""A smaller part is not named."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    far, cost = remote(found), book.value(DISTANT)
    if far is None or far.costs is None or not cost.interval.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads use memory of other nodes, which takes longer",
        signs=(
            f"copies whose memory is spread over the nodes take {as_ratio(far.costs)} times the CPU time",
            f"the program with interleaved memory takes {as_ratio(far.interleaved)} times that as it is",
        ),
        refute="let each thread use memory of its own node only: if CPU time stays, it is not the distance",
        remedy="divide the data by node, so that threads use memory of their own",
        threads=found.threads,
        part=Part.of(cost),
        holds=(DISTANT,),
    )
