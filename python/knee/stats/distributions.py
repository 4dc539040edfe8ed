"""Student's, Fisher's, chi-square and normal distributions, by the special functions that they are.

``scipy.stats`` has all of them, and takes as long to be imported as everything else in a report.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

Array = npt.NDArray[np.float64]


def student_value(chance: float, freedom: float) -> float:
    """Return the value below which Student's t lies with this chance."""
    return float(special.stdtrit(freedom, chance))


def student_beyond(value: float, freedom: float) -> float:
    """Return the chance that Student's t is larger."""
    return float(special.stdtr(freedom, -value))


def students_beyond(values: Array, freedom: float) -> Array:
    """Return the same for each of many values."""
    return np.asarray(special.stdtr(freedom, -values), dtype=np.float64)


def fisher_value(chance: float, above: float, below: float) -> float:
    """Return the value below which F lies with this chance; degrees of freedom above and below the line."""
    return float(special.fdtri(above, below, chance))


def fisher_beyond(value: float, above: float, below: float) -> float:
    """Return the chance that F is larger."""
    return float(special.fdtrc(above, below, value))


def chi_square_value(chance: float, freedom: float) -> float:
    """Return the value below which chi-square lies with this chance."""
    return float(2 * special.gammaincinv(freedom / 2, chance))


def chi_square_beyond(value: float, freedom: float) -> float:
    """Return the chance that chi-square is larger."""
    return float(special.chdtrc(freedom, value))


def normal_values(chances: Array) -> Array:
    """Return the values below which a normal value lies with each chance."""
    return np.asarray(special.ndtri(chances), dtype=np.float64)


def normal_beyond(value: float) -> float:
    """Return the chance that a normal value is larger."""
    return float(special.ndtr(-value))


def proportion_ends(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's ends of a proportion."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits == trials else float(special.betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high
