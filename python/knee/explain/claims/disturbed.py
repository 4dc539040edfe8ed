"""What other programs may have done to the number of a claim about times.

Without them a run would have taken between T (1 - taken) and T, where ``taken`` is an upper bound
(:mod:`knee.explain.disturbance`). The interval of a claim's number is widened by what they may have taken from one side
of it and not from the other. Kinds of claims that have no such rule are not decided where they may have taken much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from knee.explain.claims.cells import Cell, fits
from knee.explain.claims.evidence import Claim, Evidence, Number
from knee.explain.disturbance import taken
from knee.explain.responses import COMPARED, pool, response
from knee.stats.intervals import Interval
from knee.stats.scaling.slope import bends, slopes
from knee.store import KINDS, Run, StudyError

SLIGHT, OF_SPREAD = 0.02, 0.1
"""What others may have taken, in logarithms, up to which kinds without a rule are decided; and as a share of the
standard deviation of the logarithms of all values.
"""

FITS = {"slope": slopes, "bend": bends}
"""Kinds whose number is fitted to the logarithms of all thread counts."""

OVER_COUNTS = ("speedup", "slope", "bend", "order", "knee", "trend")
"""Kinds that compare thread counts."""


@dataclass(frozen=True)
class Lost:
    """What other programs may have taken of the runs of a claim: a logarithm, that of the worst thread count and side;
    0 for a claim about counts. ``counts`` are the thread counts of these runs.
    """

    most: float
    counts: tuple[int, ...] = ()
    sides: int = 1
    """How many runs of each side may have lost as much: of speedups those on the fewest and on the most threads."""
    level: float = math.nan
    """The sum over both sides of a difference of the largest mean of a thread count; NaN where there is none."""
    spread: float = 0.0
    """Standard deviation of the logarithms of all values."""

    @property
    def share(self) -> float:
        """It as a share of the time."""
        return 1 - math.exp(-self.most)


def lost(claim: Claim, kind: str, evidence: Evidence) -> Lost:
    """Return what other programs may have taken of the runs of a claim."""
    names = [claim.get("response"), *(claim[key] for key in ("per", "against") if key in claim)]
    if not any(_timed(evidence.runs, name) for name in names):
        return Lost(0.0)
    allowed, worst, counts = len(evidence.machine["allowed"]["cpus"]), 0.0, set[int]()
    parts = [_seconds(evidence.runs, name) for name in names]
    values = {} if "per" in claim or "against" in claim else _values(evidence.runs, claim.get("response"))
    low, high = claim.get("between", (1, math.inf))
    runs = [run for run in pool(evidence.runs, claim.get("response")) if run.bad is None]
    compared, levels = claim.get("response") in COMPARED, list[float]()
    for number, cell in enumerate(_cells(claim, kind)):
        of_cell = [run for run in runs if fits(run, cell)]
        # What is compared with the fewest threads loses what these have lost, wherever the claim begins.
        fewest = min((run.threads for run in of_cell), default=0) if compared else 0
        by_count: dict[int, list[Run]] = {}
        for run in of_cell:
            if low <= run.threads <= high or run.threads == fewest:
                by_count.setdefault(run.threads, []).append(run)
        counts |= {count for count in by_count if low <= count <= high}
        for those in by_count.values():
            # Others may have taken all of it in the part of the run that one of the responses is.
            shares = [max(taken(run, allowed, of_s=each.get(run.spec["id"])) for each in parts) for run in those]
            worst = max(worst, float(np.mean([-math.log(1 - share) for share in shares])))
        # What others took of the second side of a difference counts as often as the claim takes that side.
        often = claim.get("times", 1) if number and kind == "difference" else 1
        levels.append(often * max((_mean(those, values) for those in by_count.values()), default=math.nan))
    sides = 2 if kind in ("ratio", "difference", "order") and compared else 1
    return Lost(worst, tuple(sorted(counts)), sides, sum(levels), _spread(runs, values))


def _mean(runs: list[Run], values: dict[str, float]) -> float:
    """Return the mean of the sizes of the values of runs; NaN where one has none."""
    return float(np.mean([abs(values.get(run.spec["id"], math.nan)) for run in runs]))


def _spread(runs: list[Run], values: dict[str, float]) -> float:
    """Return the standard deviation of the logarithms of values; 0 where some are not above 0."""
    known = np.array([values.get(run.spec["id"], math.nan) for run in runs])
    known = known[np.isfinite(known)]
    return float(np.log(known).std()) if known.size and (known > 0).all() else 0.0


def widened(kind: str, number: Number, lost: Lost) -> Interval:
    """Return the interval of a claim's number, whatever part of what was lost others took on either side."""
    ends, most = number.interval, lost.sides * lost.most
    if most == 0:
        return ends
    if kind in FITS:
        # At worst others took as much at all counts whose weights in the fit have one sign, and nothing at the rest.
        weights = FITS[kind](np.array(lost.counts, float), np.exp(np.eye(len(lost.counts))))
        tilt = most * float(np.maximum(weights, 0.0).sum())
        return Interval(ends.low - tilt, ends.high + tilt)
    if kind in ("ratio", "value", "speedup", "order") and ends.low > 0:
        return Interval(ends.low * math.exp(-most), ends.high * math.exp(most))
    if kind == "difference" and lost.level == lost.level:
        return Interval(ends.low - most * lost.level, ends.high + most * lost.level)
    return ends if most <= min(SLIGHT, OF_SPREAD * lost.spread) else Interval(-math.inf, math.inf)


def _seconds(runs: list[Run], name: str | None) -> dict[str, float]:
    """Return the times that a response is, by run; none for other responses."""
    try:
        return response(pool(runs, name), name).seconds
    except StudyError:
        return {}


def _values(runs: list[Run], name: str | None) -> dict[str, float]:
    """Return the values of a response by run; none where it is unknown."""
    try:
        found = response(pool(runs, name), name)
    except StudyError:
        return {}
    return dict(zip((run.spec["id"] for run in found.runs), found.values, strict=True))


def _timed(runs: list[Run], name: str | None) -> bool:
    try:
        return response(pool(runs, name), name).timed
    except StudyError:
        return True


def _cells(claim: Claim, kind: str) -> list[Cell]:
    """Return the cells that a claim names, without thread counts where it compares these."""
    chooses = KINDS[kind].chooses
    named: list[Cell] = [claim.get("at", {})]
    if chooses != "factor":
        named = [claim[kind][side] for side in KINDS[kind].sides] if chooses == "two cells" else [claim[kind]]
    across = kind in OVER_COUNTS or claim.get("response") in COMPARED
    return [{name: level for name, level in cell.items() if not across or name != "threads"} for cell in named]
