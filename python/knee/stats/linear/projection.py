"""What a linear model explains of a response: the way from values to fitted values and coefficients, and their errors.

A small model is solved by an orthogonal matrix of its own size. A large one never becomes a matrix of its size: runs of
a cell have the same row but for their block, so sums over cells, over blocks, and how many runs each cell has in each
block say all of it. The blocks are taken out first, which leaves equations in the factors alone.

Both give the same answers; the second squares the condition of the equations, which for levels coded as here is small,
and takes one step of refinement.

Searle, *Linear Models*, 1971, section 7.1 (absorbing a factor).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from knee.stats.intervals import Array

Codes = npt.NDArray[np.int64]

SINGULAR = 1e-10
"""Equations whose least eigenvalue is smaller than this part of the largest cannot be solved."""


class NotEstimableError(ValueError):
    """The runs cannot tell all effects of the model apart: cells are missing, or there are fewer runs than effects."""


class Projection(Protocol):
    """A model that has been solved for any response of its runs. Coefficients are of the mean, the block, the factors.

    ``spread`` is the inverse of X'X, shape (coefficients, coefficients).
    """

    @property
    def spread(self) -> Array:
        """How coefficients vary together, in units of the error's variance."""
        ...

    def explained(self, response: Array) -> Array:
        """Return the fitted values, shape (runs,)."""
        ...

    def coefficients(self, response: Array) -> Array:
        """Return what makes them, shape (coefficients,)."""
        ...


@dataclass(frozen=True)
class Dense:
    """A model as an orthogonal matrix ``q``, shape (runs, coefficients), and what leads back from it."""

    q: Array
    inverse: Array
    spread: Array

    def explained(self, response: Array) -> Array:
        """Return the fitted values, shape (runs,)."""
        return self.q @ (self.q.T @ response)

    def coefficients(self, response: Array) -> Array:
        """Return what makes them, shape (coefficients,)."""
        return self.inverse @ (self.q.T @ response)


def dense(matrix: Array) -> Dense:
    """Solve a model by its matrix, shape (runs, coefficients).

    Raises
    ------
    NotEstimableError
        When runs are missing that the model needs.
    """
    runs, effects = matrix.shape
    if runs < effects or int(np.linalg.matrix_rank(matrix)) < effects:
        raise NotEstimableError(f"{runs} runs cannot tell {effects} effects apart")
    q, r = np.linalg.qr(matrix)
    from scipy import linalg  # only where something is fitted

    inverse = linalg.solve_triangular(r, np.eye(effects))
    return Dense(q, inverse, inverse @ inverse.T)


@dataclass(frozen=True)
class Summed:
    """A model solved by sums over cells and blocks.

    ``rows`` are the factors' part of the model for each cell, shape (cells, factor coefficients), ``cell`` and
    ``block`` number every run's, shape (runs,), ``counts`` the runs of each cell in each block, shape (cells, blocks),
    ``solved`` the inverse of what is left when blocks are taken out.
    """

    rows: Array
    cell: Codes
    block: Codes
    counts: Array
    solved: Array
    spread: Array

    def explained(self, response: Array) -> Array:
        """Return the fitted values, shape (runs,)."""
        factors, blocks = self._solve(response)
        return (self.rows @ factors)[self.cell] + blocks[self.block]

    def coefficients(self, response: Array) -> Array:
        """Return what makes them, shape (coefficients,)."""
        factors, blocks = self._solve(response)
        return np.concatenate([[blocks.mean()], blocks[:-1] - blocks.mean(), factors])

    def _solve(self, response: Array) -> tuple[Array, Array]:
        factors, blocks = self._once(response)
        left = response - (self.rows @ factors)[self.cell] - blocks[self.block]
        more, others = self._once(left)
        return factors + more, blocks + others

    def _once(self, response: Array) -> tuple[Array, Array]:
        """Return the factors' coefficients and the mean of every block where those are 0."""
        cells, blocks = self.counts.shape
        of_cells = np.bincount(self.cell, response, cells)
        means = np.bincount(self.block, response, blocks) / self.counts.sum(axis=0)
        factors = self.solved @ (self.rows.T @ (of_cells - self.counts @ means))
        return factors, means - (self.counts / self.counts.sum(axis=0)).T @ (self.rows @ factors)


def summed(rows: Array, cell: Codes, block: Codes | None) -> Summed:
    """Solve a model by sums; without blocks, the mean takes the place of the only one.

    Raises
    ------
    NotEstimableError
        When runs are missing that the model needs.
    """
    block = np.zeros_like(cell) if block is None else block
    cells, blocks = len(rows), int(block.max()) + 1
    counts = np.bincount(cell * blocks + block, minlength=cells * blocks).reshape(cells, blocks).astype(np.float64)
    per_block = counts.sum(axis=0)
    average = (counts / per_block).T @ rows
    left = rows.T @ (counts.sum(axis=1)[:, None] * rows) - average.T @ (per_block[:, None] * average)
    solved = _inverse(left, cell.size, blocks + rows.shape[1])
    # The blocks' own means, and how they move with the factors, in the coding of the model: a mean and distances.
    shared = average @ solved
    of_blocks = _distances(_distances(np.diag(1 / per_block) + shared @ average.T).T)
    across = _distances(-shared)
    return Summed(rows, cell, block, counts, solved, np.block([[of_blocks, across], [across.T, solved]]))


def _distances(values: Array) -> Array:
    """Return the mean of all rows, then how far each row but the last lies from it."""
    mean = values.mean(axis=0)
    return np.vstack([mean, values[:-1] - mean])


def _inverse(left: Array, runs: int, effects: int) -> Array:
    if not left.size:
        return left
    values, vectors = np.linalg.eigh(left)
    if runs < effects or values[0] <= SINGULAR * values[-1]:
        raise NotEstimableError(f"{runs} runs cannot tell {effects} effects apart")
    return (vectors / values) @ vectors.T
