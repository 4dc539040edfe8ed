"""Quota.

What it sees
    The control group of the program has a quota of CPU time, and the kernel stopped its threads when it was used up.
Why the curve bends
    More threads use up the quota of a period sooner; then all of them stand still until the next period begins.
How to test it
    Run as few threads as the quota has cpus: the kernel stops none of them. With more, no more cpus are in use.
How to move it
    Use as many threads as the quota has cpus, or have the quota lifted.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean
from knee.explain.ledger.ledger import NOT_COMPUTED, WAITING, Ledger
from knee.explain.signs.words import plain
from knee.stats.intervals import Array
from knee.store.seam import Throttling

NAME = "quota"

LEAST = 0.02
"""A smaller part is not named."""

PERIODS = 0.25
"""The kernel stops threads in at least this share of the periods."""

USED = 0.5
"""Cpus in use, as a share of the quota, at least."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    quota, waits, stopped = _quota(found.many), book.value(WAITING), mean(_throttled(found.many))
    if quota is None or not quota < found.threads or not waits.interval.low > LEAST:
        return None
    used = mean(found.many.cpu / found.many.seconds)
    before = mean(_throttled(found.base))
    if not (stopped.value > PERIODS and used.value > USED * quota and np.isfinite(before.value)):
        return None
    # A quota below one cpu stops a single thread, too.
    holds = (WAITING, NOT_COMPUTED) if before.value >= PERIODS else (WAITING,)
    part = book.value(*holds)
    if not part.interval.low > LEAST:
        return None
    return Finding(
        series=found.series.name,
        cause=NAME,
        says=f"a quota of {quota:g} cpus stops {found.threads} threads",
        signs=(
            f"the kernel stopped threads in {100 * stopped.value:.0f} % of the periods, with "
            f"{_threads(found.base.threads)} in {100 * before.value:.0f} %",
            f"{plain(used)} cpus were in use",
        ),
        refute="lift the quota: if the time stays, it is not the cause",
        remedy=f"use {_threads(max(1, int(quota)))}, or have the quota lifted",
        threads=found.threads,
        part=Part.of(part),
        holds=holds,
    )


def _threads(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"


def _groups(cell: Cell) -> list[tuple[int, Throttling]]:
    """Return block and counters of the control group with the smallest quota, of each run."""
    found: list[tuple[int, Throttling]] = []
    for run in cell.runs:
        groups = run.record.get("cgroup") or {}
        every = [cast("Throttling", one) for one in groups.values() if isinstance(one, dict)]
        if limited := [one for one in every if one.get("quota_cpus")]:
            found.append((run.spec["block"], min(limited, key=_cpus)))
    return found


def _cpus(group: Throttling) -> float:
    return group.get("quota_cpus") or np.inf


def _quota(cell: Cell) -> float | None:
    return min((quota for _, group in _groups(cell) if (quota := group.get("quota_cpus"))), default=None)


def _throttled(cell: Cell) -> Array:
    """Return the share of the quota's periods in which the kernel stopped threads, by block."""
    found = {
        block: group["nr_throttled"] / group["nr_periods"] if group.get("nr_periods") else np.nan
        for block, group in _groups(cell)
    }
    return cell.by_block(found)
