"""Oversubscription.

What it sees
    More threads than cpus, shown to be no faster than the best count that fits, and threads that waited for a cpu,
    which they did not where they fit.
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

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series
    from knee.stats.paired import Comparison
    from knee.store import Run

WAITED = 0.10
"""Threads together must have waited at least this part of the run time for a cpu, and less than this where they fit."""

OTHERS = 0.05
"""Only runs whose cpus were busy with other work for less than this part of the time count."""

NOT_FASTER = ("equal", "slower")


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count, or None."""
    known = [point for point in series.curve.points if point.speedup.blocks > 1]
    fitting = [point for point in known if point.threads <= series.cpus]
    beyond = [point for point in known if point.threads > series.cpus]
    # That threads on a single cpu take turns is no finding.
    if not fitting or not beyond or series.cpus == 1:
        return None
    best, last = max(fitting, key=lambda point: point.speedup.estimate), beyond[-1]
    time = series.against(last.threads, best.threads)
    waited, before = (_waited(series, point.threads) for point in (last, best))
    if time.answer() not in NOT_FASTER or waited is None or before is None or not before < WAITED <= waited:
        return None
    return Finding(
        series=series.name,
        cause="oversubscription",
        says=f"{last.threads} threads on {series.cpus} cpus gain nothing over {best.threads}: they take turns",
        signs=(
            f"{last.threads} threads take {_shown(time)} times as long as {best.threads}: {time.answer()}",
            f"at {last.threads} threads they were ready and had no cpu for {_percent(waited)} of the run time, all "
            f"added up, and for {_percent(before)} at {best.threads}",
        ),
        refute=f"{last.threads} threads on as many cpus: if they are no faster there, cpus were not what was missing",
        remedy=f"use at most {series.cpus} threads",
    )


def _shown(ratio: Comparison) -> str:
    return f"{ratio.estimate:.2f} [{ratio.interval.low:.2f}, {ratio.interval.high:.2f}]"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


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
