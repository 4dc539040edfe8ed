"""Checks the assumptions of the intervals: no drift over the study, no outliers.

All runs of a block may be a little faster or slower than those of another block, for reasons that come and go: each
block has a level of its own. It cancels in ratios within a block, so it is no drift, and a run in a slow block is no
outlier. Both checks therefore remove the level of every block and of every cell.

Then a drift is tested for in two ways. Within blocks, where cells run in random order: whether later runs are slower
than earlier ones. Between blocks: whether their levels rise more than their variation would by chance, a test whose
power depends on the number of blocks, not of runs. Both are independent, so Fisher's method combines them.

Cochran, Cox, *Experimental designs*, 1957 (blocks as random). Fisher, *Statistical methods for research workers*, 1932
(combination of tests). Tukey, *Exploratory data analysis*, 1977 (median polish). Iglewicz, Hoaglin, *How to detect and
handle outliers*, 1993. Maronna, Martin, Yohai, *Robust statistics*, 2006, section 4.4 (the scale of fitted residuals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from knee.stats.distributions import Array, chi_square_beyond, student_beyond

OUTLIER = 3.5
"""Modified z-score beyond which a run is an outlier (Iglewicz and Hoaglin)."""

DOUBT = 0.01
"""A drift is found if its p is below this."""

RUNS_FOR_DRIFT = 8
"""With fewer good runs drift is not tested."""

RUNS_FOR_A_LEVEL = 3
"""With fewer runs in a block, its level cannot be distinguished from that of an outlier."""

ROUNDS = 50
SMALL = 1e-10
"""Levels are removed in turn until none is larger than this share of the largest value, in at most ``ROUNDS`` rounds.
"""

EXACT = 1e-12
"""Logarithms that differ by less than this are equal."""

Codes = npt.NDArray[np.int64]
Places = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Drift:
    """Trend of log times over the study, after removing the levels of cells and blocks.

    ``change`` is the ratio of the last run to the first; ``p`` combines the trends within and between blocks; ``lag1``
    is the autocorrelation of neighbours in running order. If not ``tested``, the numbers are meaningless.
    """

    change: float
    p: float
    lag1: float
    found: bool
    tested: bool = True


class _Slope(NamedTuple):
    """A slope of log time over running order, its standard error, and its degrees of freedom."""

    value: float
    error: float
    freedom: int


def drift(values: Array, order: Array, cells: Codes, blocks: Codes) -> Drift:
    """Test times for a trend over running order; it is found if p < 1 % and the change exceeds 1 %.

    Parameters
    ----------
    values, order
        Positive times, and the position of each in running order, shape (runs,).
    cells, blocks
        The number of each run's cell and block, from 0, shape (runs,).
    """
    if values.size < RUNS_FOR_DRIFT:
        return Drift(1.0, 1.0, 0.0, found=False, tested=False)
    left, levels = _without_means(np.log(values), cells, blocks)
    apart, places = _without_means(order, cells, blocks)
    inside = values.size - np.unique(cells).size - levels.size
    within = _slope(left, apart, inside)
    between = _slope(levels - levels.mean(), places - places.mean(), levels.size - 2)
    slopes = _not_contradicted(within, between)
    if not slopes or max(float(np.ptp(left)), float(np.ptp(levels))) <= EXACT:
        return Drift(1.0, 1.0, 0.0, found=False, tested=False)
    change = float(np.exp(_joined(slopes) * float(np.ptp(order))))
    p = _together(slopes)
    ordered = left[np.argsort(order)]
    size = float((ordered**2).sum())
    lag1 = float((ordered[1:] * ordered[:-1]).sum()) / size if size > 0 else 0.0
    return Drift(change, p, lag1, found=bool(p < DOUBT and abs(np.log(change)) > 0.01))


def _slope(left: Array, apart: Array, freedom: int) -> _Slope | None:
    """Return the slope of one centred array over another; None without degrees of freedom."""
    size = float(apart @ apart)
    if freedom < 1 or size <= SMALL:
        return None
    value = float(apart @ left) / size
    return _Slope(value, float(np.sqrt(((left - value * apart) ** 2).sum() / freedom / size)), freedom)


def _not_contradicted(within: _Slope | None, between: _Slope | None) -> list[_Slope]:
    """Return the slopes that there are, without that within blocks where the blocks' levels exclude it.

    A machine that slows down from run to run is slower in later blocks, too. What is slower in each block alone has
    another reason: the place of a run in its block.
    """
    known = [one for one in (within, between) if one is not None]
    if within is not None and between is not None:
        apart = abs(within.value) - np.sign(within.value) * between.value
        chance = student_beyond(float(apart / max(between.error, SMALL)), between.freedom)
        if chance < DOUBT:
            return [between]
    return known


def _joined(slopes: Sequence[_Slope]) -> float:
    """Return the mean of slopes, weighted by the inverse of their variances."""
    known = [max(one.error, SMALL) ** -2 for one in slopes]
    return sum(weight * one.value for weight, one in zip(known, slopes, strict=True)) / sum(known)


def _together(slopes: Sequence[_Slope]) -> float:
    """Return the combined p of independent slopes: twice the smaller of Fisher's p for a rise and for a fall."""
    chances: list[float] = []
    for sign in (1.0, -1.0):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = [np.nan_to_num(sign * np.float64(one.value) / one.error) for one in slopes]
            logs = np.log([student_beyond(float(value), one.freedom) for value, one in zip(t, slopes, strict=True)])
        chances.append(chi_square_beyond(float(-2 * logs.sum()), 2 * len(slopes)))
    return min(1.0, 2 * min(chances))


