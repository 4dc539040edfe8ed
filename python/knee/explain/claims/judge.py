"""Judges claims: each is confirmed, refuted, undecided, or not measurable on this machine.

A claim is confirmed when the whole 90 % interval of its number lies within the claimed bounds, and refuted when the
whole interval lies outside. Where that depends on what other programs may have taken, it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from knee.explain.claims import curves, factors, ratios, trend, variation
from knee.explain.claims.asked import asked
from knee.explain.claims.disturbed import lost, widened
from knee.explain.claims.evidence import Claim, Evidence, NoNumberError, Number
from knee.explain.claims.machine import require, resolved
from knee.stats.intervals import Interval

Answer = Literal["confirmed", "refuted", "undecided", "not measurable here"]

NUMBERS: dict[str, Callable[[Claim, Evidence], Number]] = {
    "ratio": ratios.ratio_number,
    "difference": ratios.difference_number,
    "value": ratios.value_number,
    "speedup": ratios.speedup_number,
    "knee": curves.knee_number,
    "slope": curves.slope_number,
    "bend": curves.bend_number,
    "order": curves.order_number,
    "trend": trend.trend_number,
    "variation": variation.variation_number,
    "explains": factors.share_number,
}
"""The function that returns the number of each kind in :data:`knee.store.claims.KINDS`."""


OTHERS = "other programs may have taken"
"""How the reason begins why a claim is undecided that a quiet machine might decide."""


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


def judge(claims: Sequence[Claim], evidence: Evidence) -> list[Judged]:
    """Return every claim with its answer, in the order of the study file."""
    return [_judged(claim, evidence) for claim in claims]


def _judged(claim: Claim, evidence: Evidence) -> Judged:
    says, source, test = claim["says"], claim.get("source", ""), asked(claim)
    [kind] = [name for name in NUMBERS if name in claim]
    try:
        require(claim.get("needs", {}), evidence.machine)
        told = resolved(claim, evidence.machine)
        number = NUMBERS[kind](told, evidence)
    except NoNumberError as reason:
        nothing = float("nan")
        return Judged(says, source, test, "not measurable here", str(reason), nothing, Interval(nothing, nothing))
    bounds = claim.get("above"), claim.get("below")
    answer, why = _decided(number.interval, *bounds)
    if answer in ("confirmed", "refuted"):
        taken = lost(told, kind, evidence)
        if _decided(widened(kind, number, taken), *bounds)[0] != answer:
            answer = "undecided"
            why = f"{OTHERS} {100 * taken.share:.0f} % of the time of these runs: that may decide it"
    why += f"; {number.where}" if number.where else ""
    return Judged(says, source, test, answer, why, number.value, number.interval)


def _decided(ends: Interval, above: float | None, below: float | None) -> tuple[Answer, str]:
    if ends.low != ends.low:
        return "undecided", "its interval is unknown"
    if (above is None or ends.low > above) and (below is None or ends.high < below):
        return "confirmed", "the whole interval lies within the bounds"
    if (above is not None and ends.high <= above) or (below is not None and ends.low >= below):
        return "refuted", "the whole interval lies outside the bounds"
    return "undecided", "only part of the interval lies within the bounds"
