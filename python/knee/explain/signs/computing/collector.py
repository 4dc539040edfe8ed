"""How much a garbage collector costs at most, where its threads or its functions can be told from others."""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean
from knee.explain.signs.computing.hotspots import share_in

COLLECTING = (
    r"(?i)^(internal/)?runtime[./](?!mallocgc).*"
    r"(gc|scan|grey|mark|sweep|wbBuf|findObject|spanOf|spanSet|typePointers|assist)"
)
"""Functions in which Go's runtime collects."""

WAKES = 400.0
"""Go's runtime wakes its threads this much more often in a second, at least, where it collects often."""


def hardly_collects(found: Evidence, loss: float) -> bool:
    """Whether a collector surely costs less than a loss: its threads, or functions, hardly compute.

    Where they have no names, hardly a thread is woken.
    """
    costs = collector_costs(found)
    if np.isfinite(costs):
        return costs < loss
    woken = [mean(cell.sleeps / cell.seconds) for cell in (found.many, found.base)]
    return woken[0].interval.high - woken[1].value < WAKES


def collector_costs(found: Evidence) -> float:
    """Return the loss at most, as a share of the CPU time, if all threads wait for the collector whenever it computes;
    NaN where neither its threads nor its functions have names.
    """
    by_thread = found.threads * mean(found.many.collector / found.many.cpu).value
    return by_thread if np.isfinite(by_thread) else found.threads * share_in(found, COLLECTING)
