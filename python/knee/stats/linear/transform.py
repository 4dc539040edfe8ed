"""Chooses the scale on which a response is analysed: the Box-Cox power of the model.

The likelihood is that of the model's errors, not of the pooled sample, since a mixture of different cells is never
normal. Effects on times are multiplicative, so the logarithm is preferred if it is accepted.

Box, Cox, *An analysis of transformations*, Journal of the Royal Statistical Society B, 1964. Jain, *The Art of Computer
Systems Performance Analysis*, 1991, sections 15.4 and 18.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from knee.stats.distributions import chi_square_value
from knee.stats.intervals import LEVEL, Array, Interval
from knee.stats.linear.design import Design

POWERS = {"none": 1.0, "sqrt": 0.5, "log": 0.0, "inverse": -1.0}
"""The available scales by name, as powers of the response; 0 is the natural logarithm."""

NARROW = 3.0
"""If the largest over the smallest response is below this, an accepted original scale is kept."""

BOUND = 3.0
"""Powers are searched between minus and plus this; an interval that ends here may be longer."""


AT_THE_END = 0.001
"""What the search for the best power may miss."""

BY_SPREAD = {
    "none": f"the largest value is less than {NARROW:g} times the smallest, and the scale is kept",
    "log": "effects are taken to multiply, as on the logarithm",
}
"""Why a scale is taken that no power has chosen."""


@dataclass(frozen=True)
class Transform:
    """The maximum-likelihood power, its interval, the recommended scale (a name in ``POWERS``), and the reason."""

    power: float
    interval: Interval
    recommended: str
    reason: str


def transformed(response: Array, name: str) -> Array:
    """Return a response of shape (runs,) on another scale; all scales but ``none`` need positive values."""
    return np.log(response) if name == "log" else response ** POWERS[name]


def original(value: float, name: str) -> float:
    """Transform a value back into units of the response; NaN if no response has that value on the scale."""
    if name == "log":
        return float(np.exp(value))
    if name == "none":
        return value
    return float(value ** (1 / POWERS[name])) if value > 0 else float("nan")


def original_interval(interval: Interval, name: str) -> Interval:
    """Transform an interval back into units of the response; the reciprocal swaps its ends."""
    low, high = original(interval.low, name), original(interval.high, name)
    return Interval(high, low) if POWERS[name] < 0 else Interval(low, high)


def box_cox(response: Array, design: Design) -> Transform:
    """Return which scale suits a model.

    Parameters
    ----------
    response
        Shape (runs,).
    design
        The model that the response will be analysed with.
    """
    if float(response.min()) <= 0:
        unknown = Interval(float("nan"), float("nan"))
        return Transform(float("nan"), unknown, "none", "Some values are not positive, so the scale is not changed.")
    likelihood = _profile(response, design)
    if likelihood is None:
        unknown = Interval(float("nan"), float("nan"))
        return Transform(float("nan"), unknown, "log", "No residuals to choose a scale by; effects on times multiply.")
    from scipy import optimize  # imported late: it takes as long as all the rest of scipy

    grid = np.linspace(-BOUND, BOUND, 121)
    values = np.array([likelihood(power) for power in grid])
    top = int(values.argmax())
    around = (float(grid[max(top - 1, 0)]), float(grid[min(top + 1, grid.size - 1)]))
    best = optimize.minimize_scalar(lambda power: -likelihood(power), bounds=around, method="bounded")
    power, drop = float(best.x), chi_square_value(LEVEL, 1) / 2
    ends = [_end(likelihood, power, bound, likelihood(power) - drop) for bound in (-BOUND, BOUND)]
    return _recommend(power, Interval(*ends), float(response.max() / response.min()))


def _profile(response: Array, design: Design) -> Callable[[float], float] | None:
    """Return the log likelihood as a function of the power, up to a constant; None without residuals."""
    explained = design.solution.explained
    logs = np.log(response)
    logs -= logs.mean()  # scaled by the geometric mean: powers stay in range, and the likelihood needs no Jacobian

    def likelihood(power: float) -> float:
        scaled = logs if abs(power) < 1e-9 else np.expm1(power * logs) / power
        left = scaled - explained(scaled)
        return float(-response.size / 2 * np.log((left**2).sum() / response.size))

    left = logs - explained(logs)
    return likelihood if float((left**2).sum()) > 1e-20 * response.size else None


def _end(likelihood: Callable[[float], float], power: float, bound: float, height: float) -> float:
    from scipy import optimize

    if likelihood(bound) > height:
        return bound
    return float(optimize.brentq(lambda at: likelihood(at) - height, min(power, bound), max(power, bound)))


def _recommend(power: float, interval: Interval, spread: float) -> Transform:
    accepted = [name for name, at in POWERS.items() if not interval.excludes(at)]
    if abs(power) > BOUND - AT_THE_END and not accepted:
        name = "none" if spread < NARROW else "log"
        why = (
            f"Box and Cox's power is at the end of its search ({math.copysign(BOUND, power):g}), so it chooses no scale"
        )
        return Transform(power, interval, name, f"{why}; {BY_SPREAD[name]}.")
    ends = f"the 90 % interval of Box and Cox's power, {interval.low:.3g} to {interval.high:.3g},"
    if "none" in accepted and spread < NARROW:
        name = "none"
        reason = f"{ends} contains 1, and the largest value is only {spread:.2f} times the smallest."
    elif "log" in accepted:
        name, reason = "log", f"{ends} contains 0: on the logarithm effects multiply."
    else:
        name = min(accepted or POWERS, key=lambda one: abs(POWERS[one] - power))
        says = "contains" if accepted else "contains none of 1, 0.5, 0 and -1; the nearest is"
        reason = f"{ends} {says} {POWERS[name]:g}{', and not 0' if accepted else ''}."
    return Transform(power, interval, name, reason[0].upper() + reason[1:])
