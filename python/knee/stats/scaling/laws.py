"""Scaling laws: which of a few formulas a speedup curve follows, if there are enough thread counts to tell.

Every law is fitted to the logarithm of speedup with a free level, so that no point is treated as exact and the error of
T1 does not tilt the fit. Laws are compared by AICc over thread counts, not runs, since a law misses the same points in
every block.

A coefficient describes the curve and names no cause: USL fits nearly any bend, whatever its cause.

Amdahl, *Validity of the single processor approach*, AFIPS 1967. Gustafson, *Reevaluating Amdahl's law*, CACM 1988.
Gunther, *Guerrilla capacity planning*, 2007 (USL). Burnham, Anderson, *Model selection and multimodel inference*, 2002.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from knee.stats.distributions import fisher_beyond
from knee.stats.intervals import Array, Interval
from knee.stats.scaling import curve_fit
from knee.stats.scaling.resampling import interval, means, resampled

COUNTS_FOR_A_LAW = 6
"""With fewer thread counts no law is fitted and no knee is claimed."""

CLEAR = 1.0
"""Two laws whose AICc differ by less cannot be distinguished. With eleven counts up to 48 and 1.5 % noise, this limit
names a wrong law for at most one curve in twenty-five. Where USL has hardly bent at the largest count, Amdahl's law is
named whatever the limit.
"""

HARDLY = 0.02
"""A share of the time at the largest count. If USL is not excluded and its second parameter could cost more than this,
Amdahl's law is named with that limit.
"""

BETTER = 0.10
"""Amdahl's law is not named if USL, of which it is a special case, fits better by an F test at this level. With few
counts AICc penalises the additional parameter too heavily: with six counts it can never choose USL.
"""

LARGEST_ERROR = 0.03
"""A law with a larger standard deviation of log speedup does not describe the curve."""

FLAT_CURVE = f"speedup stays within {100 * LARGEST_ERROR:g} % of 1: there is no scaling to describe"

SHARPNESS = 8
"""Exponent of the smooth minimum with which a curve turns from rising to flat."""


def amdahl(parameters: Array, n: Array) -> Array:
    """Return log speedup if a share s of the work is serial."""
    s = parameters[:, :1]
    return -np.log(s + (1 - s) / n)


def gustafson(parameters: Array, n: Array) -> Array:
    """Return log speedup if the work grows with the threads, except for a serial share s of the time."""
    return np.log(np.maximum(n - parameters[:, :1] * (n - 1), 1e-9))


def universal(parameters: Array, n: Array) -> Array:
    """Return log speedup by the universal scalability law: n / (1 + a (n-1) + b n (n-1))."""
    a, b = parameters[:, :1], parameters[:, 1:]
    return np.log(n) - np.log(1 + a * (n - 1) + b * n * (n - 1))


def saturation(parameters: Array, n: Array) -> Array:
    """Return log speedup that follows n up to k and then stays constant, with a rounded corner."""
    return -np.logaddexp(-SHARPNESS * np.log(n), -SHARPNESS * np.log(parameters[:, :1])) / SHARPNESS


@dataclass(frozen=True)
class Law:
    """A law to fit. If its parameters are thread counts, bounds and starts are scaled by the largest count."""

    name: str
    parameters: tuple[str, ...]
    log_speedup: Callable[[Array, Array], Array]
    starts: tuple[tuple[float, ...], ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    of_counts: bool = False


AMDAHL = Law("Amdahl", ("s",), amdahl, ((0.01,), (0.2,)), (0.0,), (1.0,))
GUSTAFSON = Law("Gustafson", ("s",), gustafson, ((0.01,), (0.2,)), (0.0,), (1.0,))
USL = Law("USL", ("a", "b"), universal, ((0.01, 1e-4), (0.1, 1e-2)), (0.0, 0.0), (1.0, 10.0))
SATURATION = Law("saturation", ("k",), saturation, ((0.15,), (0.4,), (0.8,)), (0.0,), (4.0,), of_counts=True)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a law with its interval."""

    name: str
    value: float
    interval: Interval


