"""How far two levels are apart, block by block: as measured, and without what other programs may have taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.disturbance import taken
from knee.explain.responses import Response
from knee.stats.block_means import Places, over_combinations
from knee.stats.intervals import LEVEL, Array, Interval, Ratio, ratio


@dataclass(frozen=True)
class Apart:
    """Differences of mean logarithms, first minus second, shape (blocks, combinations of all other levels).

    ``least`` and ``most`` are the smallest and largest that they may be without other programs. NaN where a run is
    missing.
    """

    seen: Array
    least: Array
    most: Array

    def among(self, combinations: Places) -> Apart:
        """Return the differences in some of the combinations."""
        return Apart(self.seen[:, combinations], self.least[:, combinations], self.most[:, combinations])

    def ratio(self, level: float = LEVEL) -> tuple[Ratio, Interval]:
        """Return first over second as measured, and the interval that holds whatever other programs took."""
        seen, least, most = (_ratio(table, level) for table in (self.seen, self.least, self.most))
        # Also as measured: without what others took, times may be scattered less.
        low, high = min(seen.interval.low, least.interval.low), max(seen.interval.high, most.interval.high)
        return seen, Interval(low, high)


def _ratio(table: Array, level: float) -> Ratio:
    by_block = np.exp(over_combinations(table))
    return ratio(by_block, np.ones(by_block.size), level)


@dataclass(frozen=True)
class Means:
    """Means of a factor's levels, shape (levels, blocks, combinations): of logarithms, and of what others may have
    taken, also in logarithms.
    """

    values: Array
    lost: Array
    of_times: bool
    """Whether the response is a time, which others can only make longer. Speedups and rates they change either way."""

    def apart(self, first: int, second: int) -> Apart:
        """Return how far two levels are apart."""
        seen = self.values[first] - self.values[second]
        above, below = self.lost[first], self.lost[second]
        if not self.of_times:
            above = below = above + below
        return Apart(seen, seen - above, seen + below)


def lost(measured: Response, allowed: int) -> Array:
    """Return what other programs may have taken of each run, as a logarithm, shape (runs,), with what they may have
    taken of the run that it is compared with.

    It is 0 for a response that they do not change. ``allowed`` is the number of cpus that an unpinned run may use.
    """
    if not measured.timed:
        return np.zeros(len(measured.runs))
    bases = [measured.bases.get(run.spec["id"]) for run in measured.runs]
    own = [taken(run, allowed, of_s=measured.seconds.get(run.spec["id"])) for run in measured.runs]
    of_base = [0.0 if base is None else taken(base, allowed) for base in bases]
    return -np.log1p(-np.array(own)) - np.log1p(-np.array(of_base))
