"""Checks of what the intervals rest on: no drift over the study, no run unlike its cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knee.stats.distributions import student_beyond
from knee.stats.intervals import Array

OUTLIER = 3.5
"""Modified z-score beyond which a run counts as unlike its cell (Iglewicz and Hoaglin, 1993)."""


RUNS_FOR_DRIFT = 8
"""With fewer good runs nothing is tested."""


@dataclass(frozen=True)
class Drift:
    """Trend of log times over the study, after each cell's mean is taken out.

    ``change`` is the ratio from the first run to the last; ``p`` of the slope; ``lag1`` the autocorrelation of
    neighbours in running order. Nothing of it means anything where it was not ``tested``.
    """

    change: float
    p: float
    lag1: float
    found: bool
    tested: bool = True


def residuals(values: Array, cells: Array) -> Array:
    """Return log values minus the mean of their cell. Both of shape (runs,); cells are integer codes."""
    return _without_means(np.log(values), cells)


def _without_means(values: Array, cells: Array) -> Array:
    left = values.copy()
    for cell in np.unique(cells):
        member = cells == cell
        left[member] -= values[member].mean()
    return left


def drift(left: Array, order: Array, cells: Array) -> Drift:
    """Test residuals for a trend over running order. Found means p < 1 % and a change of more than 1 %.

    Cell means are taken out of the order as they were out of the residuals: it is the slope of one line through all
    cells, each with a level of its own.
    """
    apart = _without_means(order, cells)
    freedom = left.size - np.unique(cells).size - 1
    if left.size < RUNS_FOR_DRIFT or freedom < 1 or float(np.ptp(left)) == 0.0 or float(np.ptp(apart)) == 0.0:
        return Drift(1.0, 1.0, 0.0, found=False, tested=False)
    slope = float(apart @ left / (apart @ apart))
    change = float(np.exp(slope * float(np.ptp(order))))
    error = float(np.sqrt(((left - slope * apart) ** 2).sum() / freedom / (apart @ apart)))
    p = 2 * student_beyond(abs(slope) / error, freedom) if error > 0 else 0.0
    ordered = left[np.argsort(order)]
    lag1 = float((ordered[1:] * ordered[:-1]).sum() / (ordered**2).sum())
    return Drift(change, p, lag1, found=bool(p < 0.01 and abs(np.log(change)) > 0.01))


def outliers(left: Array, cells: Array) -> npt.NDArray[np.bool_]:
    """Return which runs are unlike their cell, shape (runs,).

    Scores use the median absolute deviation of the whole study's residuals, since five runs of one cell are too few to
    know its spread; or the cell's own where that is larger: a cell that scatters has no outliers, it scatters. Cells
    with fewer than three runs have none.
    """
    odd = np.zeros(left.size, dtype=bool)
    common = _deviation(left) if left.size else 0.0
    for cell in np.unique(cells):
        member = np.flatnonzero(cells == cell)
        spread = max(common, _deviation(left[member]))
        if member.size >= 3 and spread > 0:
            score = 0.6745 * np.abs(left[member] - np.median(left[member])) / spread
            odd[member] = score > OUTLIER
    return odd


def _deviation(values: Array) -> float:
    return float(np.median(np.abs(values - np.median(values))))
