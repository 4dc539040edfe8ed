"""Means by block, so that levels of a factor are compared over the same combinations of all other levels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from knee.stats.distributions import Array

Codes = npt.NDArray[np.int64]
Places = npt.NDArray[np.bool_]


def block_means(values: Array, levels: Codes, rest: Codes, blocks: Codes) -> Array:
    """Return means, shape (levels, blocks, combinations of all other levels); NaN without a run.

    Parameters
    ----------
    values
        A response or its logarithms, shape (runs,).
    levels, rest, blocks
        For each run its level of the factor and its combination of all other levels, both numbered from 0, and its
        block, shape (runs,).
    """
    _, block = np.unique(blocks, return_inverse=True)
    shape = (int(levels.max()) + 1, int(block.max()) + 1, int(rest.max()) + 1)
    place = np.ravel_multi_index((levels, block, rest), shape)
    many = np.bincount(place, minlength=int(np.prod(shape)))
    sums = np.bincount(place, values, many.size)
    return np.where(many > 0, sums / np.maximum(many, 1), np.nan).reshape(shape)


def over_combinations(table: Array) -> Array:
    """Return the mean of each block over the same combinations, shape (blocks,).

    Parameters
    ----------
    table
        Differences of two levels, shape (blocks, combinations), NaN where a run is missing. Incomplete blocks or
        combinations are left out, whichever keeps more values.
    """
    rows, columns = _whole(np.isfinite(table))
    return table[np.ix_(rows, columns)].mean(axis=1) if columns.any() else np.empty(0)


def _whole(known: Places) -> tuple[Places, Places]:
    """Return the blocks and the combinations to use, such that every block has every combination.

    Candidates are the combinations that every block has (ignoring empty blocks), and those of each single block.
    """
    ways: list[Places] = [np.ones(known.shape[1], dtype=np.bool_)]
    if not known.all():
        some = known[np.flatnonzero(np.count_nonzero(known, axis=1))]
        ways = [np.count_nonzero(some, axis=0) == len(some), *np.unique(some, axis=0)]
    kept = [(np.count_nonzero(known[:, way], axis=1) == np.count_nonzero(way), way) for way in ways]
    return max(kept, key=lambda one: np.count_nonzero(one[0]) * np.count_nonzero(one[1]))
