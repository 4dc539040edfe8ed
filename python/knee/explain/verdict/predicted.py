"""Speedups that were not measured as such: what a program would have without a cause, and what remedies gained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knee.explain.ledger.explanation import Explanation
from knee.explain.scaling.series import Series
from knee.explain.tried import Tried, best
from knee.explain.verdict.why import of_levels, speedup_without

MOST = 3
"""Causes of a series whose absence is predicted, the largest part first."""


def predicted_rows(
    series: Sequence[Series], ledgers: Mapping[str, Sequence[Explanation]], tried: Sequence[Tried]
) -> list[dict[str, Any]]:
    """Return one row for each predicted speedup, and for the best remedy that was tried.

    ``kind`` is ``predicted`` or ``measured``; ``what`` is ``without CAUSE`` or ``with REMEDY``. Ends are those of 90 %
    intervals.
    """
    rows: list[dict[str, Any]] = []
    for one in series:
        for explained in ledgers.get(one.name, ()):
            rows += _without(one, explained)
        rows += _with(one, of_levels(tried, one.levels))
    return rows


def _without(series: Series, explained: Explanation) -> list[dict[str, Any]]:
    named = [one for one in explained.findings if not one.left and one.part is not None]
    named.sort(key=lambda one: one.part.value if one.part else 0.0, reverse=True)
    rows: list[dict[str, Any]] = []
    for one in named[:MOST]:
        would = speedup_without(one, series)
        if would is not None:
            ends = (would.value, would.low, would.high)
            rows.append(_row(series, explained.threads, ends, f"without {one.cause}", "predicted"))
    return rows


def _with(series: Series, tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return the speedup with the best remedy: that of the program as it is, times what the remedy gained over it.

    It stands at the thread count of the program as it is, also where the remedy is fewer threads.
    """
    found = best(tried)
    point = next((one for one in series.curve.points if found and found.tried_at(one.threads)), None)
    if found is None or point is None:
        return []
    now, gain = point.speedup.estimate, found.gain
    ends = (now * gain.estimate, now * gain.interval.low, now * gain.interval.high)
    return [_row(series, point.threads, ends, f"with {found.remedy}", "measured")]


def _row(series: Series, threads: int, ends: tuple[float, float, float], what: str, kind: str) -> dict[str, Any]:
    value, low, high = ends
    return {
        "series": series.name, "threads": threads, "speedup": value, "low": low, "high": high, "what": what,
        "kind": kind,
    }  # fmt: skip
