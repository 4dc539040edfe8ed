"""Quantities of runs with which the number of a claim is what a test asks for, for every kind of claim."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import cache
from statistics import NormalDist
from typing import Any

from claimed.folder import APART, BLOCKS, TIMED, USUAL, Plan, Quantities, Rates, has, kind_of, needed
from claimed.machines import described
from knee.explain.claims.evidence import Claim
from knee.explain.claims.machine import resolved
from knee.explain.responses import COMPARED, DERIVED, MEASURED
from knee.store import RunSpec, count_named

SMALL, WIDE = 0.003, 0.15
"""Standard deviations of logarithms: too small to reach a bound, and wide enough to cross it."""

Level = Callable[[RunSpec], float]


def numbers(claim: Claim, made: Plan) -> dict[str, list[float]]:
    """Return numbers that lie within a claim's bounds, outside of them, and on each of them."""
    bounds = [(claim[name], sign) for name, sign in (("above", 1), ("below", -1)) if name in claim]
    inside = [_beside(claim, made, bound, sign) for bound, sign in bounds]
    if len(bounds) == 2:
        inside = [sum(bound for bound, _ in bounds) / 2]
    outside = [_beside(claim, made, bound, -sign) for bound, sign in bounds]
    return {"confirmed": inside, "refuted": outside, "undecided": [bound for bound, _ in bounds]}


def _beside(claim: Claim, made: Plan, bound: float, sign: int) -> float:
    if "variation" in claim and "among" not in claim:
        # The scatter of a few launches is known within a factor of two or so.
        return bound * 4.0**sign
    if "explains" in claim:
        return bound + sign * min(bound, 1 - bound) / 2
    if "difference" in claim:
        return bound + sign * claim.get("times", 1) * _usual(claim, made) / 2
    return bound + sign * (abs(bound) / 4 or 0.5)


def quantities(claim: Claim, made: Plan, number: float, scatter: float) -> Quantities:
    """Return quantities of runs with which a claim's number is this one, with this scatter between blocks."""
    asked = resolved(claim, described(made.text))
    base = min(spec["threads"] for spec in made.specs)
    level = _levels(asked, made, number, scatter)
    response, per = asked.get("response"), asked.get("per")

    def chosen(spec: RunSpec) -> dict[str, float]:
        first = response in COMPARED and not {"slope", "bend"} & asked.keys() and spec["threads"] == base
        value = 1.0 if first else level(spec)
        if "among" in asked:
            return {APART: value}
        if "against" in asked and has(spec, asked["ratio"]["over"]):
            return _measured(asked["against"], value, made)
        below = _scale(per, made) if per else 1.0
        return _measured(response, value * below, made) | (_measured(per, below, made) if per else {})

    return chosen


def _usual(claim: Claim, made: Plan) -> float:
    """Return the usual size of a claim's response, divided by another one if the claim does so."""
    if "against" in claim:
        return 1.0
    return _scale(claim.get("response"), made) / _scale(claim.get("per"), made)


def _scale(response: str | None, made: Plan) -> float:
    """Return the usual size of a response: counts are whole numbers, so they are made large."""
    plain = (response or "").removeprefix(MEASURED)
    counted = plain in (*(made.study_spec.counters or ()), "remote-bytes", "issue-rate")
    return 1000 * USUAL if counted or count_named(plain.rpartition(":")[2]) else 1.0


def _measured(response: str | None, value: float, made: Plan) -> dict[str, float]:
    """Return the quantities of a run that has this response."""
    if response == "remote-bytes":
        return {"mbm_local_bytes": USUAL, "mbm_total_bytes": USUAL + value}
    if response == "remote-share":
        return {"mbm_local_bytes": (1 - value) * USUAL, "mbm_total_bytes": USUAL}
    if response == "issue-rate":
        return {"instructions": value}
    if response == "speedup":
        return {TIMED: 1 / value}
    if response in ("cpu", "work-inflation"):
        return {"cpu": value}
    assert response not in DERIVED, f"no values for {response}"
    metrics = {(spec.get("metric") or {}).get("phase") for spec in made.specs}
    times = {None, "metric", *metrics, *(["time"] if len(metrics) > 1 else []), *(["wall"] if None in metrics else [])}
    return {TIMED if response in times else str(response): value}


def _levels(claim: Claim, made: Plan, number: float, scatter: float) -> Level:
    """Return the response of every run."""
    usual = _usual(claim, made)
    kind = kind_of(claim).name
    if kind == "explains":
        return _shares(claim, made, number, scatter)
    if kind == "variation" and "among" not in claim:
        deviation = math.sqrt(math.log1p(number**2))
        return lambda spec: usual * math.exp(deviation * quantile(spec["block"]))
    # A value is what it is, and all others are relations.
    usual = 1.0 if kind in ("value", "variation") else usual
    level = LEVELS[kind]
    return lambda spec: level(claim, spec, number, usual) * math.exp(scatter * noise(str(spec["cell"]), spec["block"]))


