"""Student's, Fisher's, chi-square and normal distributions, from scipy's special functions.

``scipy.stats`` has all of them too, but takes as long to import as everything else in a report.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

Array = npt.NDArray[np.float64]


def student_value(chance: float, freedom: float) -> float:
    """Return the quantile of Student's t at this probability."""
    return float(special.stdtrit(freedom, chance))


def student_beyond(value: float, freedom: float) -> float:
    """Return the probability that Student's t is larger."""
    return float(special.stdtr(freedom, -value))


def students_beyond(values: Array, freedom: float) -> Array:
    """Return :func:`student_beyond` for each of several values."""
    return np.asarray(special.stdtr(freedom, -values), dtype=np.float64)


def fisher_value(chance: float, above: float, below: float) -> float:
    """Return the quantile of F at this probability; ``above`` and ``below`` are the degrees of freedom."""
    return float(special.fdtri(above, below, chance))


def fisher_beyond(value: float, above: float, below: float) -> float:
    """Return the probability that F is larger."""
    return float(special.fdtrc(above, below, value))


def chi_square_value(chance: float, freedom: float) -> float:
    """Return the quantile of chi-square at this probability."""
    return float(2 * special.gammaincinv(freedom / 2, chance))


def chi_square_beyond(value: float, freedom: float) -> float:
    """Return the probability that chi-square is larger."""
    return float(special.chdtrc(freedom, value))


def normal_values(chances: Array) -> Array:
    """Return the quantiles of the normal distribution at these probabilities."""
    return np.asarray(special.ndtri(chances), dtype=np.float64)


def normal_beyond(value: float) -> float:
    """Return the probability that a normal value is larger."""
    return float(special.ndtr(-value))


def binomials_from(least: Array, trials: Array, chance: float) -> Array:
    """Return the probabilities of at least so many hits in so many trials each; ``least`` is at most ``trials``."""
    some = special.betainc(np.maximum(least, 1.0), trials - least + 1, chance)
    return np.where(least > 0, some, 1.0)


def proportion_ends(hits: float, trials: float, level: float) -> tuple[float, float]:
    """Return the ends of the Clopper-Pearson interval of a proportion, also of numbers that are not whole."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits == trials else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high
