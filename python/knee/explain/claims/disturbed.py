"""What other programs may have done to the number of a claim about times.

Without them a run would have taken between T (1 - taken) and T, where ``taken`` is an upper bound
(:mod:`knee.explain.disturbance`). The interval of a claim's number is widened by what they may have taken from one side
of it and not from the other. Kinds of claims that have no such rule are not decided where they may have taken much.
Counts of bytes, pages, steals and instructions stay what they are beside other programs.
"""

from __future__ import annotations

import math

import numpy as np

from knee.explain.claims.cells import Cell, fits
from knee.explain.claims.evidence import Claim, Evidence, Number
from knee.explain.disturbance import taken
from knee.explain.responses import pool, response
from knee.stats.intervals import Interval
from knee.store import KINDS, Run, StudyError

TIMED = frozenset({"s", "times", "1/s", "as reported"})
"""Units of responses that other programs change."""

COUNTED = "pages"
"""How results of probes begin that are no times."""

SWITCHES = "switches"
"""Part of the names of counts that other programs change."""

SLIGHT = 0.02
"""What others may have taken, in logarithms, up to which kinds without a rule are decided."""

ENDS = {"slope": 2.0, "bend": 4.0}
"""How much more than a straight line through both ends a fit may tilt where one count is slower by a factor."""

OVER_COUNTS = ("speedup", "slope", "bend", "order", "knee", "trend")
"""Kinds that compare thread counts."""


def lost(claim: Claim, kind: str, evidence: Evidence) -> float:
    """Return what other programs may have taken of the runs of a claim: a logarithm, that of the worst thread count and
    side; 0 for a claim about counts.
    """
    names = [claim.get("response"), *(claim[key] for key in ("per", "against") if key in claim)]
    if not any(_timed(evidence.runs, name) for name in names):
        return 0.0
    allowed, worst = len(evidence.machine["allowed"]["cpus"]), 0.0
    runs = [run for run in pool(evidence.runs, claim.get("response")) if run.bad is None]
    for cell in _cells(claim, kind):
        by_count: dict[int, list[Run]] = {}
        for run in runs:
            if fits(run, cell):
                by_count.setdefault(run.threads, []).append(run)
        for those in by_count.values():
            worst = max(worst, float(np.mean([-math.log(1 - taken(run, allowed)) for run in those])))
    return worst


def widened(claim: Claim, kind: str, number: Number, lost: float) -> Interval:
    """Return the interval of a claim's number, whatever part of what was lost others took on either side."""
    ends = number.interval
    if lost == 0:
        return ends
    if kind in ENDS:
        few, many = claim.get("between", (1, math.e))
        tilt = ENDS[kind] * lost / max(math.log(many / few), lost)
        return Interval(ends.low - tilt, ends.high + tilt)
    if kind in ("ratio", "value", "speedup", "order") and ends.low > 0:
        return Interval(ends.low * math.exp(-lost), ends.high * math.exp(lost))
    return ends if lost <= SLIGHT else Interval(-math.inf, math.inf)


def _timed(runs: list[Run], name: str | None) -> bool:
    try:
        found = response(pool(runs, name), name)
    except StudyError:
        return True
    counted = found.unit == "as reported" and found.name.startswith(COUNTED)
    return (found.unit in TIMED and not counted) or SWITCHES in found.name


def _cells(claim: Claim, kind: str) -> list[Cell]:
    """Return the cells that a claim names, without thread counts where it compares these."""
    chooses = KINDS[kind].chooses
    named: list[Cell] = [{}]
    if chooses != "factor":
        named = list(claim[kind].values()) if chooses == "two cells" else [claim[kind]]
    across = kind in OVER_COUNTS or claim.get("response") in ("speedup", "work-inflation")
    return [{name: level for name, level in cell.items() if not across or name != "threads"} for cell in named]
