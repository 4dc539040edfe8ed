"""Is B slower than A? Ratios of two alternatives, an answer for each comparison, and one for several together.

If A and B ran in the same blocks, they are compared pair by pair; the order A B B A within a block gives two pairs, and
a linear drift cancels in their mean. Otherwise they are compared by Welch's method on logarithms, with an interval
widened by the expected difference between two sessions (:mod:`knee.stats.sessions`). Intervals are Student's t for any
number of blocks, so that answers and p values never disagree. Answers are those of :mod:`knee.stats.answers`.

Of many comparisons some are significant by chance; Holm's correction keeps the probability that any equal pair is
called slower at 5 %. The difference between two sessions is one unknown shared by all comparisons, so it does not
depend on their number: the correction is made for each of its possible values, and the corrected p values are averaged.

Welch, Biometrika 34, 1947. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 6, 1979.
Kalibera, Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013 (ratios with intervals).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from knee.stats.answers import ERROR, MARGIN, Answer, answer
from knee.stats.blocks_needed import blocks_needed
from knee.stats.intervals import Array, Interval
from knee.stats.sessions import FINE, beyond, half_width, offsets


@dataclass(frozen=True)
class Comparison:
    """Time of B over time of A, dimensionless, with its 90 % interval.

    ``p_slower`` and ``p_faster`` are one-sided; they and the interval are NaN with fewer than two values per side.
    ``values`` is the number of pairs, or of runs on the side with fewer; ``error`` is the standard error of the mean
    log ratio from scatter alone, with ``freedom`` degrees of freedom; ``spread`` is the expected difference between two
    sessions, 0 if A and B share their blocks.
    """

    estimate: float
    interval: Interval
    p_slower: float
    p_faster: float
    values: int
    error: float
    freedom: float
    spread: float = 0.0
    bounds: tuple[Comparison, Comparison] | None = None
    """B over A with the largest possible disturbance subtracted from B, and with the largest subtracted from A."""

    def answer(self, margin: float = MARGIN) -> Answer:
        """Return the answer; ``margin`` is the smallest difference that matters."""
        return answer(self.interval, margin)

    def taken(self) -> float:
        """Return the range over which other programs may have changed the ratio: 0.1 for 10 %."""
        return self.bounds[1].estimate / self.bounds[0].estimate - 1 if self.bounds else 0.0

    def more_blocks(self, margin: float = MARGIN, tests: int = 1, *, new_study: bool = False) -> int | None:
        """Return about how many more blocks, or how many of a new study, would decide this one of ``tests``
        comparisons; None if more than a thousand.
        """
        deviation = self.error * float(np.sqrt(self.values))
        spread = float(np.log1p(self.spread))
        mean = float(np.log(self.estimate))
        return blocks_needed(mean, deviation, self.values, margin, tests=tests, spread=spread, new_study=new_study)


def paired(a: Array, b: Array) -> Comparison:
    """Compare times measured in pairs.

    Parameters
    ----------
    a, b
        Seconds, shape (pairs,); NaN where a run was bad, which excludes its pair.

    Examples
    --------
    >>> import numpy as np
    >>> found = paired(np.array([1.0, 1.1, 0.9]), np.array([1.2, 1.33, 1.08]))
    >>> round(found.estimate, 2), found.answer()
    (1.2, 'slower')
    """
    logs = np.log(b) - np.log(a)
    logs = logs[np.isfinite(logs)]
    if logs.size < 2:
        return unknown(logs)
    error = float(logs.std(ddof=1)) / float(np.sqrt(logs.size))
    return student(float(logs.mean()), error, logs.size - 1, int(logs.size))


def unpaired(a: Array, b: Array, spread: float = 0.0) -> Comparison:
    """Compare times of two sessions without common blocks, by Welch's method on the difference of mean logarithms.

    Parameters
    ----------
    a, b
        Seconds, shape (runs,) each; NaN where a run was bad.
    spread
        Standard deviation of the difference between two sessions of one program, as a share; 0 for a single session.
    """
    x, y = (np.log(times[np.isfinite(times)]) for times in (a, b))
    if min(x.size, y.size) < 2:
        return unknown(np.array([y.mean() - x.mean()]) if min(x.size, y.size) else x[:0], spread)
    parts = np.array([x.var(ddof=1) / x.size, y.var(ddof=1) / y.size])
    whole = float(parts.sum())
    freedom = whole**2 / float((parts**2 / np.array([x.size - 1, y.size - 1])).sum()) if whole > 0 else 1.0
    return student(float(y.mean() - x.mean()), float(np.sqrt(whole)), freedom, min(x.size, y.size), spread)


def allowing(
    compare: Callable[[Array, Array], Comparison], a: Array, b: Array, taken_a: Array, taken_b: Array
) -> Comparison:
    """Compare times, allowing for the time that other programs may have taken on either side.

    Parameters
    ----------
    compare
        :func:`paired`, or :func:`unpaired`.
    a, b
        Seconds, in the form that ``compare`` takes.
    taken_a, taken_b
        The largest share of each time that other programs may have cost, of the same shapes.

    Returns
    -------
    Comparison
        B over A as measured; its interval and tests are valid for all true times between ``T (1 - taken)`` and ``T``.
    """
    seen = compare(a, b)
    if not taken_a.any() and not taken_b.any():
        return seen
    least, most = compare(a, b * (1 - taken_b)), compare(a * (1 - taken_a), b)
    # The mean is extreme at these ends and its error need not be: what is said holds for the times as measured, too.
    ends = Interval(min(seen.interval.low, least.interval.low), max(seen.interval.high, most.interval.high))
    slower, faster = max(seen.p_slower, least.p_slower), max(seen.p_faster, most.p_faster)
    return replace(seen, interval=ends, p_slower=slower, p_faster=faster, bounds=(least, most))


@dataclass(frozen=True)
class Times:
    """The times of one side in the form that a comparison takes: seconds, NaN where there is no good run.

    ``taken`` is the largest share of each that other programs may have cost, of the same shape.
    """

    seconds: Array
    taken: Array


@dataclass(frozen=True)
class Held:
    """A comparison as measured and allowing for other programs, each with its answer."""

    seen: Comparison
    held: Comparison
    as_seen: Answer
    answer: Answer


def held(
    compare: Callable[[Array, Array], Comparison], pairs: Sequence[tuple[Times, Times]], margin: float = MARGIN
) -> list[Held]:
    """Compare several pairs of the same two sides, with and without allowing for other programs."""
    seen = [compare(a.seconds, b.seconds) for a, b in pairs]
    careful = [
        allowing(compare, a.seconds, b.seconds, a.taken, b.taken) if a.taken.any() or b.taken.any() else one
        for one, (a, b) in zip(seen, pairs, strict=True)
    ]
    return [Held(*one) for one in zip(seen, careful, answers(seen, margin), answers(careful, margin), strict=True)]


def student(mean: float, error: float, freedom: float, values: int, spread: float = 0.0) -> Comparison:
    """Return the comparison that a mean log ratio with its standard error gives; its fields are those of
    :class:`Comparison`.
    """
    half = half_width(error, freedom, spread)
    ends = Interval(float(np.exp(mean - half)), float(np.exp(mean + half)))
    p = float(beyond(mean - offsets(spread, FINE), error, freedom).mean())
    return Comparison(float(np.exp(mean)), ends, p, 1 - p, values, error, freedom, spread)


def unknown(logs: Array, spread: float = 0.0) -> Comparison:
    """Return a comparison without an interval, of at most one log ratio."""
    nan = float("nan")
    estimate = float(np.exp(logs.mean())) if logs.size else nan
    return Comparison(estimate, Interval(nan, nan), nan, nan, int(logs.size), nan, nan, spread)


def holm(p: Array) -> Array:
    """Return Holm's adjusted p values; NaN stays NaN and is not counted as a test.

    Parameters
    ----------
    p
        Shape (tests, ...): p values, adjusted along the first axis.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, axis=0)
    tests = np.isfinite(p).sum(axis=0)
    ranks = np.arange(len(p)).reshape(-1, *[1] * (p.ndim - 1))
    # NaN is sorted last, so it does not enter any running maximum.
    stepped = np.maximum.accumulate(np.minimum(1.0, np.take_along_axis(p, order, 0) * (tests - ranks)), axis=0)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, stepped, 0)
    return adjusted


