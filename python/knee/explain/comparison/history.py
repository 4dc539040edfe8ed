"""Speedups over time: the same study made repeatedly, in the order of dates.

A speedup is a ratio within one session, so a day on which the whole machine is slower does not change it. The remaining
difference between sessions widens the comparison of each study with the one before. Every two studies have a difference
of their own, and perhaps every speedup, so all changes of a history are corrected together (Holm), up and down: one
history in twenty claims a change where there is none.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from knee.explain.comparison.cells import Side
from knee.explain.comparison.notes import differences, marks
from knee.explain.scaling.series import Series, group
from knee.stats.answers import MARGIN, Answer
from knee.stats.intervals import Array, Interval
from knee.stats.paired import Comparison, answers_apart, unpaired
from knee.store import SCHEMA, StudyError, finite

Change = Literal["higher", "lower", "equal", "cannot tell", "first"]
"""The change of a speedup from the study before; ``first`` if there is none before."""

NAMED = 2
"""Curves that are named in the sentence; of more it says how many."""

CHANGES: dict[Answer, Change] = {"slower": "higher", "faster": "lower", "equal": "equal", "cannot tell": "cannot tell"}
"""Maps the answer about a ratio of speedups (in place of times) to a change."""


@dataclass(frozen=True)
class Past:
    """The speedup of a series on one thread count in one study."""

    study: str
    date: str
    series: str
    threads: int
    base: int
    base_s: float
    """Time on the fewest threads in seconds, as a geometric mean."""
    speedup: float
    interval: Interval
    blocks: int
    change: Change
    before: str | None = None
    """The study that it is compared with: the last one before it that has this line; None for the first."""
    beside: str = ""
    """What else its speedup is of, where others of the same series and thread count are of something else."""

    @property
    def line(self) -> str:
        """What series and thread count are called together."""
        return f"{self.series} on {self.threads} threads{self.beside}"


@dataclass(frozen=True)
class History:
    """Speedups of several studies, by series and thread count and then by date."""

    studies: tuple[str, ...]
    session_spread: float
    points: tuple[Past, ...]
    notes: tuple[str, ...]

    @property
    def latest(self) -> list[Past]:
        """The points of the last study."""
        return [one for one in self.points if one.study == self.studies[-1]]

    @property
    def lines(self) -> dict[str, list[Past]]:
        """The points of each series and thread count, by what these are called."""
        found: dict[str, list[Past]] = {}
        for one in self.points:
            found.setdefault(one.line, []).append(one)
        return found

    @property
    def sentence(self) -> str:
        """What became of the speedups from the last study but one to the last."""
        latest = {self._called(one): one for one in self.latest if one.change != "first"}
        said = [
            f"{name}: {one.change}, now {_speedup(one)}"
            for name, one in latest.items()
            if one.change in ("higher", "lower")
        ]
        for word, change in ((f"equal within {100 * MARGIN:.0f} %", "equal"), ("cannot tell", "cannot tell")):
            said += _counted(word, [name for name, one in latest.items() if one.change == change])
        return f"{self.studies[-1]} against the study before: {'; '.join(said) or 'nothing to compare'}."

    def _called(self, one: Past) -> str:
        """Name a line of the last study; where others are between, also the study that it is compared with."""
        return one.line if one.before == self.studies[-2] else f"{one.line} (against {one.before})"

    def to_json(self) -> dict[str, Any]:
        """Return plain data, with null for unknown numbers."""
        return cast("dict[str, Any]", finite({"schema": SCHEMA, "sentence": self.sentence} | asdict(self)))


def _counted(word: str, lines: list[str]) -> list[str]:
    """Say which lines have an answer; of many, how many."""
    if not lines:
        return []
    return [f"{word}: {' and '.join(lines) if len(lines) <= NAMED else f'{len(lines)} curves'}"]


def _speedup(one: Past) -> str:
    ends = "" if one.interval.low != one.interval.low else f" [{one.interval.low:.2f}, {one.interval.high:.2f}]"
    return f"{one.speedup:.2f}x{ends}"


def history(sides: Sequence[Side], session_spread: float) -> History:
    """Return the speedups of studies in the order of their first runs.

    Raises
    ------
    StudyError
        When a study has no runs, or no two studies have a series and thread count in common.
    """
    empty = [side.name for side in sides if not side.runs]
    if empty:
        hint = f"knee study --resume {shlex.quote(empty[0])}"
        raise StudyError(f"cannot compare: {empty[0]} has no runs yet", hint=hint)
    dated = sorted(((_date(side), side) for side in sides), key=lambda one: one[0])
    curves = [(date, side.name, _series(side)) for date, side in dated]
    lines: list[_Line] = []
    # Speedups over other bases, or of work that grows with the threads, are other numbers.
    kinds = dict.fromkeys((key, _kind(one)) for _, _, series in curves for key, one in series.items())
    for levels, kind in kinds:
        having = [one for one in curves if levels in one[2] and _kind(one[2][levels]) == kind]
        beside = kind.words if sum(key == levels for key, _ in kinds) > 1 else ""
        lines += _lines([(date, name, series[levels]) for date, name, series in having], beside)
    if not lines:
        hint = "`knee report` shows the series and thread counts of a study"
        common = "a series and a thread count in common, over the same fewest threads and with the same metric"
        raise StudyError(f"cannot compare: no two studies have {common}", hint=hint)
    notes = [f"{b.name}: {line}" for (_, a), (_, b) in itertools.pairwise(dated)
             for line in differences(a, b, ("before", "now"))]  # fmt: skip
    notes += [line for _, side in dated for line in marks(side.name, side)]
    points = _points(lines, session_spread)
    return History(tuple(side.name for _, side in dated), session_spread, tuple(points), tuple(notes))


def _date(side: Side) -> str:
    return min(run.record["start"] for run in side.runs)


def _series(side: Side) -> dict[str, Series]:
    """Return the curves of a study by their levels, which identify a series across studies."""
    allowed = len(side.machine["allowed"]["cpus"])
    found = group(side.runs, allowed, weak=any(run.work > 1 for run in side.runs))
    return {json.dumps(one.levels, sort_keys=True): one for one in found}


@dataclass(frozen=True)
class _Kind:
    """What speedups have to share where they are compared."""

    base: int
    weak: bool
    metric: str

    @property
    def words(self) -> str:
        """It in words, to follow a thread count."""
        return f" over {self.base}{', of a growing input' if self.weak else ''}, by {self.metric}"


def _kind(series: Series) -> _Kind:
    metric = series.runs[0].spec.get("metric")
    return _Kind(series.curve.base, series.weak, json.dumps(metric, sort_keys=True) if metric else "the run time")


@dataclass(frozen=True)
class _Line:
    """A series at one thread count: date, study and series of each study that has it."""

    threads: int
    measured: list[tuple[str, str, Series]]
    beside: str


def _lines(of_series: Sequence[tuple[str, str, Series]], beside: str) -> list[_Line]:
    """Return one series by thread count, where two studies or more have it."""
    counts = [[n for n in one.fitting if n != one.curve.base] for _, _, one in of_series]
    shared = [n for n in sorted({n for of in counts for n in of}) if sum(n in of for of in counts) > 1]
    return [_Line(n, [one for one, of in zip(of_series, counts, strict=True) if n in of], beside) for n in shared]


def _points(lines: Sequence[_Line], spread: float) -> list[Past]:
    """Return the speedups of all lines, each compared with the one before."""
    pairs = [(a, b, line.threads) for line in lines for (_, _, a), (_, _, b) in itertools.pairwise(line.measured)]
    changes = iter(_changes(pairs, spread))
    return [
        replace(
            _point(*one, line.threads, next(changes) if number else "first"),
            before=line.measured[number - 1][1] if number else None,
            beside=line.beside,
        )
        for line in lines
        for number, one in enumerate(line.measured)
    ]


def _point(date: str, name: str, series: Series, n: int, change: Change) -> Past:
    time = series.against(n, series.curve.base)
    ends = Interval(1 / time.interval.high, 1 / time.interval.low)
    base = series.curve.at(series.curve.base)
    return Past(
        name, date, series.name, n, series.curve.base, base.mean_s, 1 / time.estimate, ends, time.values, change
    )


def _changes(pairs: Sequence[tuple[Series, Series, int]], spread: float) -> list[Change]:
    """Return how each speedup compares with the one before; "cannot tell" where other programs may be the reason."""
    seen = [unpaired(_speedups(a, n), _speedups(b, n), spread) for a, b, n in pairs]
    as_seen: list[Change] = [CHANGES[word] for word in answers_apart(seen)]
    worst = [_worst(*one, spread) for one in zip(as_seen, pairs, seen, strict=True)]
    # Allowing for others, the answers are corrected for their number as well.
    careful: list[Change] = [CHANGES[word] for word in answers_apart(worst)]
    return [
        change if not _disturbed(*pair) or (change == held and change in ("higher", "lower")) else "cannot tell"
        for change, held, pair in zip(as_seen, careful, pairs, strict=True)
    ]


def _disturbed(a: Series, b: Series, n: int) -> bool:
    return any(one.taken(count).any() for one in (a, b) for count in (n, one.curve.base))


def _worst(change: Change, pair: tuple[Series, Series, int], seen: Comparison, spread: float) -> Comparison:
    """Return the comparison in which other programs took what leaves least of the change that is seen."""
    a, b, n = pair
    if not _disturbed(a, b, n):
        return seen
    # What others took on the base makes a speedup larger, and on the other count smaller.
    if change == "higher":
        return unpaired(_speedups(a, n, of=n), _speedups(b, n, of=b.curve.base), spread)
    if change == "lower":
        return unpaired(_speedups(a, n, of=a.curve.base), _speedups(b, n, of=n), spread)
    return seen


def _speedups(series: Series, n: int, *, of: int | None = None) -> Array:
    """Return the speedup of each block, shape (blocks,); without what others may have taken on one count."""
    base, many = (
        series.seconds(count) * (1 - series.taken(count) if count == of else 1) for count in (series.curve.base, n)
    )
    blocks = min(base.size, many.size)
    return np.asarray(base[:blocks] / many[:blocks])
