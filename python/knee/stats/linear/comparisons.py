"""Comparisons within a fitted model: contrasts of levels or cells, all pairs of a factor, predicted responses.

A mean at some levels averages over the levels of the other factors with equal weights. All pairs of a factor's levels
are compared at once: Tukey's intervals hold jointly with 90 %, in Kramer's form if numbers of runs differ.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 18 and 20 to 23. Tukey, *Comparing individual
means in the analysis of variance*, Biometrics 1949; Kramer, Biometrics 1956.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Interval
from knee.stats.linear.design import Term
from knee.stats.linear.least_squares import Estimate, Fit, students
from knee.stats.linear.studentized_range import beyond, table_value

Levels = Mapping[str, str]
"""Maps factors to levels. Other factors are averaged over."""


@dataclass(frozen=True)
class Pair:
    """The mean at ``first`` minus that at ``second``; ``p`` and ``together`` are Tukey's, jointly for all pairs."""

    factor: str
    first: str
    second: str
    difference: Estimate
    together: Interval
    p: float


@dataclass(frozen=True)
class Mean:
    """The mean response at some levels, the other factors averaged over."""

    levels: dict[str, str]
    mean: Estimate


@dataclass(frozen=True)
class Prediction:
    """The mean response of a cell, and the prediction interval of one more run, in an average block."""

    levels: dict[str, str]
    mean: Estimate
    run: Interval


def contrast(fitted: Fit, first: Levels, second: Levels) -> Estimate:
    """Return the mean at the first levels minus the mean at the second, in units of the response."""
    row = fitted.design.mean_row(first) - fitted.design.mean_row(second)
    return fitted.estimates(row[None, :])[0]


def tukey(fitted: Fit, factor: str) -> list[Pair]:
    """Return all pairs of a factor's levels with joint intervals; empty without degrees of freedom."""
    levels = fitted.design.named[factor].levels
    error = fitted.error_of((factor,))
    if not error.freedom or not error.mean_square > 0:
        return []
    wide = table_value(len(levels), error.freedom) / float(np.sqrt(2))
    means = {level: fitted.design.mean_row({factor: level}) for level in levels}
    pairs = list(itertools.combinations(levels, 2))
    differences = fitted.estimates(np.array([means[first] - means[second] for first, second in pairs]))
    return [_pair(fitted, factor, pair, one, wide) for pair, one in zip(pairs, differences, strict=True)]


def _pair(fitted: Fit, factor: str, pair: tuple[str, str], one: Estimate, wide: float) -> Pair:
    half = float(wide * one.error)
    levels = len(fitted.design.named[factor].levels)
    p = beyond(float(np.sqrt(2)) * abs(one.value) / one.error, levels, fitted.error_of((factor,)).freedom)
    return Pair(factor, *pair, one, Interval(one.value - half, one.value + half), p)


def means(fitted: Fit, names: Term) -> list[Mean]:
    """Return the mean response at every combination of levels of these factors, the last factor changing fastest."""
    design = fitted.design
    cells = [dict(zip(names, levels, strict=True)) for levels in design.combinations(names)]
    estimates = fitted.estimates(np.array([design.mean_row(cell) for cell in cells]))
    return [Mean(cell, one) for cell, one in zip(cells, estimates, strict=True)]


def predictions(fitted: Fit) -> list[Prediction]:
    """Return the predicted response of every cell, the last factor changing fastest."""
    cells = means(fitted, tuple(one.name for one in fitted.design.factors))
    return [Prediction(cell.levels, cell.mean, _one_run(fitted, cell.mean)) for cell in cells]


def _one_run(fitted: Fit, mean: Estimate) -> Interval:
    error = np.hypot(mean.error, fitted.deviation)
    half = float(students(fitted.freedom) * error)
    return Interval(mean.value - half, mean.value + half)