def _without_means(values: Array, cells: Codes, blocks: Codes) -> tuple[Array, Array]:
    """Return the residuals after additive levels of cells and blocks, shape (runs,), and the levels of the blocks."""
    of_cell, of_block = (np.unique(codes, return_inverse=True)[1] for codes in (cells, blocks))
    left, levels = values - values.mean(), np.zeros(int(of_block.max()) + 1)
    enough = SMALL * max(float(np.abs(left).max()), SMALL)
    for _ in range(ROUNDS):
        left = left - _means(left, of_cell)[of_cell]
        # If no run is missing, the means of cells stay 0 here, and one round is enough.
        step = _means(left, of_block)
        left, levels = left - step[of_block], levels + step
        if float(np.abs(step).max()) <= enough:
            break
    return left, levels


def _means(values: Array, codes: Codes) -> Array:
    return np.bincount(codes, values) / np.bincount(codes)


def outliers(values: Array, cells: Codes, blocks: Codes) -> Places:
    """Return which runs are outliers, shape (runs,).

    The levels of cells and blocks are medians, so that outliers do not move them. Scores use the median deviation of
    the whole study, since the five runs of a cell are too few to estimate its spread, or the cell's own if that is
    larger: a cell with large scatter has no outliers. Cells with fewer than three runs have none.

    Parameters
    ----------
    values
        Positive times, shape (runs,).
    cells, blocks
        The number of each run's cell and block, from 0, shape (runs,).
    """
    odd = np.zeros(values.size, dtype=bool)
    if not values.size:
        return odd
    of_cell, of_block = (np.unique(codes, return_inverse=True)[1] for codes in (cells, blocks))
    tall = np.bincount(of_block) >= RUNS_FOR_A_LEVEL
    left = _without_medians(np.log(values), of_cell, of_block, tall)
    far, levels = np.abs(left), int(of_cell.max() + 1 + max(0, np.count_nonzero(tall) - 1))
    # Fitting makes as many residuals 0 as there are levels, so these are skipped.
    common = float(np.median(np.sort(far)[min(levels, far.size - 1) :]))
    spread = np.maximum(common, _medians(np.abs(left - _medians(left, of_cell)[of_cell]), of_cell))[of_cell]
    # The level of a block with too few runs was not removed, so its runs are not judged.
    fair = tall[of_block] | (not tall.any())
    counted = (np.bincount(of_cell)[of_cell] >= 3) & (spread > 0) & fair
    odd[counted] = 0.6745 * far[counted] / spread[counted] > OUTLIER
    return odd


def _without_medians(logs: Array, of_cell: Codes, of_block: Codes, tall: Places) -> Array:
    """Return the residuals of Tukey's median polish, which removes levels only from blocks with enough runs."""
    left = logs - np.median(logs)
    for _ in range(ROUNDS):
        before = left
        left = left - (_medians(left, of_block) * tall)[of_block]
        left = left - _medians(left, of_cell)[of_cell]
        if float(np.abs(left - before).max()) <= SMALL:
            break
    return left


def _medians(values: Array, codes: Codes) -> Array:
    """Return the median of the values of each code, shape (codes,)."""
    ordered = values[np.lexsort((values, codes))]
    many = np.bincount(codes)
    first = np.cumsum(many) - many
    return (ordered[first + (many - 1) // 2] + ordered[first + many // 2]) / 2
