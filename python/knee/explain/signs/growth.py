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

from knee.explain.ledger.evidence import Evidence, Mean, mean

PROPORTIONAL = 0.8, 1.3
"""Growth over growth at half of the threads, relative to what it is in proportion: at least, and at most."""

CLOSE = 0.16
"""How close to growth in proportion a ratio surely is, in logarithms, that nothing else explains."""

SHORTER = 0.05
"""By how much the run surely gets shorter, in logarithms, where no cache line is always in use."""

LEAST = 0.02
"""Growth at half of the threads, as a share of the CPU time; less tells nothing."""

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


def growth(found: Evidence) -> Growth | None:
    """Return how CPU time grows up to the thread count that is explained; None without a count in between."""
    series, base, n = found.series, found.base.threads, found.threads
    counts = [point.threads for point in series.curve.points if base < point.threads <= n / 2]
    if not counts:
        return None
    fewer = max(counts)
    one, some, all_of_them = (series.seconds(count, cpu=True) for count in (base, fewer, n))
    before, after = some / one - 1, all_of_them / one - 1
    known = mean(before).interval.low > LEAST
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.log(after / (before if known else np.maximum(before, LEAST))) - np.log((n - base) / (fewer - base))
    shorter = mean(np.log(series.seconds(fewer) / series.seconds(n)))
    found_growth = Growth(fewer, n, mean(np.where(np.isfinite(ratio), ratio, np.nan)), shorter)
    # Where there was hardly any before, it can only have accelerated.
    return found_growth if known or found_growth.how == "accelerates" else None