def _side(claim: Claim, spec: RunSpec, number: float, usual: float) -> float:
    """Return the number on one side of a comparison, and 1 on the other."""
    return usual * (number if has(spec, claim[kind_of(claim).name]["of"]) else 1)


def _difference(claim: Claim, spec: RunSpec, number: float, usual: float) -> float:
    return claim.get("times", 1) * usual + number if has(spec, claim["difference"]["of"]) else usual


def _bend(claim: Claim, spec: RunSpec, number: float, usual: float) -> float:
    """Return two lines on log-log axes that meet in the middle of the range."""
    beyond = spec["threads"] / math.sqrt(math.prod(claim["between"]))
    return usual * spec["threads"] * max(1, beyond) ** number


LEVELS: dict[str, Callable[[Claim, RunSpec, float, float], float]] = {
    "ratio": _side,
    "order": _side,
    "difference": _difference,
    "value": lambda _, __, number, ___: number,
    "variation": lambda _, __, number, ___: number,
    "speedup": lambda claim, spec, number, usual: usual / (number if has(spec, claim["speedup"]) else 1),
    "slope": lambda _, spec, number, usual: usual * spec["threads"] ** number,
    "bend": _bend,
    "knee": lambda _, spec, number, __: 1 / min(spec["threads"], number),
}
"""For each kind of claim the response of a run, given the number and the usual size of the response."""


def _shares(claim: Claim, made: Plan, share: float, scatter: float) -> Level:
    """Return values of which a factor explains this share; the rest is other factors, and the scatter."""
    factor, at = claim["explains"], claim.get("at", {})
    specs = [spec for spec in needed(claim, made) if has(spec, at)]
    levels = sorted({str(spec["cell"][factor]) for spec in specs})
    others = sorted({_rest(spec, factor) for spec in specs})
    error = 0.0001 if scatter == SMALL else 0.3 * (1 - share)
    parts = {name: math.sqrt(part) for name, part in (("factor", share), ("other", 1 - share - error), ("e", error))}

    def value(spec: RunSpec) -> float:
        if str(spec["cell"][factor]) not in levels or _rest(spec, factor) not in others:
            return 1.0
        of_factor = _spaced(levels.index(str(spec["cell"][factor])), len(levels))
        place = (others.index(_rest(spec, factor)), len(others)) if len(others) > 1 else (spec["block"] - 1, BLOCKS)
        drawn = noise(str(spec["cell"]), spec["block"])
        log = parts["factor"] * of_factor + parts["other"] * _spaced(*place) + parts["e"] * drawn
        return _usual(claim, made) * math.exp(0.05 * log)

    return value


def _rest(spec: RunSpec, factor: str) -> str:
    return str(sorted((name, str(level)) for name, level in spec["cell"].items() if name != factor))


def _spaced(place: int, of: int) -> float:
    """Return one of equally spaced numbers with mean 0 and variance 1."""
    return (place - (of - 1) / 2) / math.sqrt((of**2 - 1) / 12)


@cache
def _noises(of: str) -> tuple[float, ...]:
    """Return numbers whose mean is 0, and whose standard deviation is 1 by Gini's mean difference."""
    draw = random.Random(of)
    return _scaled([draw.gauss(0, 1) for _ in range(BLOCKS)])


def _scaled(drawn: list[float]) -> tuple[float, ...]:
    apart = [abs(one - two) for n, one in enumerate(drawn) for two in drawn[:n]]
    deviation = sum(apart) / len(apart) * math.sqrt(math.pi) / 2
    return tuple((one - sum(drawn) / len(drawn)) / deviation for one in drawn)


def quantile(block: int) -> float:
    """Return the noise of a block of which every statistic of spread says the same: the quantiles of the normal one."""
    return _scaled([NormalDist().inv_cdf((place + 0.5) / BLOCKS) for place in range(BLOCKS)])[block - 1]


def noise(of: str, block: int) -> float:
    """Return the noise of a block: over all blocks its mean is 0, so that numbers are where a test wants them."""
    return _noises(of)[block - 1]


def rates(claim: Claim, made: Plan, number: float, scatter: float) -> Rates | None:
    """Return rates of what is sampled, with which the number of a trend is this one; None for other kinds."""
    if "trend" not in claim:
        return None
    check_sampled(claim, made)
    last: float = claim.get("last", 0.5)
    # Without a phase, parts are those of the run.
    begin = 1 - last if "during" in claim else 1 - last * 1.25 + 0.125

    def growing(spec: RunSpec, share: float) -> dict[str, Any]:
        later = number * math.exp(scatter * noise(str(spec["cell"]), spec["block"]))
        return {claim["sampled"]: 0.3 * (later if share > begin else 1)}

    return growing


def check_sampled(claim: Claim, made: Plan) -> None:
    """Hold that a study samples what a claim of it names."""
    name = claim["sampled"]
    if name.startswith(("mbm_", "llc_")):
        assert name in (made.study_spec.counters or ()), f"the study does not count {name}"
    else:
        assert name in ("cpu_ns", "run_delay_ns") or count_named(name), f"nobody counts {name}"
