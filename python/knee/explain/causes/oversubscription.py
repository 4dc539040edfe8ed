"""Oversubscription.

What it sees
    More threads than cpus, no faster than the best count that fits, and threads that waited for a cpu.
Why the curve bends
    A cpu that serves two threads serves each half the time; switches cost on top.
How to test it
    Run the same thread count on a machine with more cpus.
How to move it
    Use at most as many threads as cpus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from knee.explain.causes.cause import Finding
from knee.store import Run

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series

WAITED = 0.10
"""Threads together must have waited at least this part of the run time for a cpu."""


OTHERS = 0.05
"""Only runs whose cpus were busy with other work for less than this part of the time count."""


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count, or None."""
    fitting = [point for point in series.curve.points if point.threads <= series.cpus]
    beyond = [point for point in series.curve.points if point.threads > series.cpus]
    if not fitting or not beyond:
        return None
    best, last = max(fitting, key=lambda point: point.speedup.estimate), beyond[-1]
    waited = _waited(series, last.threads)
    if waited is None or waited < WAITED or last.speedup.estimate > best.speedup.interval.high:
        return None
    return Finding(
        series=series.name,
        cause="oversubscription",
        says=f"{last.threads} threads on {series.cpus} cpus gain nothing over {best.threads}: they take turns",
        signs=(
            f"speedup at {last.threads} threads: {last.speedup.estimate:.2f}",
            f"speedup at {best.threads}: {best.speedup.estimate:.2f}",
            f"threads were ready and had no cpu for {100 * waited:.0f} % of the run time, all threads added up",
        ),
        refute=f"{last.threads} threads on as many cpus: if they are no faster there, cpus were not what was missing",
        remedy=f"use at most {series.cpus} threads",
    )


def _other_busy(run: Run) -> float:
    share = (run.record.get("validity") or {}).get("other_busy")
    return 1.0 if share is None else share


def _waited(series: Series, threads: int) -> float | None:
    """Time in which threads were ready without a cpu over the run's wall time, averaged; None where no kernel says."""
    shares: list[float] = []
    for run in series.runs:
        # Where other work held the cpus, waiting says nothing about these threads.
        alone = _other_busy(run) <= OTHERS
        if run.threads == threads and run.bad is None and alone and run.waited_ns is not None:
            shares.append(run.waited_ns / max(1, run.record["wall_ns"]))
    return sum(shares) / len(shares) if shares else None
