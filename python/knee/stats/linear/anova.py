"""Analysis of variance: how much of the variation each term explains, and whether that is significant.

Balanced designs have a closed form: sums of squared effects, which add up to the total. Otherwise sums of squares are
of type II: what a term explains beyond every term that does not contain it, so that a main effect is not tested against
its own interactions; they need not add up. In balanced designs types I, II and III are equal.

F compares a term with its own error if the fit has one (:mod:`knee.stats.linear.block_errors`), otherwise with the
error of the model. Without replication the largest interaction can serve as the error: fit a design of one order less.

Jain, *The Art of Computer Systems Performance Analysis*, 1991, chapters 20 to 23.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knee.stats.distributions import fisher_beyond, fisher_value
from knee.stats.intervals import LEVEL
from knee.stats.linear.design import Term
from knee.stats.linear.least_squares import Error, Fit


@dataclass(frozen=True)
class Source:
    """One row: a term, or the error. ``share`` is of the total variation; ``needed`` is the table value F(.90).

    ``f``, ``p`` and ``needed`` are NaN for the error, and without degrees of freedom for it. ``against`` is the error
    that F is computed with.
    """

    name: str
    term: Term
    squares: float
    share: float
    freedom: int
    mean_square: float
    f: float
    p: float
    needed: float
    against: Error

    @property
    def significant(self) -> bool:
        """Whether F is above the table value; False if F is unknown."""
        return bool(self.f > self.needed)


@dataclass(frozen=True)
class Anova:
    """All rows, the error last, and the sums of squares that they are based on.

    ``ssy`` is the sum of the squared responses, ``ss0`` that of the mean, ``sst`` their difference. ``adds_up`` says
    whether the rows add up to ``sst``, as they do in balanced designs.
    """

    sources: tuple[Source, ...]
    ssy: float
    ss0: float
    sst: float
    deviation: float
    adds_up: bool

    def of(self, *term: str) -> Source:
        """Return the row of a term; without a name, the row of the error."""
        return next(one for one in self.sources if one.term == term)


def anova(fitted: Fit) -> Anova:
    """Return the table of a fitted model."""
    design, response = fitted.design, fitted.response
    squares = _closed_form(fitted) if design.balanced else _type_two(fitted)
    ssy, ss0 = float((response**2).sum()), float(response.size * response.mean() ** 2)
    sst = float(((response - response.mean()) ** 2).sum())
    rows = [
        _source(" x ".join(term), term, value, design.freedom(term), fitted, sst) for term, value in squares.items()
    ]
    rows.append(_source("error", (), fitted.sse, fitted.freedom, fitted, sst))
    return Anova(tuple(rows), ssy, ss0, sst, fitted.deviation, design.balanced)


def _closed_form(fitted: Fit) -> dict[Term, float]:
    """Return sums of squared effects, each weighted by its number of runs."""
    design = fitted.design
    squares: dict[Term, float] = {}
    for term in design.terms:
        values = design.effects(term, fitted.coefficients)
        squares[term] = float((values**2).sum() * design.runs / values.size)
    return squares


def _type_two(fitted: Fit) -> dict[Term, float]:
    design = fitted.design
    squares: dict[Term, float] = {}
    for term in design.terms:
        others = [other for other in design.terms if not set(term) <= set(other)]
        without, with_it = (_left(fitted, terms) for terms in (others, [*others, term]))
        squares[term] = without - with_it
    return squares


def _left(fitted: Fit, terms: Sequence[Term]) -> float:
    """Return the residual sum of squares of a model of these terms."""
    return float(((fitted.response - fitted.design.solved(terms).explained(fitted.response)) ** 2).sum())


def _source(name: str, term: Term, squares: float, freedom: int, fitted: Fit, sst: float) -> Source:
    mean_square = squares / freedom if freedom else float("nan")
    f = p = needed = float("nan")
    error = fitted.error_of(term)
    if term and error.freedom and error.mean_square > 0:
        f = mean_square / error.mean_square
        above, below = freedom * error.sphericity, error.freedom * error.sphericity
        p, needed = fisher_beyond(f, above, below), fisher_value(LEVEL, above, below)
    share = squares / sst if sst else float("nan")
    return Source(name, term, squares, share, freedom, mean_square, f, p, needed, error)
