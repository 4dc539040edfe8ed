"""Compares the levels of a factor for the verdict, in every context in which both levels were measured.

A context is a combination of workload, other factors and thread count. Levels are compared block by block, at the
largest and at the smallest thread count that both have. All answers at one thread count are corrected together (Holm
1979): if levels are equal, one study in twenty reports a faster level in some context, and one in twenty a slower one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from knee.explain.scaling.series import Series, called, distinct
from knee.explain.scaling.summary import buried
from knee.explain.verdict.words import between, listed, threads, times
from knee.stats.answers import Answer
from knee.stats.intervals import Array, Interval
from knee.stats.paired import Comparison, Held, Times, held, paired

SHOWN_BY_ITSELF = ("workload", "placement")
"""Factors that are not compared in the headline unless nothing else varies: times of different workloads cannot be
compared, and placements vary by default.
"""

LONGEST = 20
"""Characters of a level's name in a headline."""

NAMED = 3
"""Most levels that a headline names; of more, it gives only the number."""


@dataclass(frozen=True)
class Context:
    """Two levels compared with all else equal. ``time`` is the time of ``level`` over that of ``reference``."""

    where: str
    threads: int
    reference: str
    level: str
    time: Comparison
    answer: Answer
    disturbed: bool
    """Whether other programs may have changed the answer."""


@dataclass(frozen=True)
class Question:
    """A factor whose levels are compared, on the most threads, and on the fewest where that is another count."""

    factor: str
    levels: tuple[str, ...]
    most: tuple[Context, ...]
    fewest: tuple[Context, ...]

    @property
    def disturbed(self) -> bool:
        """Whether other programs may have changed an answer."""
        return any(one.disturbed for one in self.most)

    @property
    def decided(self) -> bool:
        """Whether the headline has an answer: for two levels in some context, for more which is the fastest."""
        if len(self.levels) == 2:
            return any(one.answer != "cannot tell" for one in self.most)
        return not headline(self).startswith("cannot tell")


def questions(series: Sequence[Series], *, placements: bool) -> list[Question]:
    """Return every factor whose levels can be compared; ``placements`` says whether placement is one of them."""
    series = distinct(series)
    apart = {*SHOWN_BY_ITSELF, *(name for one in series for name in one.inputs)}
    names = [name for name in dict.fromkeys(n for one in series for n in one.levels) if name not in apart]
    names += ["placement"] if placements else []
    asked: list[Question] = []
    for factor in names:
        levels = tuple(dict.fromkeys(one.levels[factor] for one in series if factor in one.levels))
        if len(levels) > 1:
            first = levels if len(levels) == 2 else _fastest_first(series, factor, levels)
            asked.append(compared(series, factor, first))
    return [one for one in asked if one.most]


def _fastest_first(series: Sequence[Series], factor: str, levels: tuple[str, ...]) -> tuple[str, ...]:
    """Put the level with the least time first: it is the fastest if it beats each of the others.

    Times are compared within each context, at the largest thread count that all of its levels have, or else most.
    """
    found: dict[str, list[float]] = {level: [] for level in levels}
    for members in _members(series, factor).values():
        having = Counter(count for one in members.values() for count in set(one.fitting))
        at = max(having, key=lambda count: (having[count], count), default=None)
        logs = {
            level: float(np.nanmean(np.log(_for_work(one, at))))
            for level, one in members.items()
            if at is not None and at in one.fitting
        }
        for level, log in logs.items():
            found[level].append(log - float(np.mean(list(logs.values()))))
    best = min(levels, key=lambda level: float(np.mean(found[level])) if found[level] else np.inf)
    return (best, *(level for level in levels if level != best))


def _members(series: Sequence[Series], factor: str) -> dict[str, dict[str, Series]]:
    """Return the series of each context by their level of the factor."""
    groups: dict[str, dict[str, Series]] = {}
    for one in series:
        rest = {name: level for name, level in one.levels.items() if name != factor}
        groups.setdefault(_where(rest, series), {})[one.levels.get(factor, "")] = one
    return groups


