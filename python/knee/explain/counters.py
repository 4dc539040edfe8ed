"""Summarises the counters of a study: medians over the runs of each cell, and why some have no value."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import median

from knee.explain.scaling.series import Series
from knee.store import Counted, Run, counted


@dataclass(frozen=True)
class Median:
    """The median of a counter over the good runs of a cell.

    ``runs`` is the number of runs with a value. ``counted_share`` is the smallest share of the time in which the event
    was really counted; None when it was counted all the time.
    """

    series: str
    threads: int
    counter: str
    value: float
    unit: str
    runs: int
    counted_share: float | None


@dataclass(frozen=True)
class Counters:
    """The counters of a study; empty when it asked for none.

    ``asked`` are the requested names; ``medians`` also has values of parts of the machine, like ``numa_hit@node0``.
    ``remarks`` says what a value covers if that is not the program alone, and known errors; ``missing`` gives the
    reason if no good run has a value, ``partly`` the number of runs without one, and why.
    """

    asked: list[str]
    medians: list[Median]
    remarks: dict[str, list[str]]
    missing: dict[str, str]
    partly: dict[str, str]

    @property
    def known(self) -> list[str]:
        """Requested names that have a value in some run."""
        return [name for name in self.asked if name not in self.missing]


def counters(runs: list[Run], series: list[Series]) -> Counters:
    """Return the counters of all series. Of copies and baselines only reasons for missing values are used."""
    asked = [*dict.fromkeys(name for run in runs for name in run.spec.get("counters", []))]
    counting = [run for run in runs if run.spec.get("counters")]
    by_run = {run.spec["id"]: counted(run.record) for run in [r for r in counting if r.bad is None] or counting}
    said = list(by_run.values())
    medians = [one for member in series for one in _medians(member, by_run)]
    having = {one.counter for one in medians}
    reasons = {name: _reason(said, name) for name in asked}
    return Counters(
        asked=asked,
        medians=medians,
        remarks={name: remarks for name in having if (remarks := _remarks(said, name))},
        missing={name: why or "no good run has it" for name, why in reasons.items() if name not in having},
        partly={name: _share(said, name, why) for name, why in reasons.items() if name in having and why},
    )


def _medians(series: Series, said: dict[str, dict[str, Counted]]) -> list[Median]:
    medians: list[Median] = []
    by_threads: dict[int, list[dict[str, Counted]]] = {}
    for run in series.counting:
        if run.bad is None:
            by_threads.setdefault(run.threads, []).append(said.get(run.spec["id"], {}))
    for threads in (point.threads for point in series.curve.points):
        cell = by_threads.get(threads, [])
        for name in dict.fromkeys(name for run in cell for name in run):
            values = [run[name] for run in cell if name in run and run[name].value is not None]
            if values:
                medians.append(_median(series.name, threads, name, values))
    return medians


def _median(series: str, threads: int, name: str, values: list[Counted]) -> Median:
    middle = median(one.value for one in values if one.value is not None)
    shares = [one.counted_share for one in values if one.counted_share is not None]
    return Median(series, threads, name, middle, values[0].unit, len(values), min(shares, default=None))


def _reason(said: list[dict[str, Counted]], name: str) -> str:
    """Return the most frequent reason why a counter has no value; empty when every run has one."""
    reasons = Counter(run[name].unavailable for run in said if name in run and run[name].unavailable)
    return reasons.most_common(1)[0][0] if reasons else ""


def _share(said: list[dict[str, Counted]], name: str, why: str) -> str:
    without = sum(1 for run in said if name in run and run[name].unavailable)
    return f"no value in {without} of {len(said)} runs: {why}"


def _remarks(said: list[dict[str, Counted]], name: str) -> list[str]:
    remarks = [text for run in said if name in run for text in (run[name].scope, run[name].caution) if text]
    return sorted(set(remarks))
