"""A factorial design as a linear model: the levels of each run, coded as numbers.

Levels are coded so that the effects of a factor, and of an interaction along each of its factors, sum to zero. Then the
intercept is the mean over cells, every effect is a deviation from it, and averaging over a factor's levels means
leaving out that factor's terms.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 18 and 20 to 23.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from knee.stats.intervals import Array
from knee.stats.linear.projection import Codes, NotEstimableError, Projection, dense, summed

Term = tuple[str, ...]
"""The names of the factors of an effect: one for a main effect, more for an interaction, none for the mean."""

MEAN: Term = ()

LARGE = 200_000
"""Largest number of elements of a model matrix that is built."""

__all__ = ["LARGE", "MEAN", "Codes", "Design", "Factor", "NotEstimableError", "Term"]


MOST_DIGITS = 15
"""Digits of a level that is a number; longer ones are texts."""


def numeric(levels: Iterable[str]) -> bool:
    """Whether all levels are numbers, so that they have an order, and something lies between them."""
    return all(level.isdecimal() and len(level) <= MOST_DIGITS for level in levels)


@dataclass(frozen=True)
class Factor:
    """A factor and its level in each run. ``codes`` are indices into ``levels``, shape (runs,)."""

    name: str
    levels: tuple[str, ...]
    codes: Codes

    @classmethod
    def of(cls, name: str, values: Sequence[str], levels: Sequence[str] | None = None) -> Factor:
        """Return the factor with these values, one per run; levels are in order of first appearance unless given."""
        known = tuple(dict.fromkeys(values)) if levels is None else tuple(levels)
        number = {level: code for code, level in enumerate(known)}
        return cls(name, known, np.array([number[value] for value in values], dtype=np.int64))

    @property
    def coding(self) -> Array:
        """The coding of each level as a row, shape (levels, levels - 1); the last is minus the sum of the others."""
        free = len(self.levels) - 1
        return np.vstack([np.eye(free), -np.ones((1, free))])


@dataclass(frozen=True)
class Design:
    """Factors with their levels in each run, and the terms of the model.

    ``order`` is the largest number of factors in an interaction, None for no limit; ``block`` is an additive term
    without interactions.
    """

    factors: tuple[Factor, ...]
    block: Factor | None = None
    order: int | None = None

    @cached_property
    def named(self) -> dict[str, Factor]:
        """All factors by name, the block among them."""
        return {one.name: one for one in (*self.factors, *([self.block] if self.block else []))}

    @property
    def runs(self) -> int:
        """Number of runs."""
        return int(self.factors[0].codes.size)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The block, main effects, then interactions of two, of three, and so on, without the mean."""
        names = [one.name for one in self.factors]
        most = len(names) if self.order is None else min(self.order, len(names))
        kept = [term for size in range(1, most + 1) for term in itertools.combinations(names, size)]
        return (*([(self.block.name,)] if self.block else []), *kept)

    @cached_property
    def columns(self) -> dict[Term, slice]:
        """The coefficients of each term but the block, whose own come last; those of the mean come first."""
        places, start = {MEAN: slice(0, 1)}, 1
        for term in self.terms:
            if not self._blocked(term):
                places[term] = slice(start, start + self.freedom(term))
                start += self.freedom(term)
        return places

    @property
    def width(self) -> int:
        """Number of coefficients of the mean and the factors, without those of the block."""
        return next(reversed(self.columns.values())).stop

    def freedom(self, term: Term) -> int:
        """Return a term's degrees of freedom."""
        return int(np.prod([len(self.named[name].levels) - 1 for name in term], dtype=np.int64))

    def matrix(self, terms: Sequence[Term]) -> Array:
        """Return the model matrix of the mean and some terms, the block last, shape (runs, coefficients)."""
        return np.hstack([self._part(term, self.named) for term in (MEAN, *sorted(terms, key=self._blocked))])

    def _part(self, term: Term, factors: Mapping[str, Factor]) -> Array:
        made = np.ones((factors[self.factors[0].name].codes.size, 1))
        for name in term:
            coded = factors[name].coding[factors[name].codes]
            made = (made[:, :, None] * coded[:, None, :]).reshape(len(made), -1)
        return made

    def combinations(self, term: Term) -> list[tuple[str, ...]]:
        """Return every combination of a term's levels, the last factor changing fastest."""
        return list(itertools.product(*(self.named[name].levels for name in term)))

    def effects(self, term: Term, coefficients: Array) -> Array:
        """Return the effects of a term, which may be the block, shape (combinations,)."""
        if not self._blocked(term):
            return self.effect_rows(term) @ coefficients[: self.width]
        free = coefficients[self.width :]
        return np.append(free, -free.sum())

    def effect_rows(self, term: Term) -> Array:
        """Return the matrix that turns coefficients into a term's effects, shape (combinations, ``width``).

        The term is not the block: a matrix of all blocks would grow with the square of their number.
        """
        made = np.ones((1, 1))
        for name in term:
            made = np.kron(made, self.named[name].coding)
        rows = np.zeros((made.shape[0], self.width))
        rows[:, self.columns[term]] = made
        return rows

    def mean_row(self, levels: Mapping[str, str]) -> Array:
        """Return the row that turns coefficients into the mean response at some levels, shape (``width``,).

        Other factors are averaged over with equal weights for all levels, whatever their numbers of runs.
        """
        row = np.zeros(self.width)
        for term, place in self.columns.items():
            if set(term) <= set(levels):
                coded = np.ones(1)
                for name in term:
                    factor = self.named[name]
                    coded = (coded[:, None] * factor.coding[factor.levels.index(levels[name])]).ravel()
                row[place] = coded
        return row

    @cached_property
    def solution(self) -> Projection:
        """The solved model. Raises :class:`NotEstimableError` if runs that it needs are missing."""
        return self.solved(self.terms)

    def solved(self, terms: Sequence[Term]) -> Projection:
        """Return the solved model of the mean and some terms, without building the matrix if it would be large."""
        if self.runs * (1 + sum(map(self.freedom, terms))) <= LARGE:
            return dense(self.matrix(terms))
        _, first, cell = np.unique(self.cells, return_index=True, return_inverse=True)
        once = {one.name: Factor(one.name, one.levels, one.codes[first]) for one in self.factors}
        parts = [self._part(term, once) for term in terms if not self._blocked(term)]
        block = self.block.codes if self.block and any(map(self._blocked, terms)) else None
        return summed(np.hstack([np.empty((first.size, 0)), *parts]), cell, block)

    def _blocked(self, term: Term) -> bool:
        return self.block is not None and term == (self.block.name,)

    @cached_property
    def cells(self) -> Codes:
        """The number of each run's cell, shape (runs,), without its block."""
        return _numbers(self.factors)

    @cached_property
    def missing(self) -> list[dict[str, str]]:
        """Cells without a run, each as a mapping of factors to levels."""
        names = tuple(one.name for one in self.factors)
        present = set(self.cells.tolist())
        all_cells = enumerate(self.combinations(names))
        return [dict(zip(names, levels, strict=True)) for number, levels in all_cells if number not in present]

    @cached_property
    def balanced(self) -> bool:
        """Whether every cell has the same number of runs in every block."""
        parts = tuple(self.named.values())
        everything = int(np.prod([len(one.levels) for one in parts], dtype=np.int64))
        counts = np.bincount(_numbers(parts), minlength=everything)
        return bool(counts.min() == counts.max())

    def with_order(self, order: int) -> Design:
        """Return the same runs with a model of interactions up to another order."""
        return Design(self.factors, self.block, order)


def _numbers(factors: Sequence[Factor]) -> Codes:
    number = np.zeros(factors[0].codes.size, dtype=np.int64)
    for factor in factors:
        number = number * len(factor.levels) + factor.codes
    return number
