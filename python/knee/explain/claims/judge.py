"""Claims decided: what a study file claims is confirmed, refuted, undecided, or cannot be measured here.

A claim is confirmed when the whole 90 % interval of its number lies where the claim says, and refuted when none of it
does. What no run shows, and what the machine cannot show, is neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from knee.explain.claims.numbers import Cell, NoNumberError, number, require, resolved
from knee.explain.responses import pool
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.stats.intervals import Interval
from knee.store import Run

Answer = Literal["confirmed", "refuted", "undecided", "not measurable here"]


@dataclass(frozen=True)
class Judged:
    """A claim with its answer. ``value`` and ``interval`` are NaN where there is no number."""

    says: str
    source: str
    asked: str
    answer: Answer
    why: str
    value: float
    interval: Interval


def judge(
    claims: Sequence[dict[str, Any]],
    runs: list[Run],
    series: list[Series],
    summaries: dict[str, ScalingSummary],
    machine: dict[str, Any],
) -> list[Judged]:
    """Return every claim with its answer, in the order of the study file."""
    return [_judged(claim, pool(runs, claim.get("response")), series, summaries, machine) for claim in claims]


def _judged(
    claim: dict[str, Any],
    runs: list[Run],
    series: list[Series],
    summaries: dict[str, ScalingSummary],
    machine: dict[str, Any],
) -> Judged:
    asked = _asked(claim)
    nothing = Interval(float("nan"), float("nan"))
    try:
        require(claim.get("needs", {}), machine)
        value, ends = number(resolved(claim, machine), runs, series, summaries)
    except NoNumberError as reason:
        answer = "not measurable here"
        return Judged(claim["says"], claim.get("source", ""), asked, answer, str(reason), nothing.low, nothing)
    answer, why = _decided(ends, claim.get("above", -np.inf), claim.get("below", np.inf))
    return Judged(claim["says"], claim.get("source", ""), asked, answer, why, value, ends)


def _asked(claim: dict[str, Any]) -> str:
    """Return what number the claim is about, and where it has to lie."""
    bounds = " and ".join(f"{name} {claim[name]:g}" for name in ("above", "below") if name in claim)
    what = claim.get("response") or "time"
    what += f" per {claim['per']}" if "per" in claim else ""
    if "value" in claim:
        return f"{what} of {_words(claim['value']) or 'all cells'}: {bounds}"
    if "ratio" in claim:
        return f"{what} of {_words(claim['ratio']['of'])} over that of {_words(claim['ratio']['over'])}: {bounds}"
    if "explains" in claim:
        at = f" at {_words(claim['at'])}" if "at" in claim else ""
        return f"share of the variation of {what}{at} that {claim['explains']} explains: {bounds}"
    if "speedup" in claim:
        of = f" in {what}" if "response" in claim or "per" in claim else ""
        return f"speedup{of} of {_words(claim['speedup'])}: {bounds}"
    return f"knee of {_words(claim['knee']) or 'the study'}: {bounds}"


def _words(cell: Cell) -> str:
    return ", ".join(f"{name}={level}" for name, level in cell.items())


def _decided(ends: Interval, above: float, below: float) -> tuple[Answer, str]:
    if ends.low != ends.low:
        return "undecided", "its interval is not known"
    if ends.low > above and ends.high < below:
        return "confirmed", "all of the interval lies there"
    if ends.high <= above or ends.low >= below:
        return "refuted", "none of the interval lies there"
    return "undecided", "a part of the interval lies there"
