"""How much a garbage collector costs at most, where its threads can be told from others."""

from __future__ import annotations

from knee.explain.ledger.evidence import Evidence, mean


def collector_costs(found: Evidence) -> float:
    """Return the loss at most, as a share of the CPU time, if all threads wait for the collector whenever it computes;
    NaN where its threads have no names.
    """
    return found.threads * mean(found.many.collector / found.many.cpu).value