def answers(comparisons: Sequence[Comparison], margin: float = MARGIN) -> list[Answer]:
    """Return the answer to each of several comparisons of the same two sides, corrected for their number."""
    return _corrected(comparisons, _adjusted(comparisons), margin)


def answers_apart(comparisons: Sequence[Comparison], margin: float = MARGIN) -> list[Answer]:
    """Return the answer to each of several comparisons of different sides, corrected for their number, up and down.

    Each pair may have a difference between sessions of its own. If all are equal, one time in twenty some pair is
    called slower or faster; with :func:`answers` it would be one in twenty each way, for every pair.
    """
    sides = np.array([[one.p_slower for one in comparisons], [one.p_faster for one in comparisons]])
    return _corrected(comparisons, holm(sides.ravel()).reshape(sides.shape), margin)


def _corrected(comparisons: Sequence[Comparison], p: Array, margin: float) -> list[Answer]:
    """Return the answers that hold at these p values, shape (2, comparisons): that B is slower, that it is faster."""
    words: list[Answer] = []
    for one, p_slower, p_faster in zip(comparisons, *map(list, p), strict=True):
        alone = one.answer(margin)
        # "Equal" needs no correction, since it must hold in every comparison.
        needed = {"slower": p_slower, "faster": p_faster}.get(alone, 0.0)
        words.append(alone if needed < ERROR + 1e-12 else "cannot tell")
    return words


def _adjusted(comparisons: Sequence[Comparison]) -> Array:
    """Return Holm's p values that B is slower, and that it is faster, shape (2, comparisons)."""
    sides = np.array([_tails(one) for one in comparisons])
    return np.array([holm(sides[:, side]).mean(axis=1) for side in (0, 1)]) if len(sides) else np.empty((2, 0))


def _tails(one: Comparison) -> Array:
    """Return both p values for each possible difference between two sessions, shape (2, values)."""
    if one.spread == 0:
        return np.array([[one.p_slower], [one.p_faster]])
    seen, least, most = (
        beyond(np.log(of.estimate) - offsets(of.spread), of.error, of.freedom)
        for of in (one, *(one.bounds or (one, one)))
    )
    return np.array([np.maximum(seen, least), 1 - np.minimum(seen, most)])


def together(words: Sequence[Answer]) -> Answer:
    """Return one answer for several: slower if any is slower, otherwise faster if any is faster."""
    for word in ("slower", "faster"):
        if word in words:
            return word
    return "equal" if words and all(one == "equal" for one in words) else "cannot tell"
