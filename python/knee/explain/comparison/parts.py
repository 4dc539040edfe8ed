"""What a change moved: the parts of the loss on both sides, at the largest thread count that both have.

A loss is a ratio of times of one session, so a machine that is slower on another day does not change it, but sessions
may still differ: their expected difference widens every comparison of two studies, as it does for times. A part that
only one side divides is compared undivided. Idle time includes what other programs may have taken.

The answers are corrected for their number (Holm), and there are three for each part: it is less, it is more, both are
equal within 5 % of the time; or none of these is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.explain.causes.cause import Finding
from knee.explain.comparison.cells import Side
from knee.explain.evidence.evidence import evidence
from knee.explain.ledger.explanation import Explanation, explanation
from knee.explain.ledger.ledger import BASE, CLASSED, IDLE, INFLATION, TAKEN, TAKEN_FROM_BASE, Ledger
from knee.explain.ledger.naming import LEAST
from knee.explain.scaling.series import Series, cell_words, group
from knee.stats.answers import Answer
from knee.stats.intervals import Array, welch
from knee.stats.paired import Comparison, answers, student, unknown

Moved = Literal["less", "more", "equal", "cannot tell"]

WORDS: Mapping[Answer, Moved] = {"slower": "more", "faster": "less", "equal": "equal", "cannot tell": "cannot tell"}
"""What an answer about times means for a part of the loss."""

LOSS = "loss"
"""The name of the whole loss among its parts."""

WHOLE = {INFLATION: "CPU time", IDLE: "idle", BASE: "what the base did not compute"}
"""What the groups of parts are called where they are compared undivided."""


@dataclass(frozen=True)
class Part:
    """A part of the loss on both sides, in natural logarithms."""

    name: str
    a: float
    b: float
    difference: float
    """``b`` - ``a``."""
    low: float
    high: float
    """Ends of the 90 % interval of the difference; NaN if unknown."""
    answer: Moved

    @property
    def sentence(self) -> str:
        """Say how much more or less is lost to it."""
        return f'{self.answer} to "{self.name}" ({self.difference:+.2f} [{self.low:+.2f}, {self.high:+.2f}])'


@dataclass(frozen=True)
class Losses:
    """The loss of a series at one thread count on both sides."""

    series: str
    threads: int
    parts: tuple[Part, ...]
    """Its parts, those that moved most first, and the loss itself at the end."""
    causes_a: tuple[str, ...] | None
    """Causes that are named in A; None where it was not asked why."""
    causes_b: tuple[str, ...] | None

    @property
    def sentence(self) -> str:
        """Say which parts a change moved, and which causes are named before and after."""
        moved = [one for one in self.parts if one.answer in ("less", "more") and one.name != LOSS]
        said = "no part of the loss is shown to have moved"
        if moved:
            said = f"B loses {' and '.join(one.sentence for one in moved)}"
        if self.causes_a is not None and self.causes_b is not None:
            named = [", ".join(causes) or "none" for causes in (self.causes_a, self.causes_b)]
            said += f"; causes named: {named[0]} in A, {named[1]} in B"
        return f"{self.series}, {self.threads} threads: {said}."


@dataclass(frozen=True)
class _Pair:
    """The explanations of a series on both sides."""

    series: str
    explained: tuple[Explanation, Explanation]

    @property
    def a(self) -> Ledger:
        """The ledger of A."""
        return self.explained[0].ledger

    @property
    def b(self) -> Ledger:
        """The ledger of B."""
        return self.explained[1].ledger


def losses(a: Side, b: Side, without: str, session_spread: float | None) -> list[Losses]:
    """Return the parts of the loss of every series that both sides have.

    Parameters
    ----------
    a, b
        Both sides.
    without
        The factor whose levels are compared; empty for two studies.
    session_spread
        Expected difference between two sessions, as a share; None if both sides share their blocks.
    """
    pairs = list(_pairs(a, b, without))
    asked = [(pair, name, names) for pair in pairs for name, names in _common(pair)]
    # The whole loss is no further question, but the sum of the others.
    whole = [(pair, LOSS, _names(pair)) for pair in pairs]
    found = [*_parts(asked, session_spread), *_parts(whole, session_spread)]
    by_series = {pair.series: [part for series, part in found if series == pair.series] for pair in pairs}
    return [_losses(pair, by_series[pair.series]) for pair in pairs]


def _parts(asked: list[tuple[_Pair, str, tuple[str, ...]]], spread: float | None) -> list[tuple[str, Part]]:
    """Return each part with its series; its answer is corrected for their number."""
    compared = [_difference(pair, names, spread) for pair, _, names in asked]
    return [
        (pair.series, _part(pair, name, names, one, WORDS[word]))
        for (pair, name, names), one, word in zip(asked, compared, answers(compared, LEAST), strict=True)
    ]


def _part(pair: _Pair, name: str, names: tuple[str, ...], one: Comparison, answer: Moved) -> Part:
    a, b = (_value(side, names) for side in (pair.a, pair.b))
    difference, low, high = (float(np.log(end)) for end in (one.estimate, one.interval.low, one.interval.high))
    return Part(name, a, b, difference, low, high, answer)


def _losses(pair: _Pair, found: list[Part]) -> Losses:
    ordered = sorted(found, key=lambda one: (one.name == LOSS, -abs(one.difference)))
    causes = [tuple(map(_cause, one.findings)) if one.asked else None for one in pair.explained]
    return Losses(pair.series, pair.a.threads, tuple(ordered), *causes)


def _cause(finding: Finding) -> str:
    """Name a cause, or the causes that remain possible; a name does not say that its part of the loss may be 0."""
    return " or ".join(finding.names) + (" (may be 0)" if finding.may_be_nothing else "")


def _pairs(a: Side, b: Side, without: str) -> Iterator[_Pair]:
    """Yield the ledgers of both sides at the largest thread count with a cpu for each thread that both have."""
    mine, others = (_series(side, without) for side in (a, b))
    for key in (key for key in mine if key in others):
        one, other = mine[key], others[key]
        counts = {n for n in one.fitting if n != one.curve.base} & {n for n in other.fitting if n != other.curve.base}
        if counts and one.curve.base == other.curve.base:
            a_explained, b_explained = (explanation(evidence(each, max(counts))) for each in (one, other))
            if a_explained.ledger.loss.blocks and b_explained.ledger.loss.blocks:
                name = cell_words(other.levels, [name for name in other.levels if name != without])
                yield _Pair(name or "all runs", (a_explained, b_explained))


def _series(side: Side, without: str) -> dict[str, Series]:
    found = group(side.runs, len(side.machine["allowed"]["cpus"]), weak=any(run.work > 1 for run in side.runs))
    kept = [({name: level for name, level in one.levels.items() if name != without}, one) for one in found]
    return {json.dumps(levels, sort_keys=True): one for levels, one in kept}


def _common(pair: _Pair) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parts that both ledgers have, each with the names of its entries."""
    books = (pair.a, pair.b)
    disturbed = any(book.entry(TAKEN) for book in books)
    for of, called in WHOLE.items():
        names = [{one.name for one in book.entries if one.of == of} for book in books]
        bounds = {IDLE: (TAKEN,), BASE: (TAKEN_FROM_BASE,)}.get(of, ()) if disturbed else ()
        if names[0] == names[1] and not bounds:
            yield from ((name, (name,)) for name in dict.fromkeys(one.name for one in pair.a.entries if one.of == of))
        else:
            yield called + ", other programs included" * bool(bounds), (*sorted(names[0] | names[1]), *bounds)