def compared(series: Sequence[Series], factor: str, levels: tuple[str, ...]) -> Question:
    """Compare every other level with the first one, which may have been chosen by its times.

    To choose the fastest of several levels compares all of them, so answers allow for all pairs, in either direction.
    """
    groups = _members(series, factor)
    pairs = [
        (where, members[levels[0]], members[level], called(factor, level))
        for where, members in groups.items()
        for level in levels[1:]
        if levels[0] in members and level in members
    ]
    names = tuple(called(factor, level) for level in levels)
    asked = {(id(one), id(other)) for _, one, other, _ in pairs}
    others = [
        (one, other)
        for members in (groups.values() if len(levels) > 2 else ())
        for one, other in permutations([members[level] for level in levels if level in members], 2)
        if (id(one), id(other)) not in asked
    ]
    most = _contexts(names[0], pairs, others, largest=True)
    fewest = _contexts(names[0], pairs, others, largest=False)
    apart = [one for one, other in zip(fewest, most, strict=True) if one.threads != other.threads]
    return Question(factor, names, tuple(most), tuple(apart))


def _where(rest: dict[str, str], series: Sequence[Series]) -> str:
    """Name a context by the factors that vary; a workload is named without its factor."""
    varying = [name for name in rest if len({one.levels.get(name) for one in series}) > 1]
    words = [called(name, rest[name]) if name in SHOWN_BY_ITSELF else f"{name}={rest[name]}" for name in varying]
    return ", ".join(words)


def _contexts(
    reference: str,
    pairs: list[tuple[str, Series, Series, str]],
    others: list[tuple[Series, Series]],
    *,
    largest: bool,
) -> list[Context]:
    """Compare pairs at the largest thread count that both have, or at the smallest. ``others`` count as compared."""
    shared = [(pair, sorted(set(pair[1].fitting) & set(pair[2].fitting))) for pair in pairs]
    at = [(pair, counts[-1 if largest else 0]) for pair, counts in shared if counts]
    every = [((first, other), n) for (_, first, other, _), n in at]
    both = [((one, other), sorted(set(one.fitting) & set(other.fitting))) for one, other in others]
    every += [(pair, counts[-1 if largest else 0]) for pair, counts in both if counts]
    found = held(paired, [(_by_block(one, n, other), _by_block(other, n, one)) for (one, other), n in every])
    return [
        Context(where, n, reference, level, one.held, one.answer, _disturbed(one))
        for ((where, _, _, level), n), one in zip(at, found[: len(at)], strict=True)
    ]


def _disturbed(one: Held) -> bool:
    return one.as_seen != one.answer or buried(one.seen.interval, one.held.interval)


def _by_block(series: Series, threads: int, other: Series) -> Times:
    """Return the times of the blocks that both series have."""
    blocks = min(series.seconds(threads).size, other.seconds(threads).size)
    return Times(_for_work(series, threads)[:blocks], series.taken(threads)[:blocks])


def _for_work(series: Series, threads: int) -> Array:
    """Return times for equal work: in weak scaling that of one thread, since bases of series may differ."""
    return series.seconds(threads) / (series.curve.base if series.weak else 1)


def headline(asked: Question) -> str:
    """Say which level is faster, and where, with a clause of its own for the fewest threads."""
    if len(asked.levels) > 2:
        return _shortened(_of_many_levels(asked), asked.levels)
    said = _of_two_levels(asked.most)
    if len(asked.fewest) == 1:
        said = f"{said}; {_briefly(asked.fewest[0], asked.most[0])}"
    return _shortened(said, asked.levels)


def _shortened(said: str, levels: Sequence[str]) -> str:
    """Shorten long names of levels to their ends, in which options usually differ."""
    ends = {level: level if len(level) <= LONGEST else f"…{level[1 - LONGEST :]}" for level in levels}
    if len(set(ends.values())) < len(ends):
        return said
    for level in sorted(levels, key=len, reverse=True):
        said = said.replace(level, ends[level])
    return said


