"""How much a garbage collector costs at most, where its threads or its functions can be told from others."""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean, over
from knee.explain.signs.computing.hotspots import share_in
from knee.stats.intervals import Array

COLLECTING = (
    r"(?i)^(internal/)?runtime[./](?!mallocgc).*"
    r"(gc|scan|grey|mark|sweep|wbBuf|findObject|spanOf|spanSet|typePointers|assist)"
)
"""Functions in which Go's runtime collects."""

WAKES = 400.0
"""Go's runtime wakes its threads this much more often in a second, at least, where it collects often."""

MOSTLY = 0.5
"""Share of a part that a collector must be able to cost, where that may be its work."""

STILL = 0.5
"""Share of the collecting that is left, at most, where a setting takes it away."""


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
    if np.isfinite(by_thread):
        return by_thread
    return found.threads * float(np.fmax(share_in(found, COLLECTING), mean(_collecting(found.many)).value))


def may_still_collect(found: Evidence) -> bool:
    """Whether a Go program may collect as before with the setting that takes its collector away, or does so without it:
    one that sets up its collector by itself hears of no setting.
    """
    changed = found.setting("garbage collection")
    left = None if changed is None else over(_collecting(changed), _collecting(found.many))
    return left is None or (left.blocks > 0 and not left.interval.high < STILL)


def may_be_collecting(found: Evidence, part: float) -> bool:
    """Whether most of a part of the loss may be a collector's work, and no run without it tells."""
    return may_still_collect(found) and collector_costs(found) > MOSTLY * part


def collects_less(found: Evidence) -> bool:
    """Whether a program surely collects less with the setting that tests its collector."""
    changed = found.setting("garbage collection")
    if changed is None:
        return False
    known = ((_collecting(changed), _collecting(found.many)), (changed.collector, found.many.collector))
    return any(left.interval.high < STILL for left in (over(*pair) for pair in known))


def _collecting(cell: Cell) -> Array:
    """Return the share of the processors that collect, of each run of a Go program; NaN of others."""
    shares = np.full(cell.blocks, np.nan)
    for run in cell.runs:
        sampled = run.record.get("goroutines")
        if sampled and sampled.get("processors"):
            shares[run.spec["block"] - 1] = sampled["collecting"] / sampled["processors"]
    return shares
