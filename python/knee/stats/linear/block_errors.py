"""Errors of a design in blocks: each effect is judged by how much it differs from block to block.

A machine has moods that favour one level over another: one placement suffers when neighbours are busy, the other does
not. Such an effect is another one in each block. The error of the plain model pools everything that blocks and effects
do together; it takes effects for the same in all blocks, and where they are not it finds differences that are none. The
interaction of an effect with the blocks is its own error: for two levels F is then the square of Student's t on the
blocks' own differences, which is what ratios of levels rest on.

Moods may be larger at some levels than at others, or grow along the levels: of the degrees of freedom of F count as
many as Huynh and Feldt estimate. Intervals of single effects take the levels of a factor to scatter alike.

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
"""Blocks with a run of every cell from which on effects have errors of their own."""


def by_blocks(fitted: Fit) -> Fit:
    """Return the fit with each effect's own error: the mean square of its interaction with the blocks.

    Runs that are missing leave their blocks out of the errors. Where fewer than two blocks are whole, or there are no
    blocks in the model, the fit keeps its pooled error.
    """
    design = fitted.design
    table = _whole_blocks(fitted)
    if design.block is None or table is None or fitted.sse == 0:
        return fitted
    found = {term: _error(design, term, table) for term in design.terms if term != (design.block.name,)}
    # An effect that is the same in all blocks to the last digit (a count) keeps the pooled error: it has no other.
    none = (EXACT * float(np.abs(fitted.response).max())) ** 2
    return replace(fitted, errors={term: error for term, error in found.items() if error.mean_square > none})


def _whole_blocks(fitted: Fit) -> Array | None:
    """Return the sums of the runs of each cell over the root of their number, block by block.

    Of shape (blocks, levels of the first factor, of the second, ...); None where fewer than two blocks have as many
    runs of every cell as most blocks have.
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
    """Return the part of the degrees of freedom that count, by effects less their means, shape (blocks, levels)."""
    between = effects @ effects.T
    squares = freedom * float((between**2).sum())
    if squares == 0:
        return 1.0
    box, left = float(np.trace(between)) ** 2 / squares, len(effects) - 1
    if freedom * box >= left:
        return 1.0
    return min(1.0, max(box, ((left + 1) * freedom * box - 2) / (freedom * (left - freedom * box))))
