"""The ledgers of a study as rows: one for each part, the loss, and what is unexplained, at each thread count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from knee.explain.evidence.means import Mean
from knee.explain.ledger.explanation import Explanation
from knee.explain.phases.phases import Phase

TINY = 5e-4
"""Parts smaller than this everywhere are left out of the rows."""


def ledger_rows(explained: Iterable[Explanation]) -> list[dict[str, Any]]:
    """Return the rows: series, threads, part, kind (part, loss, or unexplained), loss in natural logarithms, low and
    high end of its 90 % interval, and whether that excludes 0.
    """
    rows: list[dict[str, Any]] = []
    for one in explained:
        book = one.ledger
        parts = [(entry.name, "part", book.value(entry.name)) for entry in book.entries]
        parts = [part for part in parts if abs(part[2].value) >= TINY]
        for name, kind, mean in [*parts, ("loss", "loss", book.loss), ("unexplained", "unexplained", one.unexplained)]:
            rows.append(_row(one, name, kind, mean))
    return rows


def phase_rows(found: Iterable[Phase]) -> list[dict[str, Any]]:
    """Return the rows: series, threads, phase, its shares of the time on the base and on the threads, its speedup and
    whether it scales, what it adds to the loss in natural logarithms, and what of that is CPU time. ``low`` and
    ``high`` are ends of 90 % intervals.
    """
    return [
        {
            "series": one.series,
            "threads": one.threads,
            "phase": one.name,
            "base_share": _known(one.base_share.value),
            "share": _known(one.share.value),
            "speedup": _known(one.speedup.estimate),
            "speedup_low": _known(one.speedup.interval.low),
            "speedup_high": _known(one.speedup.interval.high),
            "answer": one.answer,
            "loss": _known(one.part.value),
            "low": _known(one.part.interval.low),
            "high": _known(one.part.interval.high),
            "cpu": _known(one.cpu.value),
        }
        for one in found
    ]


def _known(value: float) -> float | None:
    return value if value == value else None


def _row(one: Explanation, name: str, kind: str, mean: Mean) -> dict[str, Any]:
    ends = mean.interval
    return {
        "series": one.series,
        "threads": one.threads,
        "part": name,
        "kind": kind,
        "loss": mean.value,
        "low": _known(ends.low),
        "high": _known(ends.high),
        "sure": ends.excludes(0),
    }
