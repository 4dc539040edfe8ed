"""Least squares on a factorial design, and what can be estimated from it.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 20 to 23.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from knee.stats.distributions import student_value
from knee.stats.intervals import LEVEL, Array, Interval
from knee.stats.linear.design import Design

EXACT = 1e-12
"""Errors smaller than this share of the largest response are rounding: the model fits exactly."""


@dataclass(frozen=True)
class Estimate:
    """A linear combination of coefficients in units of the response, with its standard error and interval."""

    value: float
    error: float
    interval: Interval


@cache
def students(freedom: int, level: float = LEVEL) -> float:
    """Return Student's factor of an interval of this level; NaN where no degrees of freedom are left."""
    return student_value((1 + level) / 2, freedom) if freedom else float("nan")


@dataclass(frozen=True)
class Fit:
    """A model fitted by least squares.

    ``response``, ``fitted`` and ``residuals`` have shape (runs,); ``spread`` is the inverse of X'X. ``freedom`` are the
    error's degrees of freedom and ``deviation`` its standard deviation, NaN where none are left.
    """

    design: Design
    response: Array
    coefficients: Array
    spread: Array
    fitted: Array
    residuals: Array

    @property
    def sse(self) -> float:
        """Sum of squared errors."""
        return float((self.residuals**2).sum())

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the error."""
        return int(self.response.size - self.coefficients.size)

    @property
    def deviation(self) -> float:
        """Standard deviation of errors."""
        return float(np.sqrt(self.sse / self.freedom)) if self.freedom else float("nan")

    def estimates(self, rows: Array, level: float = LEVEL) -> list[Estimate]:
        """Return linear combinations of the coefficients, one for each row of shape (combinations, coefficients)."""
        values = rows @ self.coefficients
        errors = self.deviation * np.sqrt(((rows @ self.spread) * rows).sum(axis=1))
        half = errors * students(self.freedom, level)
        ends = zip(values - half, values + half, strict=True)
        return [
            Estimate(float(value), float(error), Interval(float(low), float(high)))
            for value, error, (low, high) in zip(values, errors, ends, strict=True)
        ]


def fit(response: Array, design: Design) -> Fit:
    """Fit a response of shape (runs,), finite, to a design.

    Raises
    ------
    NotEstimableError
        When runs are missing that the model needs.
    """
    solution = design.solution
    fitted = solution.explained(response)
    residuals = response - fitted
    if float(np.abs(residuals).max()) <= EXACT * float(np.abs(response).max()):
        residuals = np.zeros(response.size)
    return Fit(design, response, solution.coefficients(response), solution.spread, fitted, residuals)
