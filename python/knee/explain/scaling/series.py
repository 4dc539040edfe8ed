"""Groups the runs of a study into series: one curve for each combination of levels other than threads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from knee.explain.disturbance import taken
from knee.stats.intervals import Array, Ratio, ratio
from knee.stats.paired import Comparison, allowing, paired
from knee.stats.scaling.curve import Curve, curve
from knee.store import INPUTS, Level, Run, counted, is_trial
from knee.store.records.twins import twins

BARE = ("placement", "runtime", "workload")
"""Factors whose levels are shown without the factor's name."""


@dataclass(frozen=True)
class Series:
    """A curve and its runs."""

    name: str
    levels: dict[str, str]
    runs: tuple[Run, ...]
    counting: tuple[Run, ...]
    """Runs with counters: counting runs, or the timed runs if these have counters."""
    curve: Curve
    cpus: int
    """Number of cpus that its threads could use: those of the placement, or all allowed ones if unpinned."""
    allowed: int
    """Number of cpus that the study was allowed to use."""
    copies: dict[int, Ratio]
    """Number of copies to their time over that of one copy, if the study ran copies."""
    copied: tuple[Run, ...]
    """The runs of copies."""
    one_cpu: dict[int, Ratio]
    """Thread count to its CPU time over that of one thread with all threads on one cpu, if the study has such a
    placement.
    """
    asked: tuple[Run, ...] = ()
    """Runs that explain the loss: each answers a question about the thread count of its cell."""
    weak: bool = False
    """Whether the input grows with the threads (weak scaling). The work is then n/base times as much."""

    @cached_property
    def by_threads(self) -> dict[int, list[Run]]:
        """The runs on each thread count."""
        return _by_threads(self.runs)

    @property
    def fitting(self) -> list[int]:
        """Thread counts with a cpu for each thread. Beyond them threads take turns, and no law or knee applies."""
        return [point.threads for point in self.curve.points if point.threads <= self.cpus]

    def uses_every_cpu(self, threads: int) -> bool:
        """Whether this many threads use every cpu of the machine, or of a placement with fewer cpus."""
        largest = self.curve.points[-1].threads
        return threads == self.cpus and (self.cpus >= self.allowed or largest > self.cpus)

    @property
    def pinned(self) -> bool:
        """Whether knee chose the cpus."""
        return self.levels.get("placement") != "none"

    @property
    def inputs(self) -> list[str]:
        """The factors whose levels say what there is to do: the workload, its inputs, and what the study names."""
        return inputs(self.runs[0], self.levels)

    @property
    def work(self) -> str:
        """What there is to do, in words. Times and speedups of different work must not be compared."""
        return cell_words(self.levels, self.inputs)

    @cached_property
    def _blocks(self) -> int:
        return max(run.spec["block"] for run in self.runs)

    def seconds(self, threads: int, *, cpu: bool = False) -> Array:
        """Return times or CPU times by block, for the base's amount of work, shape (blocks,); NaN where unknown."""
        of_count = self.by_threads.get(threads, [])
        return table(of_count, threads, self._blocks, cpu=cpu) / (threads / self.curve.base if self.weak else 1)

    def against(self, threads: int, other: int) -> Comparison:
        """Compare the time at one thread count with that at another, for the same work, block by block.

        The interval allows for all time that other programs may have cost.
        """
        return allowing(paired, self.seconds(other), self.seconds(threads), self.taken(other), self.taken(threads))

    def copies_over_one(self, threads: int) -> Comparison:
        """Return the time of copies over that of one copy, allowing for other programs."""
        base = self.curve.base
        copies, one = (
            (table(runs, n, self._blocks, cpu=False), self._taken(runs, n))
            for runs, n in ((self.copied, threads), (self.by_threads[base], base))
        )
        return allowing(paired, one[0], copies[0], one[1], copies[1])

    def counted(self, counter: str, threads: int) -> Ratio:
        """Return a counter for the base's amount of work, over its value in the base."""
        return ratio(self.counts(counter, threads), self.counts(counter, self.curve.base))

    def counts(self, counter: str, threads: int) -> Array:
        """Return a counter by block, for the base's amount of work, shape (blocks,); NaN where unknown."""
        found = _counter_table(self.counting, counter, threads, self._blocks)
        return found / (threads / self.curve.base if self.weak else 1)

    def counting_cpu(self, threads: int) -> Array:
        """Return CPU times of the runs that count, like :meth:`counts`."""
        found = table(self.counting, threads, self._blocks, cpu=True)
        return found / (threads / self.curve.base if self.weak else 1)

    def taken(self, threads: int, blocks: int | None = None, *, clock: bool = True) -> Array:
        """Return the largest share of each block's time that other programs may have cost, shape (blocks,).

        ``clock`` says whether a clock that changed counts as well.
        """
        return self._taken(self.by_threads.get(threads, []), threads, blocks, clock=clock)

    def _taken(self, runs: Sequence[Run], threads: int, blocks: int | None = None, *, clock: bool = True) -> Array:
        shares = np.zeros(blocks or self._blocks)
        for run in runs:
            if run.threads == threads and run.bad is None:
                shares[run.spec["block"] - 1] = taken(run, self.cpus, clock=clock)
        return shares


