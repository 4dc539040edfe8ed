"""Decides which thread counts are faster, which one to report, and which one to recommend.

The recommended count is the smallest that is shown to take at most 3 % longer than every other count. Each comparison
is made directly, block by block, by the upper end of a 90 % interval, so that no count carries the noise of another. A
count must pass all comparisons, so a count that loses more than 3 % passes in at most 5 % of studies
(intersection-union test, Berger 1982). If no count passes, none is recommended, and the best one is reported.

A gain over the base is claimed by one-sided 5 % tests, corrected for all counts together (Holm 1979), and so is a loss:
one flat curve in twenty is wrongly reported to gain.

If other programs disturbed runs, each true time lies between ``T (1 - taken)`` and ``T``, and every interval is widened
to cover all times in between. What is shown then does not depend on the other programs.

Berger, *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24, 1982.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from knee.stats.answers import ERROR, MARGIN
from knee.stats.intervals import Array, Interval
from knee.stats.paired import Comparison, allowing, holm, paired

Answer = Literal["faster", "equal", "not faster", "slower", "cannot tell"]
"""How more threads compare with the base. ``not faster``: no count gains more than 3 %; some may be slower."""


@dataclass(frozen=True)
class Beyond:
    """A count larger than the reported one; ``time`` is its run time over that of the reported one."""

    threads: int
    time: Comparison


@dataclass(frozen=True)
class Decision:
    """The decision on a curve.

    ``threads`` is the reported count: the recommended one, or the best of those that gain; if none gains, the count
    with the largest loss, or the largest count. ``speedup`` is T(base) / T(threads). ``use`` is the recommended count,
    None if no count is shown to be within 3 % of the best; ``open`` are then other counts that may be as good as the
    reported one. ``slower`` is the largest count above the reported one that is shown to be slower. ``above`` are
    counts whose efficiency is shown to be above 1. ``p_gain`` is the probability of so large a gain of any count where
    none gains, corrected for all counts.
    """

    answer: Answer
    base: int
    threads: int
    speedup: Comparison
    use: int | None
    open: tuple[int, ...]
    slower: Beyond | None
    largest: int
    above: tuple[int, ...]
    p_gain: float

    @property
    def gains(self) -> bool:
        """Whether some count is shown to be faster than the base."""
        return self.answer == "faster"


def decide(times: Mapping[int, Array], taken: Mapping[int, Array] | None = None) -> Decision | None:
    """Return the decision on a curve; None if no other count shares two blocks with the base.

    Parameters
    ----------
    times
        Thread count to seconds for the same work, one value per block, shape (blocks,); NaN where a run was bad.
    taken
        Thread count to the largest share of each time that other programs may have cost, shape (blocks,); None for
        none.

    Examples
    --------
    >>> shake = np.array([1.0, 1.01, 0.99, 1.0])
    >>> said = decide({1: 8 * shake, 2: 4 * np.roll(shake, 1), 4: 4 * np.roll(shake, 2)})
    >>> said.answer, said.use, said.threads
    ('faster', 2, 2)
    """
    curve = _Curve(times, taken)
    if len(curve.counts) < 2:
        return None
    base, *others = curve.counts
    against_base = {n: curve.compared(base, n) for n in others}
    faster = [(n, one.p_faster) for n, one in against_base.items()]
    gains = _shown(faster)
    losses = _shown([(n, one.p_slower) for n, one in against_base.items()])
    use = _use(curve, base, gains)
    answer = _answer(curve, base, use, gains, losses, against_base)
    named = _named(curve, answer, use, gains, losses)
    return Decision(
        answer=answer,
        base=base,
        threads=named,
        speedup=curve.compared(named, base),
        use=use,
        open=() if use is not None else tuple(n for n in curve.known if n != named and curve.may_match(n, named)),
        slower=_slower(curve, named, len(gains)) if answer == "faster" else None,
        largest=curve.counts[-1],
        above=curve.above_one(base, others),
        p_gain=float(np.nanmin(_adjusted(faster), initial=1.0)),
    )


def _shown(p: list[tuple[int, float]]) -> list[int]:
    """Return the counts with a significant difference, corrected for all of them together."""
    return [n for (n, _), one in zip(p, _adjusted(p), strict=True) if one < ERROR]


def _adjusted(p: list[tuple[int, float]]) -> Array:
    return holm(np.array([one for _, one in p]))


def _use(curve: _Curve, base: int, gains: list[int]) -> int | None:
    for n in curve.counts:
        # A count that shares too few blocks with the base has no speedup but may still be faster, so it is compared
        # too.
        if all(curve.within_margin(n, m) for m in curve.known if m != n):
            # A count that may be no better than the base is not recommended.
            return n if n == base or n in gains else None
    return None


def _answer(
    curve: _Curve,
    base: int,
    use: int | None,
    gains: list[int],
    losses: list[int],
    against_base: Mapping[int, Comparison],
) -> Answer:
    if gains and use != base:
        return "faster"
    # That counts take the same time is said of every two, also of those that share too few blocks to be compared.
    if all(_equal(curve.compared(n, m).interval) for n, m in combinations(curve.known, 2)):
        return "equal"
    if losses and max(against_base[n].estimate for n in losses) > 1 + MARGIN:
        return "slower"
    return "not faster" if use == base else "cannot tell"


def _named(curve: _Curve, answer: Answer, use: int | None, gains: list[int], losses: list[int]) -> int:
    if answer == "faster":
        return use if use is not None else curve.best(gains)
    return curve.worst(losses) if answer == "slower" else curve.counts[-1]


def _slower(curve: _Curve, named: int, among: int) -> Beyond | None:
    """Return the largest count that is slower than the named one, which was chosen by its times among so many."""
    larger = [n for n in curve.counts if n > named]
    compared = [(n, curve.compared(named, n)) for n in larger]
    shown = _shown([(n, among * one.p_slower) for n, one in compared])
    slower = [Beyond(n, one) for n, one in compared if n in shown and one.estimate > 1 + MARGIN]
    return slower[-1] if slower else None


def _equal(ends: Interval) -> bool:
    return ends.low > 1 / (1 + MARGIN) and ends.high < 1 + MARGIN


class _Curve:
    """Times of a curve, compared in pairs. ``counts`` are those that share at least two blocks with the base."""

    def __init__(self, times: Mapping[int, Array], taken: Mapping[int, Array] | None) -> None:
        self.known = [n for n, values in sorted(times.items()) if np.isfinite(values).any()]
        self.counts = [n for n in self.known if np.count_nonzero(np.isfinite(times[n] + times[self.known[0]])) > 1]
        self._times = times
        self._taken = {n: np.zeros_like(times[n]) for n in self.known} | dict(taken or {})

    def compared(self, a: int, b: int) -> Comparison:
        """Return T(b) / T(a), with interval and tests that allow for other programs."""
        return allowing(paired, self._times[a], self._times[b], self._taken[a], self._taken[b])

    def within_margin(self, n: int, m: int) -> bool:
        """Whether ``n`` is shown to take at most 3 % longer than ``m``; False with too few blocks."""
        return self.compared(m, n).interval.high <= 1 + MARGIN

    def may_match(self, n: int, m: int) -> bool:
        """Whether it is possible that ``n`` takes at most 3 % longer than ``m``."""
        return not self.compared(m, n).interval.low > 1 + MARGIN

    def best(self, counts: list[int]) -> int:
        """Return the count with the least time; two are compared in common blocks, since blocks differ."""
        best, *others = counts
        for n in others:
            best = n if self.compared(best, n).estimate < 1 else best
        return best

    def worst(self, counts: list[int]) -> int:
        """Return the count with the most time."""
        return max(counts, key=lambda n: self.compared(self.counts[0], n).estimate)

    def above_one(self, base: int, others: list[int]) -> tuple[int, ...]:
        """Return the counts that are faster than ideal by more than 3 %, corrected for all of them together."""
        shortest = self._times[base] * (1 - self._taken[base])
        ideal = [(n, paired(self._times[n] * (n / base) * (1 + MARGIN), shortest)) for n in others]
        return tuple(_shown([(n, one.p_slower) for n, one in ideal]))
