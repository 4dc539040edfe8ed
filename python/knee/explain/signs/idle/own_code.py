"""Whether what a thread executes while it works alone is code of its own, which threads hardly execute beside others.

Then it is no piece of the work that threads share: it is a part that nobody divided. Where a thread executes the same
code alone as beside others, that alone says nothing, since a part that nobody divided may call the same functions. But
where that thread is not the one that starts the others and waits for them, it works on a piece that is larger than
theirs.

Samples of instructions tell, in runs whose context switches are recorded: each is taken while other threads could run
as well, or while none could. Places are pieces of code of one cache line; those of code that a compiler makes while the
program runs are of one run each. By chance, too, some places are met only alone, above all where each is met seldom;
that much is subtracted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.evidence import Evidence
from knee.explain.signs.computing.places import Mask, most_of
from knee.explain.signs.computing.samples import HOTSPOTS, Place, Samples, samples
from knee.stats.distributions import binomials_from
from knee.stats.intervals import Array
from knee.stats.proportion import clopper_pearson

PIECE = 64
"""Bytes of a piece of code."""

ENOUGH = 20
"""Samples alone, and beside others, that tell."""

RARELY = 0.1
"""How often code of one's own is met beside others, at most, over how often it is met alone, as shares of either."""

MOSTLY = 0.5
"""Share of what a thread executes alone that is its own, at least, where that is a part that nobody divided; and what
chance makes of the same code, at most, where that can be told.
"""

ALIKE = 0.2
"""Share of what a thread executes alone that is its own, at most, where it is the work of all."""

TINY = 1e-9
"""Error of a quotient that should be a whole number."""

NAMED = 0.7
"""Share of one's own code that one function has, where it is named."""


@dataclass(frozen=True)
class OwnCode:
    """How much of what a thread executes alone is code of its own."""

    share: float
    """Without what chance makes of the same code."""
    least: float
    """At least that much: the lower end of a one-sided 95 % interval."""
    at_most: float
    """At most that much, likewise."""
    workers: Part | None
    """Share of what a thread executes alone that is the work of all, made while the program runs, and executed by a
    thread that made no others: that is a piece which is larger than theirs. None of programs that make no code.
    """
    function: str | None
    """The function that most of it is in, if threads hardly execute that beside others."""

    @property
    def most(self) -> bool:
        """Whether surely most of it is."""
        return self.least > MOSTLY

    @property
    def alike(self) -> bool:
        """Whether it is surely the code that threads execute beside others as well."""
        return self.at_most < ALIKE

    @property
    def said(self) -> str:
        """It in words."""
        most = "" if self.function is None else f", most of it in {self.function}"
        return f"{100 * self.share:.0f} % of what it executes then, threads hardly execute beside others{most}"


def own_code(found: Evidence) -> OwnCode | None:
    """Return how much of what a thread executes alone is its own; None where samples cannot tell."""
    many = samples(found, HOTSPOTS)
    if many is None or many.alone is None or not many.known:
        return None
    of_piece, alone_there = _pieces(many.at) + many.pieces, _pieces(many.alone) + many.pieces_alone
    alone = alone_there.total()
    beside = of_piece.total() - alone
    if min(alone, beside) < ENOUGH:
        return None
    pieces = list(of_piece)
    every: Array = np.array([of_piece[piece] for piece in pieces], dtype=float)
    own_there: Array = np.array([alone_there[piece] for piece in pieces], dtype=float)
    own = _own(own_there, every, alone, beside)
    expected = float(_by_chance(every, alone, beside).sum()) / alone
    if expected > MOSTLY:
        return None
    seen = int(own_there[own].sum())
    ends = clopper_pearson(seen, alone)
    share, least, at_most = (max(0.0, (one - expected) / (1 - expected)) for one in (seen / alone, ends.low, ends.high))
    shared = [piece for piece, apart in zip(pieces, own, strict=True) if not apart]
    return OwnCode(share, least, at_most, _of_workers(many, shared, alone), _function(many, many.alone, seen))


def _of_workers(many: Samples, shared: list[Place], alone: int) -> Part | None:
    """Return which share of what threads execute alone is work of all, of those that made no others."""
    if not many.made:
        return None
    seen = sum(many.pieces_of_workers[piece] for piece in shared)
    ends = clopper_pearson(seen, alone)
    return Part(seen / alone, ends.low, ends.high)


def _own(alone_there: Array, every: Array, alone: int, beside: int) -> Mask:
    """Return which pieces are hardly met beside others; for shape (..., pieces)."""
    return (alone_there > 0) & ((every - alone_there) / beside <= RARELY * alone_there / alone)


def _by_chance(every: Array, alone: int, beside: int) -> Array:
    """Return how many samples alone each piece has on average in which it would be hardly met beside others, if threads
    executed the same code alone as beside others; for shape (pieces,).
    """
    least = np.maximum(1.0, np.ceil(every / (1 + RARELY * beside / alone) - TINY))
    share = alone / (alone + beside)
    # Of a binomial number k of n, the mean of k where it is at least m is n p P(k' >= m - 1), with k' of n - 1.
    return every * share * binomials_from(least - 1, every - 1, share)


def _pieces(at: Counter[Place]) -> Counter[Place]:
    found: Counter[Place] = Counter()
    for (file, byte), many in at.items():
        found[file, byte // PIECE] += many
    return found


def _function(many: Samples, alone: Counter[Place], seen: int) -> str | None:
    """Return the function in which most of one's own code is; None where there is none, or it has no name."""
    name, own = most_of(list(alone), np.array(list(alone.values()), dtype=float), many.functions)
    if name is None or not own >= NAMED * seen > 0:
        return None
    every = sum(often for place, often in many.at.items() if many.functions.get(place) == name)
    there = np.array([own]), np.array([float(every)])
    return name if _own(*there, alone.total(), many.at.total() - alone.total()).all() else None