def _names(pair: _Pair) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.name for book in (pair.a, pair.b) for one in book.entries))


def _value(book: Ledger, names: tuple[str, ...]) -> float:
    return book.value(*names).value if any(book.entry(name) for name in names) else 0.0


def _difference(pair: _Pair, names: tuple[str, ...], spread: float | None) -> Comparison:
    """Compare a part of the loss as if it were the logarithm of a time."""
    own, other = (_own(book, names) for book in (pair.b, pair.a))
    if spread is None:
        blocks = min(own.size, other.size)
        both = own[:blocks] - other[:blocks]
        samples = [(1.0, both[np.isfinite(both)])]
    else:
        samples = [(1.0, own[np.isfinite(own)]), (-1.0, other[np.isfinite(other)])]
    samples += [*_terms(pair.b, names, 1.0), *_terms(pair.a, names, -1.0)]
    value, error, freedom = welch(samples)
    if error != error:
        return unknown(np.array([value]), spread or 0.0)
    return student(value, error, freedom, min(sample.size for _, sample in samples), spread or 0.0)


def _own(book: Ledger, names: tuple[str, ...]) -> Array:
    """Return the sum of these entries' own values by block."""
    found = [one.own for one in book.entries if one.name in names]
    # A ledger without these entries has a part of 0 in every block with good runs.
    return np.sum(found, axis=0) if found else 0 * book.entries[0].own


def _terms(book: Ledger, names: tuple[str, ...], sign: float) -> list[tuple[float, Array]]:
    factors: dict[str, float] = {}
    for factor, sample in (term for one in book.entries if one.name in names for term in one.terms):
        factors[sample] = factors.get(sample, 0.0) + factor
    terms = {name: factor * book.samples[name] for name, factor in factors.items() if factor}
    # Classes of idle time are shares of the same runs: where one is larger, others are smaller. Their sum is what the
    # run times say, and the error of that is in the runs' own values.
    classes = [terms.pop(name) for name in CLASSED if name in terms]
    every = all(one.name in names for one in book.entries if one.name in CLASSED)
    kept = [np.sum(classes, axis=0)] if classes and not every else []
    return [(sign, sample) for sample in (*terms.values(), *kept)]
