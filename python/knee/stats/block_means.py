"""Differences block by block: levels of a factor compared over the same combinations of all others in each block."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from knee.stats.distributions import Array

Codes = npt.NDArray[np.int64]
Places = npt.NDArray[np.bool_]


def block_means(values: Array, levels: Codes, rest: Codes, blocks: Codes) -> Array:
    """Return means, shape (levels, blocks, combinations of all other levels); NaN where there is no run.

    Parameters
    ----------
    values
        Of a response or its logarithms, shape (runs,).
    levels, rest, blocks
        Each run's level of the factor, the number of its combination of all other levels, both from 0 on, and its
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
        Differences of two levels, shape (blocks, combinations), NaN where a run is missing. Blocks or combinations are
        then left out, whichever keeps more.
    """
    rows, columns = _whole(np.isfinite(table))
    return table[np.ix_(rows, columns)].mean(axis=1) if columns.any() else np.empty(0)


def _whole(known: Places) -> tuple[Places, Places]:
    """Return which blocks and which combinations to take, so that each of these blocks has all of them.

    Tried are the combinations that every block has (but for blocks without any), and those of each block.
    """
    ways: list[Places] = [np.ones(known.shape[1], dtype=np.bool_)]
    if not known.all():
        some = known[np.flatnonzero(np.count_nonzero(known, axis=1))]
        ways = [np.count_nonzero(some, axis=0) == len(some), *np.unique(some, axis=0)]
    kept = [(np.count_nonzero(known[:, way], axis=1) == np.count_nonzero(way), way) for way in ways]
    return max(kept, key=lambda one: np.count_nonzero(one[0]) * np.count_nonzero(one[1]))
