"""The speed of the machine while a setting was tried, and what its runs would have taken at the mean speed.

A setting is tried in a few blocks, often one after the other. On a host with other guests the machine may be faster
then than in the rest of the study: two cpus share a core for some seconds, or another guest is busy. Those few runs are
compared with the program's own of all blocks, and a setting that changes nothing would seem to take away a third of the
loss. So the program's own runs tell how fast the machine was in each block, by the local level model: a level that goes
on like a random walk, and single runs that vary around it. How much it walks is estimated by restricted maximum
likelihood, and a test of the likelihood ratio decides whether it does at all; on a calm machine it does not, and times
stay as they are.

Runs that change more than a setting are not adjusted: copies share no data, and need not be slower when the threads of
one program are.

Harvey, *Forecasting, structural time series models and the Kalman filter*, 1989, chapters 2 and 4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.stats.intervals import Array

FEWEST = 6
"""Own runs from which on a level is estimated."""

WALKS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Variances of the walk from block to block that are tried, over that of single runs."""

SURELY = 2.71
"""Twice the logarithm of the likelihood ratio from which on the level walks: 5 %, since its variance is not below 0."""


def at_mean_speed(asked: Cell, level: Array) -> Cell:
    """Return runs with a changed setting with the times that they would have had at the machine's mean speed.

    Parameters
    ----------
    asked
        Runs with the changed setting.
    level
        What :func:`machine_level` says of the program's own runs with which they are compared.
    """
    blocks = [run.spec["block"] - 1 for run in asked.runs]
    return replace(asked, slower=float(np.exp(level[blocks].mean()))) if blocks else asked


def machine_level(seconds: Array) -> Array:
    """Return the logarithm of how slow the machine was in each block, around its mean; 0 if that does not change.

    Parameters
    ----------
    seconds
        Times of the program's own runs, shape (blocks,); NaN where there is no good run.
    """
    logs = np.log(seconds)
    known, times = np.isfinite(logs), np.arange(1.0, logs.size + 1)
    still = np.zeros(logs.size)
    if known.sum() < FEWEST or not logs[known].std() > 0:
        return still
    fits = [_fit(logs[known], times[known], walk) for walk in (0.0, *WALKS)]
    best, (likelihood, mean, weighted) = max(enumerate(fits), key=lambda fit: fit[1][0])
    if not 2 * (likelihood - fits[0][0]) > SURELY:
        return still
    level = mean + WALKS[best - 1] * _walked(times, times[known], weighted)
    return level - level[known].mean()


def _fit(logs: Array, times: Array, walk: float) -> tuple[float, float, Array]:
    """Return the restricted log likelihood, the mean, and the inverse covariance times the distances from the mean.

    The covariance is that of single runs, 1, plus ``walk`` times that of a walk, the smaller of two times. A matrix of
    all blocks would grow with the square of their number, so it is not made: the inverse of a walk's covariance has
    only three diagonals.
    """
    from scipy import linalg  # imported late: only fitting needs it

    steps = np.diff(times, prepend=0.0)
    diagonals = np.zeros((2, logs.size))
    diagonals[1] = 1 / steps + walk
    diagonals[1, :-1] += 1 / steps[1:]
    diagonals[0, 1:] = -1 / steps[1:]
    factor = linalg.cholesky_banded(diagonals)

    def solved(right: Array) -> Array:
        return right - walk * linalg.cho_solve_banded((factor, False), right)

    ones = solved(np.ones(logs.size))
    whole = float(ones.sum())
    mean = float(ones @ logs) / whole
    weighted = solved(logs - mean)
    freedom = logs.size - 1
    variance = float((logs - mean) @ weighted) / freedom
    determinant = float(np.log(steps).sum() + 2 * np.log(factor[1]).sum())
    likelihood = -(freedom * np.log(variance) + determinant + np.log(whole)) / 2
    return float(likelihood), mean, weighted


def _walked(times: Array, known: Array, weighted: Array) -> Array:
    """Return for each time the sum of weights times the smaller of it and the weight's time, in the order of times."""
    before = np.searchsorted(known, times, side="right")
    until = np.concatenate([[0.0], np.cumsum(known * weighted)])
    after = weighted.sum() - np.concatenate([[0.0], np.cumsum(weighted)])
    return until[before] + times * after[before]
