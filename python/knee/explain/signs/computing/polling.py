"""CPU time of a thread that polls: it sleeps for a moment, looks whether the others are done, and sleeps again.

It computes in proportion to the time that it waits, and not to the work: as long as the run takes, on one cpu for as
many times longer. So CPU time grows there although nothing more is done. How often threads go to sleep tells, which
the kernel counts exactly: who waits for a lock hardly sleeps on one cpu, and who hands out work, or waits for a disk,
sleeps as often there as side by side.
"""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import ONE_CPU, Evidence
from knee.explain.evidence.means import Mean, against, mean
from knee.stats.intervals import Array
from knee.store.records.threads import MOST_SHARES

A_LOOK_S = 60e-6
"""CPU time of a look at most: a thread asks the kernel, sleeps, is woken, and looks."""

OFTEN = 100.0
"""Threads go to sleep so many times a second, at least, beyond the base's."""

HALF = 0.5
"""On one cpu runs take so many times longer, as a logarithm; by less than this share of that threads go to sleep less
often in a second there, where they do so in proportion to time.
"""

TELLS = 0.1
"""Run times on one cpu and side by side that differ by less, in logarithms, do not tell."""

MOST = 0.99
"""Shares of the CPU time are cut here, so that logarithms stay finite."""


def polled(found: Evidence, *, on_one_cpu: bool = False) -> Mean | None:
    """Return how much of what CPU time grows by is that of a thread that polls, at most, side by side or with all on
    one cpu, in logarithms; None where no thread surely does.

    It is one beyond those that were asked for, which may have work of its own as well.
    """
    one_cpu = found.test(ONE_CPU)
    if one_cpu is None or found.threads >= MOST_SHARES or not _polls(found, one_cpu):
        return None
    cell = one_cpu if on_one_cpu else found.many
    more, further, looks = (
        mean(each).value
        for each in (cell.cpu - mean(found.base.cpu).value, _further_s(cell, found.threads), _looks(found, cell))
    )
    most = min(more, further, A_LOOK_S * looks)
    grown = mean(-np.log1p(-np.minimum(most / cell.cpu, MOST)))
    return grown if grown.interval.low > 0 else None


def _polls(found: Evidence, one_cpu: Cell) -> bool:
    """Whether threads go to sleep often, beyond the base's, and in proportion to time rather than to work."""
    many, there = (_looks(found, cell) / cell.seconds for cell in (found.many, one_cpu))
    if not min(mean(many).interval.low, mean(there).interval.low) > OFTEN:
        return False
    longer = against(one_cpu.seconds, found.many.seconds).interval.low
    return longer > TELLS and bool(against(there, many).interval.low > -HALF * longer)


def _looks(found: Evidence, cell: Cell) -> Array:
    """Return how often threads go to sleep, beyond the base's."""
    return np.maximum(1.0, cell.sleeps - mean(found.base.sleeps).value)


def _further_s(cell: Cell, threads: int) -> Array:
    """Return the CPU time of threads beyond those that were asked for, without helpers of the runtime."""
    known = [run for run in cell.runs if run.shares and run.cpu_s is not None]
    further = {
        run.spec["block"]: max(0.0, sum(run.shares[threads:]) * (run.cpu_s or 0.0) - run.helpers_s) for run in known
    }
    return cell.by_block(further) / cell.work / cell.slower
