"""Effects: the deviation of each level, and of each combination of levels, from the rest of the model.

In a sign table of two levels each, q is half the change from the low level to the high one.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 17, 18, 20 to 23.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Array
from knee.stats.linear.design import MEAN, Term
from knee.stats.linear.least_squares import Estimate, Fit


@dataclass(frozen=True)
class Effect:
    """The effect of a combination of levels, in units of the response; the empty combination is the mean."""

    term: Term
    levels: tuple[str, ...]
    estimate: Estimate


def effects(fitted: Fit) -> list[Effect]:
    """Return the mean, then the effect of every level and of every combination of levels in the model.

    Effects of a factor sum to zero, as do those of an interaction along each of its factors; blocks are left out.
    """
    design = fitted.design
    block = () if design.block is None else (design.block.name,)
    made: list[Effect] = []
    for term in (MEAN, *(term for term in design.terms if term != block)):
        estimates = fitted.estimates(design.effect_rows(term))
        made += [Effect(term, levels, one) for levels, one in zip(design.combinations(term), estimates, strict=True)]
    return made


@dataclass(frozen=True)
class SignTable:
    """Effects of a 2^k r design, all arrays of shape (2^k,) in the order of ``names``: ``q0``, ``qA``, ``qB``, ``qAB``.

    ``squares`` are the sums of squares of the effects, starting with the mean; ``sse`` is that of the error.
    """

    names: tuple[str, ...]
    q: Array
    squares: Array
    sse: float
    freedom: int
    runs: int


def sign_table(response: Array, signs: Array, names: Sequence[str]) -> SignTable:
    """Return the effects of factors of two levels.

    Parameters
    ----------
    response
        Shape (runs,).
    signs
        -1 for the low level and +1 for the high one, shape (runs, factors); every combination equally often.
    names
        One per factor.

    Raises
    ------
    ValueError
        When combinations have different numbers of runs.

    Examples
    --------
    >>> import numpy as np
    >>> signs = np.array([[-1.0, -1], [1, -1], [-1, 1], [1, 1]])
    >>> table = sign_table(np.array([15.0, 45, 25, 75]), signs, "AB")
    >>> dict(zip(table.names, table.q.tolist()))
    {'q0': 40.0, 'qA': 20.0, 'qB': 10.0, 'qAB': 5.0}
    """
    numbers = range(signs.shape[1])
    terms = [term for size in range(len(names) + 1) for term in itertools.combinations(numbers, size)]
    table = np.column_stack([signs[:, list(term)].prod(axis=1) for term in terms])
    if not np.allclose(table.T @ table, response.size * np.eye(len(terms))):
        raise ValueError("a sign table needs the same number of runs for every combination of levels")
    q = table.T @ response / response.size
    sse = float(((response - table @ q) ** 2).sum())
    labels = tuple("q" + ("".join(names[number] for number in term) or "0") for term in terms)
    return SignTable(labels, q, response.size * q**2, sse, response.size - len(terms), int(response.size))