@dataclass(frozen=True)
class Fit:
    """The best fit of a law. ``error`` is the standard deviation of log speedup around it."""

    law: str
    parameters: tuple[Parameter, ...]
    aicc: float
    error: float


@dataclass(frozen=True)
class Choice:
    """The law that describes a curve, or None with the reason. ``fits`` starts with the best."""

    law: str | None
    why: str
    fits: tuple[Fit, ...]
    closest: Fit | None = None
    """The law that fits best but is not named, because there are too few counts to choose it."""
    open: str = ""
    """What the named law does not exclude."""

    @property
    def best(self) -> Fit | None:
        """The fit of the named law."""
        return self.fits[0] if self.law is not None else None


def choose(counts: Array, log_speedup: Array, *, scaled: bool = False, seed: int = 1) -> Choice:
    """Return the law of a curve.

    Parameters
    ----------
    counts
        Thread counts, shape (points,).
    log_speedup
        Natural logarithms, shape (blocks, points); NaN where a run was bad. Each block is relative to its own T1.
    scaled
        Whether the input grows with the threads; then Gustafson's law is tried in place of Amdahl's.
    seed
        Of the bootstrap.

    Examples
    --------
    >>> n = np.array([1.0, 2, 4, 8, 16, 32, 64])
    >>> blocks = -np.log(0.05 + 0.95 / n) + 0.001 * np.array([[1, -1, 1, -1, 1, -1, 1], [1, 1, -1, -1, 1, 1, -1]])
    >>> found = choose(n, blocks)
    >>> found.law, round(found.fits[0].parameters[0].value, 2)
    ('Amdahl', 0.05)
    """
    measured = np.isfinite(log_speedup).sum(axis=0) > 1
    n, logs = counts[measured], log_speedup[:, measured]
    if n.size < COUNTS_FOR_A_LAW:
        return Choice(None, too_few(n.size), ())
    curves = np.vstack([means(logs), resampled(logs, seed)])
    laws = (GUSTAFSON if scaled else AMDAHL, USL, SATURATION)
    choice = _decided([_fit(law, n, curves) for law in laws], n.size)
    if float(np.abs(curves[0]).max()) < LARGEST_ERROR:
        return Choice(None, FLAT_CURVE, choice.fits)
    return replace(choice, open=_left_open(choice, float(n[-1])))


def _left_open(choice: Choice, most: float) -> str:
    """If Amdahl's law (USL with b = 0) was named, return which other USL is not excluded."""
    wider = next((one for one in choice.fits if one.law == USL.name), None)
    if choice.law != AMDAHL.name or wider is None:
        return ""
    serial, high = choice.fits[0].parameters[0].value, wider.parameters[1].interval.high
    lost = high * most * (most - 1)
    share = lost / (1 + serial * (most - 1) + lost)
    if share < HARDLY:
        return ""
    return f"USL with b up to {high:.2g}, {100 * share:.0f} % of the time at {most:g} threads, is not excluded"


def too_few(counts: int) -> str:
    """Return the sentence that this many thread counts within the cpus, with two good runs each, are too few."""
    there = "there is 1" if counts == 1 else f"there are {counts}"
    return f"{COUNTS_FOR_A_LAW} thread counts that fit the cpus are needed, with two good runs each: {there}"


