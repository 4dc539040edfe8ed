"""Thread counts at which more or fewer threads computed than requested.

A program that reads its thread count wrongly makes every speedup wrong: one that always has a thread too many is
compared with a base of two. Whether a run had more or fewer is decided by the runner (``computing_threads`` of its
record); here the runs of a cell are taken together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from knee.explain.scaling.series import Series
from knee.store import Run


@dataclass(frozen=True)
class OtherCount:
    """More than half of a cell's good ``runs`` show another number of threads than requested.

    ``computed`` is the median of those that do.
    """

    series: str
    asked: int
    computed: int
    showing: int
    runs: int


def other_counts(series: Sequence[Series]) -> list[OtherCount]:
    """Return the cells in which another number of threads computed than was asked for."""
    found = [_other_count(one, n, runs) for one in series for n, runs in sorted(one.by_threads.items())]
    return [one for one in found if one is not None]


def _other_count(series: Series, asked: int, runs: Sequence[Run]) -> OtherCount | None:
    good = [run for run in runs if run.bad is None]
    known = [n for run in good if (n := run.record.get("computing_threads")) is not None]
    for counts in ([n for n in known if n > asked], [n for n in known if n < asked]):
        if 2 * len(counts) > len(good):
            return OtherCount(series.name, asked, median_low(counts), len(counts), len(good))
    return None
