"""Bounded least squares of many small curves at once, by the Levenberg-Marquardt method on whole arrays.

A bootstrap fits one law to a thousand resampled curves, which one by one would take seconds. The level of each curve is
not a parameter: it is subtracted from data and law, so that the error of T1, which all points of a curve share, does
not affect the parameters.

Marquardt, *An algorithm for least-squares estimation of nonlinear parameters*, SIAM J. Appl. Math. 11, 1963.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from knee.stats.intervals import Array

Model = Callable[[Array, Array], Array]
"""Maps parameters of shape (curves, parameters) and x of shape (points,) to values of shape (curves, points)."""

STEPS = 60
SMALL = 1e-10
"""The search ends when a step is smaller than this, relative to the parameter."""


def fit(model: Model, x: Array, y: Array, starts: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Return the best parameters of every curve over all starts, and the residual sum of squares.

    Parameters
    ----------
    model
        The law, before the level of a curve is subtracted.
    x, y
        Shapes (points,) and (curves, points).
    starts, low, high
        Shapes (starts, parameters), (parameters,), (parameters,).

    Returns
    -------
    parameters, squares
        Shapes (curves, parameters) and (curves,).
    """
    tried = [_from(model, x, y, np.tile(start, (len(y), 1)), low, high) for start in starts]
    squares = np.array([left for _, left in tried])
    best = squares.argmin(axis=0)
    parameters = np.array([ended for ended, _ in tried])
    curves = np.arange(len(y))
    return parameters[best, curves], squares[best, curves]


def _from(model: Model, x: Array, y: Array, start: Array, low: Array, high: Array) -> tuple[Array, Array]:
    ends, squares = start.copy(), np.empty(len(y))
    # Most curves converge after a few steps, so only those that still move are continued.
    moving = np.arange(len(y))
    at, damping = start, np.full((len(y), 1, 1), 1e-3)
    left = _centred(y - model(at, x))
    for _ in range(STEPS):
        slopes = _slopes(model, x, at, high)
        step = _step(slopes, left, damping, at, (low, high))
        after = np.clip(at + step, low, high)
        tried = _centred(y[moving] - model(after, x))
        better = (tried**2).sum(axis=1) < (left**2).sum(axis=1)
        moved = np.abs(after - at).max(axis=1) > SMALL * (1 + np.abs(at).max(axis=1))
        at, left = np.where(better[:, None], after, at), np.where(better[:, None], tried, left)
        damping = np.clip(np.where(better[:, None, None], damping / 10, damping * 10), 1e-12, 1e12)
        ends[moving], squares[moving] = at, (left**2).sum(axis=1)
        on = moved & (damping[:, 0, 0] < 1e12)
        moving, at, left, damping = moving[on], at[on], left[on], damping[on]
        if not moving.size:
            break
    return ends, squares


def _centred(values: Array) -> Array:
    return values - values.mean(axis=1, keepdims=True)


def _slopes(model: Model, x: Array, at: Array, high: Array) -> Array:
    """Return the derivatives of the law, shape (curves, points, parameters), by finite differences within bounds."""
    here = model(at, x)
    columns: list[Array] = []
    for number in range(at.shape[1]):
        size = 1e-7 * np.maximum(np.abs(at[:, number]), 1e-4)
        size = np.where(at[:, number] + size > high[number], -size, size)
        beside = at.copy()
        beside[:, number] += size
        columns.append(_centred((model(beside, x) - here) / size[:, None]))
    return np.stack(columns, axis=2)


def _step(slopes: Array, left: Array, damping: Array, at: Array, bounds: tuple[Array, Array]) -> Array:
    """Solve the damped normal equations; a parameter held by a bound stays fixed."""
    downhill: Array = np.einsum("rcp,rc->rp", slopes, left)
    held = ((at <= bounds[0]) & (downhill < 0)) | ((at >= bounds[1]) & (downhill > 0))
    square: Array = np.einsum("rcp,rcq->rpq", slopes, slopes)
    square = np.where(held[:, :, None] | held[:, None, :], 0.0, square)
    scale = np.maximum(square.diagonal(axis1=1, axis2=2), 1e-30)
    square = square + np.eye(at.shape[1]) * ((damping + 1e-15) * scale[:, :, None] + held[:, :, None])
    return (np.linalg.inv(square) * np.where(held, 0.0, downhill)[:, None, :]).sum(axis=2)