def _decided(fits: list[Fit], points: int) -> Choice:
    """Return the law that AICc prefers, unless it misses the curve or there are too few counts to choose it."""
    ranked = tuple(sorted(fits, key=lambda one: one.aicc))
    first, second = ranked[:2]
    closest = min(ranked, key=lambda one: one.error)
    if closest.error > LARGEST_ERROR:
        why = f"no law fits within {100 * LARGEST_ERROR:g} %; the closest, {closest.law}, within {_error(closest)}"
        return Choice(None, why, ranked)
    if first.error > LARGEST_ERROR:
        # AICc prefers this law only because it has fewer parameters.
        why = f"{closest.law} fits within {_error(closest)}, {first.law} only within {_error(first)}"
        return Choice(
            None, f"{why}, but {points} thread counts are too few to choose a law with two parameters", ranked, closest
        )
    if second.aicc - first.aicc < CLEAR:
        within = f"within {_error(first)} and {_error(second)}"
        why = f"{first.law} and {second.law} fit equally well, {within}: {points} thread counts are too few to tell"
        return Choice(None, why, ranked)
    wider = next((one for one in ranked if one.law == USL.name), None)
    if first.law == AMDAHL.name and wider is not None and _better(first, wider, points):
        why = f"{wider.law} fits within {_error(wider)}, {first.law} within {_error(first)}"
        return Choice(None, f"{why}: {points} thread counts are too few to tell", ranked, wider)
    return Choice(first.law, f"it fits within {_error(first)}; the next best, {second.law}, fits less well", ranked)


def _error(fit: Fit) -> str:
    return f"{100 * fit.error:.1f} %"


def _better(narrow: Fit, wide: Fit, points: int) -> bool:
    """Whether USL fits significantly better than Amdahl's law."""
    left = [fit.error**2 * (points - used) for fit, used in ((narrow, 2), (wide, 3))]
    if left[1] <= 0:
        return False
    f = (left[0] - left[1]) / (left[1] / (points - 3))
    return fisher_beyond(f, 1, points - 3) < BETTER


def _score(law: Law, counts: Array, curves: Array) -> tuple[Array, Array, Array]:
    """Return parameters, AICc and error of every curve."""
    starts, low, high = _ends(law, counts)
    parameters, squares = curve_fit.fit(law.log_speedup, counts, curves, starts, low, high)
    points = counts.size
    # The level and the noise are estimated as well.
    k = len(law.parameters) + 2
    scores = points * np.log(np.maximum(squares / points, 1e-20)) + 2 * k + 2 * k * (k + 1) / (points - k - 1)
    return parameters, scores, np.sqrt(squares / (points - len(law.parameters) - 1))


def _ends(law: Law, counts: Array) -> tuple[Array, Array, Array]:
    """Return starts and bounds of the parameters, shapes (starts, parameters), (parameters,), (parameters,)."""
    stretch = float(counts.max()) if law.of_counts else 1.0
    starts, low, high = (np.array(part) * stretch for part in (law.starts, law.low, law.high))
    low = np.maximum(low, 1.0) if law.of_counts else low
    return np.maximum(starts, low), low, high


def _fit(law: Law, counts: Array, curves: Array) -> Fit:
    """Fit the curve, which comes first, and its resampled curves."""
    at, scores, errors = _score(law, counts, curves[:1])
    # Resampled curves are so close to the curve that their search can start at its result.
    _, low, high = _ends(law, counts)
    fitted, _ = curve_fit.fit(law.log_speedup, counts, curves, at, low, high)
    columns = [(name, fitted[:, number]) for number, name in enumerate(law.parameters)]
    if law is USL:
        columns.append(("peak", peak(fitted)))
    parameters = tuple(Parameter(name, float(all_[0]), interval(all_[1:])) for name, all_ in columns)
    return Fit(law.name, parameters, float(scores[0]), float(errors[0]))


def peak(parameters: Array) -> Array:
    """Return the thread count at which USL peaks, for parameters (a, b) of shape (curves, 2).

    Infinite for b = 0, where the curve only levels off; 1 if every larger count is slower.
    """
    a, b = parameters[:, 0], parameters[:, 1]
    inside = np.divide(1 - a, b, out=np.full(len(parameters), np.inf), where=b > 0)
    return np.maximum(1.0, np.sqrt(inside))
