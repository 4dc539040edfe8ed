"""How CPU time grows over the thread counts of the curve itself, which needs no further run.

Work that every thread does once more grows in proportion to the threads. What threads that share cache lines lose has a
limit: a store waits for one other core at a time. Only where a line is never idle do its users queue, and CPU time
grows in proportion, too; but then further threads no longer make the run shorter. A lock whose waiters spin is in
between, and faster than in proportion where the lock is nearly always held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.explain.evidence.evidence import FAR, NORMAL, Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import MACHINES, Ledger
from knee.stats.intervals import Array, Interval

PROPORTIONAL = 0.8, 1.3
"""Growth over growth at half of the threads, relative to what it is in proportion: at least, and at most."""

CLOSE = 0.16
"""How close to growth in proportion a ratio surely is, in logarithms, that nothing else explains."""

SHORTER = 0.05
"""By how much the run surely gets shorter, in logarithms, where no cache line is always in use."""

LEAST = 0.02
"""Growth at half of the threads, as a share of the CPU time; less tells nothing."""

FEW = 5
"""One block in so many may be unusual."""

How = Literal["has a limit", "in proportion", "accelerates"]


@dataclass(frozen=True)
class Growth:
    """Growth of CPU time between two thread counts.

    ``ratio`` is the logarithm of the growth at the larger count over that at the smaller one, relative to growth in
    proportion to the further threads (0); ``shorter`` that of the time at the smaller count over that at the larger.
    """

    fewer: int
    threads: int
    ratio: Mean
    shorter: Mean

    @property
    def how(self) -> How | None:
        """How it grows; None if that cannot be told."""
        ends = self.ratio.interval
        low, high = np.log(PROPORTIONAL[0]), np.log(PROPORTIONAL[1])
        if ends.high < low:
            return "has a limit"
        if ends.low > high:
            return "accelerates"
        return "in proportion" if ends.low > low and ends.high < high else None

    @property
    def exactly(self) -> bool:
        """Whether it grows in proportion, closely."""
        return self.ratio.interval.low > -CLOSE and self.ratio.interval.high < CLOSE

    @property
    def goes_on(self) -> bool:
        """Whether further threads still make the run shorter."""
        return self.shorter.interval.low > SHORTER

    @property
    def limited(self) -> bool | None:
        """Whether it is slower than in proportion; None if that cannot be told."""
        ends, low = self.ratio.interval, np.log(PROPORTIONAL[0])
        return True if ends.high < low else False if ends.low > low else None


def between(found: Evidence) -> list[int]:
    """Return the thread counts above the base that are at most half of the one that is explained."""
    points = found.series.curve.points
    return [point.threads for point in points if found.base.threads < point.threads <= found.threads / 2]


def growth(found: Evidence, book: Ledger) -> Growth | None:
    """Return how CPU time grows up to the thread count that is explained, apart from what the machine adds; None
    without a count in between.

    How much the machine adds at the smaller count is not known: all of it, or nothing. The interval holds both.
    """
    series, n, counts = found.series, found.threads, between(found)
    if not counts:
        return None
    fewer = max(counts)
    shorter = mean(np.log(series.seconds(fewer) / series.seconds(n)))
    machine = book.value(*MACHINES)
    added = machine.value if machine.interval.low > 0 else 0.0
    ends = [_growth(found, fewer, added, share * added) for share in ((0.0, 1.0) if added else (0.0,))]
    ratios = [one for one in ends if one is not None]
    if len(ratios) < len(ends):
        return None
    low, high = min(one.interval.low for one in ratios), max(one.interval.high for one in ratios)
    value = sum(one.value for one in ratios) / len(ratios)
    return Growth(fewer, n, Mean(value, Interval(low, high), ratios[0].blocks), shorter)


def _growth(found: Evidence, fewer: int, added: float, added_before: float) -> Mean | None:
    """Return the ratio of growth, apart from what the machine adds at the larger and at the smaller count."""
    series, base, n = found.series, found.base.threads, found.threads
    one, some, all_of_them = (series.seconds(count, cpu=True) for count in (base, fewer, n))
    before, after = some / one / np.exp(added_before) - 1, all_of_them / one / np.exp(added) - 1
    known = mean(before).interval.low > LEAST
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.log(after / (before if known else np.maximum(before, LEAST))) - np.log((n - base) / (fewer - base))
    made = mean(_without_unusual(ratio[np.isfinite(ratio)]))
    # Where there was hardly any before, it can only have accelerated.
    return made if known or made.interval.low > np.log(PROPORTIONAL[1]) else None


def _without_unusual(ratios: Array) -> Array:
    """Leave out blocks in which something else slowed a run: at most one in five."""
    off = np.abs(ratios - np.median(ratios)) if ratios.size else ratios
    most = ratios.size // FEW
    limit = FAR * NORMAL * np.median(off) if ratios.size else 0.0
    return ratios if (off > limit).sum() > most else ratios[off <= limit]