EXPLAINING = ("copies", "one-cpu", "more-threads", "busy-cores", "co-runner", "placement", "remedy", "intervention")
"""Roles of runs that may answer a question."""

DRAWN = ("measure", "counting", *EXPLAINING)
"""Roles of the runs in a series: runs of the design, counting runs, and those that explain."""


def group(runs: list[Run], allowed: int, *, weak: bool = False) -> list[Series]:
    """Return the series of a study that have a good base run, in the order of the plan."""
    grouped: dict[str, list[Run]] = {}
    runs = [run for run in runs if run.role in DRAWN]
    factors = {name for run in runs for name in run.cell if name != "threads"}
    varying = {name for name in factors if len({run.cell.get(name) for run in runs}) > 1}
    # The name and the sort key of a cell are computed once for all of its runs.
    cells = {_cell(run): run for run in runs}
    names = {cell: _name(cells[cell], varying) for cell in sorted(cells, key=lambda cell: _sort_key(cells[cell]))}
    for name in names.values():
        grouped.setdefault(name, [])
    for run in runs:
        grouped[names[_cell(run)]].append(run)
    made = [_series(name, members, allowed, weak=weak) for name, members in grouped.items()]
    usable = [series for series in made if series is not None]
    return [replace(one, one_cpu=_one_cpu(one, usable)) for one in usable]


def _one_cpu(series: Series, others: list[Series]) -> dict[int, Ratio]:
    """Return CPU times with all threads on one cpu, from a series that differs only in that placement."""
    rest = _without_placement(series)
    alike = [one for one in others if one.cpus == 1 and one.pinned and _without_placement(one) == rest]
    return {point.threads: point.cpu for one in alike for point in one.curve.points if point.threads > 1}


def same_cpus(one: Series, other: Series) -> bool:
    """Whether two series differ in their placement alone, and that puts threads on the same cpus at every thread count.

    Then their times differ by chance alone.
    """
    return _without_placement(one) == _without_placement(other) and bool(same_placements((one, other)))


def same_placements(series: Sequence[Series]) -> dict[str, str]:
    """Return the placements that put threads on the same cpus here as an earlier one, each with that one."""
    return twins(run.spec for one in series for run in one.runs)


def distinct(series: Sequence[Series]) -> list[Series]:
    """Return the series without those whose placement is the same here as that of an earlier one."""
    kept: list[Series] = []
    for one in series:
        if not any(same_cpus(other, one) for other in kept):
            kept.append(one)
    return kept


def inputs(run: Run, factors: Iterable[str]) -> list[str]:
    """Return the factors whose levels say what there is to do: the workload, its inputs, and what the study names."""
    own = INPUTS if "workload" in run.spec["program"] else ()
    return [name for name in factors if name in ("workload", *own, *run.inputs)]


def _without_placement(series: Series) -> dict[str, str]:
    return {name: level for name, level in series.levels.items() if name != "placement"}


