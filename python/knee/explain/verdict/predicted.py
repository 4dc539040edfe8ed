"""Speedups that were not measured as such: what a program would have without a cause, and what remedies gained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from knee.explain.causes.cause import Part
from knee.explain.ledger.explanation import Explanation
from knee.explain.scaling.series import Series
from knee.explain.tried import Tried, best
from knee.explain.verdict.why import Speedup, gained, of_levels, speedup_without

MOST = 3
"""Causes of a series whose absence is predicted, the largest part first."""


def predicted_rows(
    series: Sequence[Series], ledgers: Mapping[str, Sequence[Explanation]], tried: Sequence[Tried]
) -> list[dict[str, Any]]:
    """Return the speedups without each cause and with the best remedy that was tried, one row for each thread count.

    ``kind`` is ``predicted`` or ``measured``; ``what`` is ``without CAUSE`` or ``with REMEDY``. Ends are those of 90 %
    intervals.
    """
    rows: list[dict[str, Any]] = []
    for one in series:
        rows += _without(one, ledgers.get(one.name, ()))
        rows += _with(one, of_levels(tried, one.levels))
    return rows


def _without(series: Series, ledgers: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Return the speedup without the largest causes, at every thread count at which they are named."""
    named = [one for explained in ledgers for one in explained.findings]
    found = [(one, would) for one in named if (would := speedup_without(one, series)) is not None]
    found.sort(key=lambda pair: pair[0].part.value if pair[0].part else 0.0, reverse=True)
    largest = list(dict.fromkeys(one.cause for one, _ in found))[:MOST]
    return [
        _row(series, one.threads or 0, would, f"without {one.cause}", "predicted")
        for cause in largest
        for one, would in sorted(found, key=lambda pair: pair[0].threads or 0)
        if one.cause == cause
    ]


def _with(series: Series, tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return the speedup with the best remedy: that of the program as it is, times what the remedy gained over it.

    It stands at the thread count of the program as it is, also where the remedy is fewer threads.
    """
    found = best(tried)
    if found is None:
        return []
    same = [one for one in tried if one.remedy == found.remedy and one.rejected is None and one.time.values > 1]
    return [
        _row(series, point.threads, gained(point.speedup, _gain(one)), f"with {found.remedy}", "measured")
        for point in series.curve.points
        for one in same
        if one.tried_at(point.threads)
    ]


def _gain(tried: Tried) -> Part:
    value, ends = tried.gain.log()
    return Part(value, ends.low, ends.high)


def _row(series: Series, threads: int, speedup: Speedup, what: str, kind: str) -> dict[str, Any]:
    return {
        "series": series.name, "threads": threads, "speedup": speedup.value, "low": speedup.low, "high": speedup.high,
        "what": what, "kind": kind,
    }  # fmt: skip
