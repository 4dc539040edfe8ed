"""The ledgers of a study as rows: one for each part, the loss, and what is unexplained, at each thread count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from knee.explain.ledger.evidence import Mean
from knee.explain.ledger.explanation import Explanation

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


def _row(one: Explanation, name: str, kind: str, mean: Mean) -> dict[str, Any]:
    ends = mean.interval
    known = ends.low == ends.low
    return {
        "series": one.series,
        "threads": one.threads,
        "part": name,
        "kind": kind,
        "loss": mean.value,
        "low": ends.low if known else None,
        "high": ends.high if known else None,
        "sure": ends.excludes(0),
    }