def _cell(run: Run) -> tuple[tuple[str, Level], ...]:
    return tuple(run.cell.items())


def _sort_key(run: Run) -> list[str]:
    cell = run.spec["cell"]
    # Unpinned runs are the negative control and come last.
    return [
        str(cell.get("placement") == "none"),
        *(f"{k}={cell[k]}" for k in sorted(cell) if k != "threads"),
    ]


def word_of(factor: str, level: Level) -> str:
    """Return what a level is called beside its factor: the kernel's own placement is ``unpinned``."""
    return "unpinned" if (factor, level) == ("placement", "none") else str(level)


def called(factor: str, level: Level) -> str:
    """Return what a level is called in names and sentences: a number has the name of its factor."""
    return f"{factor}={level}" if str(level).replace(".", "", 1).isdigit() else word_of(factor, level)


def cell_words(cell: Mapping[str, Level], names: Iterable[str]) -> str:
    """Return these levels of a cell in words."""
    return ", ".join(called(n, cell[n]) if n in BARE else f"{n}={cell[n]}" for n in names if n in cell)


def _name(run: Run, varying: set[str]) -> str:
    cell = run.spec["cell"]
    return cell_words(cell, [name for name in cell if name in varying] or ["placement"])


def _series(name: str, members: list[Run], allowed: int, *, weak: bool) -> Series | None:
    runs = [run for run in members if not run.is_control]
    if not runs:
        return None
    blocks = max(run.spec["block"] for run in members)
    by_threads = _by_threads(runs)
    times = {n: table(by_threads[n], n, blocks, cpu=False) for n in sorted(by_threads)}
    cpu = {n: table(by_threads[n], n, blocks, cpu=True) for n in times}
    fitted = curve(times, cpu, weak=weak)
    if fitted is None:
        return None
    copies = [run for run in members if run.role == "copies"]
    slowed = {
        n: ratio(table(copies, n, blocks, cpu=False), times[1])
        for n in {run.threads for run in copies}
        # A copy runs on one thread, so only that compares.
        if fitted.base == 1
    }
    levels = {key: str(level) for key, level in runs[0].spec["cell"].items() if key != "threads"}
    counting = [run for run in members if run.role == "counting" and "test" not in run.spec]
    # What was tried is no answer to a question, also where both change the same.
    asked = tuple(run for run in members if not is_trial(run.spec) and (run.role in EXPLAINING or "test" in run.spec))
    cpus = _cpus(runs) or allowed
    counted_runs = tuple(counting or runs)
    return Series(
        name, levels, tuple(runs), counted_runs, fitted, cpus, allowed, slowed, tuple(copies),
        one_cpu={}, asked=asked, weak=weak,
    )  # fmt: skip


def _cpus(runs: list[Run]) -> int:
    """Return the largest number of cpus that the runs were pinned to; 0 if they were unpinned.

    In a rehearsal each thread has a cpu of its own.
    """
    if all(run.rehearsed for run in runs):
        return max(run.threads for run in runs)
    return max(len(set(run.spec["cpus"])) for run in runs)


def _by_threads(runs: Sequence[Run]) -> dict[int, list[Run]]:
    by_threads: dict[int, list[Run]] = {}
    for run in runs:
        by_threads.setdefault(run.threads, []).append(run)
    return by_threads


def table(runs: Sequence[Run], threads: int, blocks: int, *, cpu: bool) -> Array:
    """Return times or CPU times by block, shape (blocks,); NaN without a good run."""
    values = np.full(blocks, np.nan)
    for run in runs:
        if run.threads == threads and run.bad is None:
            value = run.cpu_s if cpu else run.time_s
            values[run.spec["block"] - 1] = value or np.nan
    return values


def _counter_table(runs: Sequence[Run], counter: str, threads: int, blocks: int) -> Array:
    """Return a counter by block, shape (blocks,); NaN where no good run has it."""
    values = np.full(blocks, np.nan)
    for run in runs:
        if run.threads == threads and run.bad is None and (one := counted(run.record).get(counter)) is not None:
            values[run.spec["block"] - 1] = one.value or np.nan
    return values