def _briefly(one: Context, most: Context) -> str:
    """Return the clause on the fewest threads."""
    if one.answer in ("equal", "cannot tell"):
        return f"{one.answer} at {one.threads}"
    faster = one.level if one.answer == "faster" else one.reference
    return f"{faster} is faster at {one.threads}{', too' if one.answer == most.answer else ''}"


def _of_two_levels(contexts: Sequence[Context]) -> str:
    at = _at(contexts)
    if len(contexts) == 1:
        return f"{said_of(contexts[0])} at {at}"
    counts = [(word, sum(one.answer == word for one in contexts)) for word in ("faster", "slower", "equal")]
    told = [f"{word} in {many}" for word, many in counts if many]
    left = sum(one.answer == "cannot tell" for one in contexts)
    if not told:
        return f"cannot tell in any of {len(contexts)} cases at {at}"
    than = f"{contexts[0].level} against {contexts[0].reference} is {listed(told)} of {len(contexts)} cases at {at}"
    return f"{than} (cannot tell in {left})" if left else than


def _of_many_levels(asked: Question) -> str:
    at, many = _at(asked.most), f"{len(asked.levels)} levels of {asked.factor}"
    best, open_ = asked.levels[0], [one for one in asked.most if one.answer != "slower"]
    if not open_:
        nearest = min(asked.most, key=lambda one: one.time.estimate)
        least = ", at the least" if len({one.where for one in asked.most}) > 1 else ""
        return f"{best} is the fastest of {many} at {at}, {_ratio(nearest)} as fast as {nearest.level}{least}"
    if all(one.answer == "equal" for one in asked.most):
        return f"all {many} take as long as {best} (within 3 %) at {at}"
    if any(_crosses(level, asked.most) for level in asked.levels[1:]):
        first = " or ".join([best, *_fastest_elsewhere(asked.most)])
        return f"which of {many} is the fastest differs between cases at {at} ({first})"
    left = list(dict.fromkeys([best, *(one.level for one in open_)]))
    if len(left) > NAMED:
        return f"cannot tell which of {many} is the fastest at {at} ({len(left)} of them may be)"
    of = "" if len(left) == len(asked.levels) else f" of {many}"
    return f"cannot tell which of {listed(left)} is the fastest{of} at {at}"


def _crosses(level: str, contexts: Sequence[Context]) -> bool:
    """Whether a level is faster than the first level in one context and slower in another."""
    found = {one.answer for one in contexts if one.level == level}
    return {"faster", "slower"} <= found


def _fastest_elsewhere(contexts: Sequence[Context]) -> list[str]:
    """Return the levels that are the fastest in some case, but for the first one."""
    by_case: dict[str, list[Context]] = {}
    for one in contexts:
        if one.answer == "faster":
            by_case.setdefault(one.where, []).append(one)
    return list(dict.fromkeys(min(those, key=lambda one: one.time.estimate).level for those in by_case.values()))


def _at(contexts: Sequence[Context]) -> str:
    """Name the thread count of the contexts, or their range."""
    counts = sorted({one.threads for one in contexts})
    return threads(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]} threads"


def _ratio(one: Context) -> str:
    # Where other programs took time, the measured ratio is not the programs' own.
    return between(one.time.interval) if one.time.bounds else times(one.time.estimate, one.time.interval)


def said_of(one: Context) -> str:
    """Say which of two levels is faster and by how much, that they are equal, or that one cannot tell."""
    ends = one.time.interval
    if one.answer == "equal":
        return f"{one.level} and {one.reference} are equal (within 3 %)"
    if one.answer == "cannot tell":
        return f"cannot tell: {one.level} takes {between(ends)} the time of {one.reference}"
    if one.answer == "slower":
        return f"{one.reference} is {_ratio(one)} as fast as {one.level}"
    inverse = Interval(1 / ends.high, 1 / ends.low)
    much = between(inverse) if one.time.bounds else times(1 / one.time.estimate, inverse)
    return f"{one.level} is {much} as fast as {one.reference}"
