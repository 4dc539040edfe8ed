"""Least squares on a factorial design, and estimates from it.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 20 to 23.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from knee.stats.distributions import student_value
from knee.stats.intervals import LEVEL, Array, Interval
from knee.stats.linear.design import Design, Term

EXACT = 1e-12
"""Residuals below this share of the largest response are rounding errors: the model fits exactly."""


@dataclass(frozen=True)
class Estimate:
    """A linear combination of coefficients in units of the response, with its standard error and interval."""

    value: float
    error: float
    interval: Interval


@dataclass(frozen=True)
class Error:
    """The error that effects are tested against: a mean square, NaN without degrees of freedom, and its source.

    ``sphericity`` is the factor for the degrees of freedom of an F test: 1 if all levels have equal variance.
    """

    name: str
    mean_square: float
    freedom: float
    sphericity: float = 1.0


@cache
def students(freedom: float, level: float = LEVEL) -> float:
    """Return Student's factor for an interval of this level; NaN without degrees of freedom."""
    return student_value((1 + level) / 2, freedom) if freedom else float("nan")


@dataclass(frozen=True)
class Fit:
    """A model fitted by least squares.

    ``response``, ``fitted`` and ``residuals`` have shape (runs,); ``coefficients`` are those of the mean, the factors
    and the block. ``spread`` is the part of the inverse of X'X for the mean and the factors. ``freedom`` are the
    error's degrees of freedom and ``deviation`` its standard deviation, NaN if none are left. ``errors`` are those of
    terms with their own error (:mod:`knee.stats.linear.block_errors`).
    """

    design: Design
    response: Array
    coefficients: Array
    spread: Array
    fitted: Array
    residuals: Array
    errors: Mapping[Term, Error] = field(default_factory=dict[Term, Error])

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

    @property
    def pooled(self) -> Error:
        """The pooled error, used for all effects without their own error."""
        return Error("error", self.sse / self.freedom if self.freedom else float("nan"), self.freedom)

    def error_of(self, term: Term) -> Error:
        """Return the error that a term is tested against."""
        return self.errors.get(term, self.pooled)

    def estimates(self, rows: Array, level: float = LEVEL) -> list[Estimate]:
        """Return linear combinations of coefficients, without the block's, one per row, shape (combinations, width)."""
        values = rows @ self.coefficients[: self.design.width]
        squares, freedom = self._judged_by(rows)
        errors = np.sqrt(squares * ((rows @ self.spread) * rows).sum(axis=1))
        half = errors * np.array([students(one, level) for one in freedom])
        ends = zip(values - half, values + half, strict=True)
        return [
            Estimate(float(value), float(error), Interval(float(low), float(high)))
            for value, error, (low, high) in zip(values, errors, ends, strict=True)
        ]

    def _judged_by(self, rows: Array) -> tuple[Array, list[float]]:
        """Return the mean square of each row and its degrees of freedom.

        A row with several terms mixes their errors in proportion to their variance, with Satterthwaite's degrees of
        freedom (Biometrics Bulletin 2, 1946).
        """
        if not self.errors:
            return np.full(len(rows), self.pooled.mean_square), [self.freedom] * len(rows)
        parts: list[Array] = []
        for place in self.design.columns.values():
            own = rows[:, place]
            parts.append(((own @ self.spread[place, place]) * own).sum(axis=1))
        errors = [self.error_of(term) for term in self.design.columns]
        weights = np.array(parts) / np.maximum(np.sum(parts, axis=0), np.finfo(float).tiny)
        mixed = weights * np.array([[one.mean_square] for one in errors])
        whole = mixed.sum(axis=0)
        against = (mixed**2 / np.array([[one.freedom] for one in errors])).sum(axis=0)
        freedom = np.where(against > 0, whole**2 / np.where(against > 0, against, 1.0), self.freedom)
        return whole, freedom.tolist()


def fit(response: Array, design: Design) -> Fit:
    """Fit a response of shape (runs,), finite, to a design.

    Raises
    ------
    NotEstimableError
        When runs that the model needs are missing.
    """
    solution = design.solution
    fitted = solution.explained(response)
    residuals = response - fitted
    if float(np.abs(residuals).max()) <= EXACT * float(np.abs(response).max()):
        residuals = np.zeros(response.size)
    spread = solution.spread[: design.width, : design.width]
    return Fit(design, response, solution.coefficients(response), spread, fitted, residuals)
