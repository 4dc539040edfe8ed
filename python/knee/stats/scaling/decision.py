"""Which thread counts are faster, which one to name, which one to use: one rule for all that is said of a curve.

The count to use is the smallest that is shown to take at most 3 % longer than every other count. Each comparison is
direct, block by block, so that no count carries the noise of another, and by the upper end of a 90 % interval; to be
chosen a count has to pass all of them, so that one that loses more passes in 5 % of studies at most (an
intersection-union test, Berger 1982). Where no count passes none is recommended, and the best one is named.

A gain over the base is claimed by one-sided tests of 5 % for all counts together (Holm 1979), and so is a loss: of flat
curves one in twenty is told that threads gain something.

Times may have been lengthened by others: then each lies between ``T (1 - taken)`` and ``T``, and every interval is
widened to hold what it would be with any times in between. What is still shown does not depend on the others.

Berger, *Multiparameter hypothesis testing and acceptance sampling*, Technometrics 24, 1982.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from knee.stats.answers import ERROR, MARGIN
from knee.stats.intervals import Array, Interval
from knee.stats.paired import Comparison, allowing, holm, paired

Answer = Literal["faster", "equal", "not faster", "slower", "cannot tell"]
"""What more threads than the base's are. ``not faster``: none gains more than 3 %; which are slower is not known."""


@dataclass(frozen=True)
class Beyond:
    """A larger count beside the one that is named: ``time`` is its run time over that of the named one."""

    threads: int
    time: Comparison


@dataclass(frozen=True)
class Decision:
    """What is said of a curve.

    ``threads`` is the count that is named: the one to use, or the best of those that gain; where none gains the count
    of the largest loss, or the largest count. ``speedup`` is T(base) / T(threads). ``use`` is None where no count is
    shown to be within 3 % of the best; ``open`` are then other counts that may be as good as the named one. ``slower``
    is the largest count beyond the named one that is shown to be slower. ``above`` are counts whose efficiency is shown
    to be above 1.
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

    @property
    def gains(self) -> bool:
        """Whether some count is shown to be faster than the base by what matters."""
        return self.answer == "faster"


def decide(times: Mapping[int, Array], taken: Mapping[int, Array] | None = None) -> Decision | None:
    """Return what is said of a curve; None where fewer than two counts share two blocks with the base.

    Parameters
    ----------
    times
        Thread count to seconds for the same work, one value per block, shape (blocks,); NaN where a run was bad.
    taken
        Thread count to the largest share of each time that others may have cost, shape (blocks,); None for no others.

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
    gains = _shown([(n, one.p_faster) for n, one in against_base.items()])
    losses = _shown([(n, one.p_slower) for n, one in against_base.items()])
    use = _use(curve, base, gains)
    answer = _answer(base, use, gains, losses, against_base)
    named = _named(curve, answer, use, gains, losses)
    return Decision(
        answer=answer,
        base=base,
        threads=named,
        speedup=curve.compared(named, base),
        use=use,
        open=() if use is not None else tuple(n for n in curve.known if n != named and curve.may_match(n, named)),
        slower=_slower(curve, named) if answer == "faster" else None,
        largest=curve.counts[-1],
        above=curve.above_one(base, others),
    )


def _shown(p: list[tuple[int, float]]) -> list[int]:
    """Return the counts whose difference is shown, all of them tested together."""
    adjusted = holm(np.array([one for _, one in p]))
    return [n for (n, _), one in zip(p, adjusted, strict=True) if one < ERROR]


def _use(curve: _Curve, base: int, gains: list[int]) -> int | None:
    for n in curve.counts:
        # A count that shares too few blocks with the base has no speedup, but may still be the faster one.
        if all(curve.within_margin(n, m) for m in curve.known if m != n):
            # A count that may be no better than the base is no recommendation.
            return n if n == base or n in gains else None
    return None


def _answer(
    base: int, use: int | None, gains: list[int], losses: list[int], against_base: Mapping[int, Comparison]
) -> Answer:
    if gains and use != base:
        return "faster"
    if all(_equal(one.interval) for one in against_base.values()):
        return "equal"
    if losses and max(against_base[n].estimate for n in losses) > 1 + MARGIN:
        return "slower"
    return "not faster" if use == base else "cannot tell"


def _named(curve: _Curve, answer: Answer, use: int | None, gains: list[int], losses: list[int]) -> int:
    if answer == "faster":
        return use if use is not None else curve.best(gains)
    return curve.worst(losses) if answer == "slower" else curve.counts[-1]


def _slower(curve: _Curve, named: int) -> Beyond | None:
    larger = [n for n in curve.counts if n > named]
    compared = [(n, curve.compared(named, n)) for n in larger]
    shown = _shown([(n, one.p_slower) for n, one in compared])
    slower = [Beyond(n, one) for n, one in compared if n in shown and one.estimate > 1 + MARGIN]
    return slower[-1] if slower else None


def _equal(ends: Interval) -> bool:
    return ends.low > 1 / (1 + MARGIN) and ends.high < 1 + MARGIN


class _Curve:
    """Times of a curve, compared by pairs. Counts that share fewer than two blocks with the base are left out."""

    def __init__(self, times: Mapping[int, Array], taken: Mapping[int, Array] | None) -> None:
        self.known = [n for n, values in sorted(times.items()) if np.isfinite(values).any()]
        self.counts = [n for n in self.known if np.count_nonzero(np.isfinite(times[n] + times[self.known[0]])) > 1]
        self._times = times
        self._taken = {n: np.zeros_like(times[n]) for n in self.known} | dict(taken or {})

    def compared(self, a: int, b: int) -> Comparison:
        """Return T(b) / T(a), its interval and tests widened by what others may have taken from either."""
        return allowing(paired, self._times[a], self._times[b], self._taken[a], self._taken[b])

    def within_margin(self, n: int, m: int) -> bool:
        """Whether ``n`` is shown to take at most 3 % longer than ``m``. Too few blocks show nothing."""
        return self.compared(m, n).interval.high <= 1 + MARGIN

    def may_match(self, n: int, m: int) -> bool:
        """Whether ``n`` may take at most 3 % longer than ``m``, for all that is known."""
        return not self.compared(m, n).interval.low > 1 + MARGIN

    def best(self, counts: list[int]) -> int:
        """Return the count of least time; two are compared in the blocks that have both, since blocks have moods."""
        best, *others = counts
        for n in others:
            best = n if self.compared(best, n).estimate < 1 else best
        return best

    def worst(self, counts: list[int]) -> int:
        """Return the count of most time."""
        return max(counts, key=lambda n: self.compared(self.counts[0], n).estimate)

    def above_one(self, base: int, others: list[int]) -> tuple[int, ...]:
        """Return the counts that are faster than ideal by more than 3 %, shown for all together."""
        shortest = self._times[base] * (1 - self._taken[base])
        ideal = [(n, paired(self._times[n] * (n / base) * (1 + MARGIN), shortest)) for n in others]
        return tuple(_shown([(n, one.p_slower) for n, one in ideal]))
