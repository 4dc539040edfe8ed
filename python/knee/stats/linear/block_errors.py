"""Errors of a design in blocks: each effect is tested against its own variation between blocks.

The state of a machine may favour one level over another for a while: one placement suffers when neighbours are busy,
the other does not. Such an effect differs between blocks. The error of the plain model pools all interactions of blocks
with effects and assumes equal effects in all blocks; if that is wrong, it reports differences that do not exist. The
interaction of an effect with the blocks is its proper error: for two levels F is then the square of Student's t on the
differences within blocks, on which ratios of levels are based as well.

This variation may be larger at some levels than at others, so the degrees of freedom of F are corrected by Huynh and
Feldt's estimate. Intervals of single effects assume that all levels of a factor vary equally.

Scheffé, *The analysis of variance*, 1959, chapter 8 (mixed models). Huynh, Feldt, *Estimation of the Box correction for
degrees of freedom from sample data in randomized block and split-plot designs*, J. Educational Statistics 1, 1976.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knee.stats.intervals import Array
from knee.stats.linear.design import Design, Term
from knee.stats.linear.least_squares import EXACT, Error, Fit

FEWEST = 2
"""Minimum number of blocks with a run of every cell for effects to have their own errors."""


def by_blocks(fitted: Fit) -> Fit:
    """Return the fit with an error for each effect: the mean square of its interaction with the blocks.

    Blocks with missing runs are left out of these errors. If fewer than two blocks are complete, or the model has no
    blocks, the fit keeps its pooled error.
    """
    design = fitted.design
    table = _whole_blocks(fitted)
    if design.block is None or table is None or fitted.sse == 0:
        return fitted
    found = {term: _error(design, term, table) for term in design.terms if term != (design.block.name,)}
    # An effect that is identical in all blocks (such as a count) has no error of its own and keeps the pooled one.
    none = (EXACT * float(np.abs(fitted.response).max())) ** 2
    return replace(fitted, errors={term: error for term, error in found.items() if error.mean_square > none})


def _whole_blocks(fitted: Fit) -> Array | None:
    """Return the sum of the runs of each cell over the square root of their number, block by block.

    Shape (blocks, levels of the first factor, of the second, ...); None if fewer than two blocks have the usual number
    of runs of every cell.
    """
    design = fitted.design
    if design.block is None:
        return None
    shape = [len(one.levels) for one in design.factors]
    cells, blocks = int(np.prod(shape)), len(design.block.levels)
    place = design.block.codes * cells + design.cells
    many = np.bincount(place, minlength=blocks * cells).reshape(blocks, cells)
    usual = int(np.median(many))
    whole = (many == usual).all(axis=1)
    if usual == 0 or np.count_nonzero(whole) < FEWEST:
        return None
    sums = np.bincount(place, fitted.response, blocks * cells).reshape(blocks, cells)[whole]
    return (sums / np.sqrt(usual)).reshape(-1, *shape)


def _error(design: Design, term: Term, table: Array) -> Error:
    names = [one.name for one in design.factors]
    axes = [1 + names.index(name) for name in term]
    others = tuple(axis for axis in range(1, table.ndim) if axis not in axes)
    alike = int(np.prod([table.shape[axis] for axis in others], dtype=np.int64))
    effects = table.mean(axis=others, keepdims=True) if others else table
    for axis in (0, *axes):
        effects = effects - effects.mean(axis=axis, keepdims=True)
    own, blocks = design.freedom(term), len(table)
    block = "" if design.block is None else design.block.name
    mean_square = float((effects**2).sum()) * alike / own / (blocks - 1)
    counts = _sphericity(effects.reshape(blocks, -1), own)
    return Error(f"{block} x {' x '.join(term)}", mean_square, own * (blocks - 1), counts)


def _sphericity(effects: Array, freedom: int) -> float:
    """Return Huynh and Feldt's factor for the degrees of freedom, from centred effects of shape (blocks, levels)."""
    # Both products have the same trace and the same sum of squares, and a study may have many blocks or many levels.
    products = effects.T @ effects if len(effects) > effects.shape[1] else effects @ effects.T
    squares = freedom * float((products**2).sum())
    if squares == 0:
        return 1.0
    box, left = float(np.trace(products)) ** 2 / squares, len(effects) - 1
    if freedom * box >= left:
        return 1.0
    return min(1.0, max(box, ((left + 1) * freedom * box - 2) / (freedom * (left - freedom * box))))
