"""Solves a linear model: fitted values, coefficients and their covariance for any response.

A small model is solved by an orthogonal matrix of the full size. For a large one that matrix is never built: runs of a
cell differ only in their block, so sums over cells, sums over blocks, and the number of runs of each cell in each block
are sufficient. The blocks are eliminated first, which leaves equations in the factors alone.

Both give the same results. The second squares the condition number, which is small for levels coded as here, and adds
one step of iterative refinement.

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
"""Equations whose smallest eigenvalue is below this share of the largest cannot be solved."""


class NotEstimableError(ValueError):
    """The effects of the model cannot be estimated: cells are missing, or there are fewer runs than effects."""


class Projection(Protocol):
    """A solved model, for any response of its runs. Coefficients are those of the mean, the factors and the block.

    ``spread`` is the inverse of X'X, at least its part for the mean and the factors.
    """

    @property
    def spread(self) -> Array:
        """Covariance of the coefficients, in units of the error's variance."""
        ...

    def explained(self, response: Array) -> Array:
        """Return the fitted values, shape (runs,)."""
        ...

    def coefficients(self, response: Array) -> Array:
        """Return the coefficients, shape (coefficients,)."""
        ...


@dataclass(frozen=True)
class Dense:
    """A model solved by QR: ``q`` is orthogonal, shape (runs, coefficients), and ``inverse`` is the inverse of R."""

    q: Array
    inverse: Array
    spread: Array

    def explained(self, response: Array) -> Array:
        """Return the fitted values, shape (runs,)."""
        return self.q @ (self.q.T @ response)

    def coefficients(self, response: Array) -> Array:
        """Return the coefficients, shape (coefficients,)."""
        return self.inverse @ (self.q.T @ response)


def dense(matrix: Array) -> Dense:
    """Solve a model by its matrix, shape (runs, coefficients).

    Raises
    ------
    NotEstimableError
        When runs that the model needs are missing.
    """
    runs, effects = matrix.shape
    if runs < effects or int(np.linalg.matrix_rank(matrix)) < effects:
        raise NotEstimableError(f"{runs} runs are not enough to estimate {effects} effects")
    q, r = np.linalg.qr(matrix)
    from scipy import linalg  # imported late: only fitting needs it

    inverse = linalg.solve_triangular(r, np.eye(effects))
    return Dense(q, inverse, inverse @ inverse.T)


@dataclass(frozen=True)
class Summed:
    """A model solved by sums over cells and blocks.

    ``rows`` are the factors' part of the model for each cell, shape (cells, factor coefficients), ``cell`` and
    ``block`` number every run's, shape (runs,), ``counts`` the runs of each cell in each block, shape (cells, blocks),
    ``solved`` the inverse of the equations after eliminating blocks.
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
        """Return the coefficients, shape (coefficients,)."""
        factors, blocks = self._solve(response)
        return np.concatenate([[blocks.mean()], factors, blocks[:-1] - blocks.mean()])

    def _solve(self, response: Array) -> tuple[Array, Array]:
        factors, blocks = self._once(response)
        left = response - (self.rows @ factors)[self.cell] - blocks[self.block]
        more, others = self._once(left)
        return factors + more, blocks + others

    def _once(self, response: Array) -> tuple[Array, Array]:
        """Return the factors' coefficients, and the mean of every block with these set to 0."""
        cells, blocks = self.counts.shape
        of_cells = np.bincount(self.cell, response, cells)
        means = np.bincount(self.block, response, blocks) / self.counts.sum(axis=0)
        factors = self.solved @ (self.rows.T @ (of_cells - self.counts @ means))
        return factors, means - (self.counts / self.counts.sum(axis=0)).T @ (self.rows @ factors)


def summed(rows: Array, cell: Codes, block: Codes | None) -> Summed:
    """Solve a model by sums; without blocks, all runs form one block.

    Raises
    ------
    NotEstimableError
        When runs that the model needs are missing.
    """
    block = np.zeros_like(cell) if block is None else block
    cells, blocks = len(rows), int(block.max()) + 1
    counts = np.bincount(cell * blocks + block, minlength=cells * blocks).reshape(cells, blocks).astype(np.float64)
    per_block = counts.sum(axis=0)
    average = (counts / per_block).T @ rows
    left = rows.T @ (counts.sum(axis=1)[:, None] * rows) - average.T @ (per_block[:, None] * average)
    solved = _inverse(left, cell.size, blocks + rows.shape[1])
    # The covariance of the mean over blocks with itself and the factors. That of all blocks with each other would grow
    # with the square of their number.
    usual = average.mean(axis=0)
    across = -(usual @ solved)
    of_mean = (1 / per_block).sum() / blocks**2 - across @ usual
    return Summed(rows, cell, block, counts, solved, np.block([[of_mean, across], [across[:, None], solved]]))


def _inverse(left: Array, runs: int, effects: int) -> Array:
    if not left.size:
        return left
    values, vectors = np.linalg.eigh(left)
    if runs < effects or values[0] <= SINGULAR * values[-1]:
        raise NotEstimableError(f"{runs} runs are not enough to estimate {effects} effects")
    return (vectors / values) @ vectors.T
