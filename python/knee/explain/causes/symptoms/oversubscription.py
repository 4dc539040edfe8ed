"""Oversubscription.

What it sees
    More threads than cpus are no faster than the best count that fits, and threads waited for a cpu, which they did not
    do at that count.
Why the curve bends
    Two threads on one cpu each get half of its time, minus the cost of context switches.
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
"""Share of the run time that threads together must have waited for a cpu, and must not have waited where they fit."""

OTHERS = 0.05
"""Only runs whose cpus were busy with other work for less than this share of the time count."""

SLOWER = 1.1
"""Taking turns costs context switches, which do not explain a run time that is surely longer than this many times."""

NOT_FASTER = ("equal", "slower")


def examine(series: Series) -> Finding | None:
    """Return the finding at the largest thread count, or None."""
    known = [point for point in series.curve.points if point.speedup.blocks > 1]
    fitting = [point for point in known if point.threads <= series.cpus]
    beyond = [point for point in known if point.threads > series.cpus]
    # Threads that take turns on a single cpu are no finding.
    if not fitting or not beyond or series.cpus == 1:
        return None
    best, last = max(fitting, key=lambda point: point.speedup.estimate), beyond[-1]
    time = series.against(last.threads, best.threads)
    waited, before = (_waited(series, point.threads) for point in (last, best))
    if time.answer() not in NOT_FASTER or waited is None or before is None or not before < WAITED <= waited:
        return None
    # Turns alone cost next to nothing: what makes threads slower than fewer ones is not known.
    more = ". That they are slower has other causes, too" if time.interval.low > SLOWER else ""
    return Finding(
        series=series.name,
        cause="oversubscription",
        says=f"{last.threads} threads on {series.cpus} cpus are no faster than {best.threads}: they take turns{more}",
        signs=(
            f"{last.threads} threads take {_shown(time)} times as long as {best.threads}: {time.answer()}",
            f"{last.threads} threads together were ready but waited for a cpu for {_percent(waited)} of the run time, "
            f"{best.threads} for {_percent(before)}",
        ),
        refute=f"{last.threads} threads on as many cpus: if they are no faster there, the cause is not a lack of cpus",
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
    """Return the time that ready threads waited for a cpu, over the wall time, averaged; None if it is unknown."""
    shares: list[float] = []
    for run in series.runs:
        # While other programs hold the cpus, waiting says nothing about these threads.
        alone = _other_busy(run) <= OTHERS
        if run.threads == threads and run.bad is None and alone and run.waited_ns is not None:
            shares.append(run.waited_ns / max(1, run.record["wall_ns"]))
    return sum(shares) / len(shares) if shares else None
