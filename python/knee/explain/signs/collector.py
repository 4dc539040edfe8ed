"""How much a garbage collector costs at most, where its threads can be told from others."""

from __future__ import annotations

import numpy as np

from knee.explain.ledger.evidence import Evidence, mean

WAKES = 400.0
"""Go's runtime wakes its threads this much more often in a second, at least, where it collects often."""


def hardly_collects(found: Evidence, loss: float) -> bool:
    """Whether a collector surely costs less than a loss: its threads hardly compute, or are hardly ever woken."""
    costs = collector_costs(found)
    if np.isfinite(costs):
        return costs < loss
    woken = [mean(cell.sleeps / cell.seconds) for cell in (found.many, found.base)]
    return woken[0].interval.high - woken[1].value < WAKES


def collector_costs(found: Evidence) -> float:
    """Return the loss at most, as a share of the CPU time, if all threads wait for the collector whenever it computes;
    NaN where its threads have no names.
    """
    return found.threads * mean(found.many.collector / found.many.cpu).value
