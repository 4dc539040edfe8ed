"""Evidence: what the runs at one thread count say, and the runs beside them that each change one thing.

All arrays are by block, shape (blocks,); NaN where there is no good run. Times are seconds, CPU times too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from knee.explain.scaling.series import Series
from knee.stats.intervals import Array, Interval, combined, t_interval
from knee.store import Run

CLASSES = ("nobody", "one", "few", "waiting")
"""Classes of idle time (``knee.store.idle``)."""

SWITCHES, ONE_CPU, COPIES, TWICE = "switches", "one cpu", "copies", "twice the threads"
ON_CORES, SPREAD, INTERLEAVED = "copies on cores", "copies with spread memory", "interleaved memory"
"""Names of questions, as run specs have them (``knee.study.questions.questions``)."""

FEWEST = 2
"""Runs that have an interval."""

AT_BASE = ", base"
"""Ends the names of runs of settings on the base's threads (``knee.study.questions.interventions``)."""


SLOW, FAR = 0.08, 5.0
"""A run of a question is unusually slow from this logarithm on, and from so many standard deviations on."""

NEARLY = 0.95
"""Share of a run that a phase must have, where idle time of the whole run stands for that of the phase."""

NORMAL = 1.4826
"""Standard deviation over the median of absolute deviations, of a normal distribution."""


@dataclass(frozen=True)
class Cell:
    """The runs of one kind, by block."""

    threads: int
    runs: tuple[Run, ...]
    blocks: int
    work: float = 1.0
    """Its amount of work relative to the base's; times and CPU times are for the base's amount."""

    @property
    def _whole(self) -> tuple[Run, ...]:
        """The runs whose time is nearly that of the whole run; idle time is known of nothing less."""
        return tuple(run for run in self.runs if run.time_s > NEARLY * run.record["wall_ns"] / 1e9)

    def by_block(self, value: dict[int, float]) -> Array:
        """Return values by block."""
        found = np.full(self.blocks, np.nan)
        for block, one in value.items():
            found[block - 1] = one
        return found

    def _each(self, of: str) -> Array:
        return self.by_block({run.spec["block"]: _VALUES[of](run) for run in self.runs}) / self.work

    @property
    def seconds(self) -> Array:
        """Times."""
        return self._each("seconds")

    @property
    def cpu(self) -> Array:
        """CPU times."""
        return self._each("cpu")

    @property
    def copy_cpu(self) -> Array:
        """CPU times of one copy, of runs of copies. A phase is that of one of them."""
        alone = any(run.spec.get("metric") for run in self.runs)
        return self.cpu / (1 if alone else self.threads)

    @property
    def system(self) -> Array:
        """CPU times inside the kernel."""
        return self._each("system")

    @property
    def faults(self) -> Array:
        """Numbers of page faults."""
        return self._each("faults")

    @property
    def sleeps(self) -> Array:
        """How often threads gave up their cpu."""
        return self._each("sleeps")

    @property
    def turns(self) -> Array:
        """How often threads lost their cpu to others."""
        return self._each("turns")

    @property
    def helpers(self) -> Array:
        """CPU times of helpers of the runtime, such as a garbage collector."""
        return self._each("helpers")

    @property
    def collector(self) -> Array:
        """CPU times of the garbage collector, where its threads have names."""
        return self._each("collector")

    @property
    def on_disk(self) -> Array:
        """Thread-seconds in which threads waited for a disk."""
        known = {run.spec["block"]: run.disk_s for run in self._whole if run.disk_s is not None}
        return self.by_block(known) / self.work

    @property
    def at_file_locks(self) -> Array:
        """Thread-seconds in which threads waited for locks on files."""
        known = {run.spec["block"]: run.file_locks_s for run in self._whole if run.file_locks_s is not None}
        return self.by_block(known) / self.work

    def pages(self) -> dict[str, float]:
        """Return which share of the pages each memory node had; empty where pages were not counted."""
        found: dict[str, float] = {}
        for run in self.runs:
            counts: dict[str, Any] = run.record.get("pages") or {}
            total = sum(count for count in counts.values() if isinstance(count, int))
            for node, count in counts.items():
                if total and isinstance(count, int):
                    found[node] = found.get(node, 0.0) + count / total / len(self.runs)
        return found

    def idle(self, name: str) -> Array:
        """Return idle thread-seconds of a class."""
        found = {run.spec["block"]: getattr(run.idle, name) for run in self._whole if run.idle is not None}
        return self.by_block(found) / self.work

    def alone(self, name: str) -> Array:
        """Return a number about the time in which one thread worked alone."""
        found = {r.spec["block"]: float(getattr(r.idle.alone, name)) for r in self._whole if r.idle and r.idle.alone}
        return self.by_block(found)


_VALUES: dict[str, Callable[[Run], float]] = {
    "seconds": lambda run: run.time_s,
    "cpu": lambda run: run.cpu_s or np.nan,
    "system": lambda run: run.record["system_ns"] / 1e9,
    "faults": lambda run: run.record["rusage"]["minor_faults"],
    "helpers": lambda run: run.helpers_s,
    "collector": lambda run: np.nan if run.collector_s is None else run.collector_s,
    "sleeps": lambda run: run.record["rusage"]["voluntary_switches"],
    "turns": lambda run: run.record["rusage"]["involuntary_switches"],
}


@dataclass(frozen=True)
class Evidence:
    """All runs that explain one thread count of a series."""

    series: Series
    threads: int
    base: Cell
    many: Cell
    tests: dict[str, Cell] = field(default_factory=dict[str, Cell])
    """Runs that change one thing, by the name of their question."""

    failed: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    """Questions whose runs all failed: how many runs, and why the last one did."""

    @property
    def asked(self) -> bool:
        """Whether questions were asked; copies alone (``--copies``) are none."""
        return any("test" in run.spec for cell in self.tests.values() for run in cell.runs)

    def test(self, name: str) -> Cell | None:
        """Return the runs of a question, if there are any."""
        return self.tests.get(name)

    def setting(self, cause: str) -> Cell | None:
        """Return the runs, on all threads, with the changed setting that tests a cause, if there are any."""
        named = (
            cell for name, cell in self.tests.items() if name.startswith(f"{cause}: ") and not name.endswith(AT_BASE)
        )
        return next(named, None)

    def mapped(self, pattern: str) -> bool:
        """Whether the program had a file mapped, as a program or library, whose name begins with this pattern."""
        for run in (*self.many.runs, *self.base.runs):
            files = run.record.get("mapped") or {"programs": [], "libraries": []}
            names = [*(path.rpartition("/")[2] for path in files["programs"]), *files["libraries"]]
            if any(re.match(pattern, name) for name in names):
                return True
        return False

    @property
    def watched(self) -> Cell:
        """The runs that say what idle threads did: those with records of context switches, if there are any."""
        records = self.tests.get(SWITCHES)
        if records is None:
            return self.many
        if len(records.runs) >= FEWEST:
            return records
        # One alone has no interval, and the program's own runs have samples of the same.
        others = tuple(run for run in self.many.runs if run.spec["block"] != records.runs[0].spec["block"])
        return replace(self.many, runs=(*others, *records.runs))


def evidence(series: Series, threads: int) -> Evidence:
    """Gather the evidence on one thread count."""
    blocks = max(run.spec["block"] for run in (*series.runs, *series.asked))
    base = series.curve.base

    def cell(runs: Iterable[Run], count: int) -> Cell:
        good = tuple(run for run in runs if run.bad is None)
        return Cell(count, good, blocks, threads / base if series.weak and count != base else 1.0)

    def answer(runs: list[Run]) -> Cell:
        made = cell(runs, runs[0].threads)
        return replace(made, runs=_without_slow(made.runs, slow))

    slow = _unusual(series)
    by_test: dict[str, list[Run]] = {}
    for run in series.asked:
        name = run.spec.get("test") or (COPIES if run.role == "copies" else None)
        if name is not None and run.cell["threads"] == threads:
            by_test.setdefault(name, []).append(run)
    tests = {name: answer(runs) for name, runs in by_test.items()}
    one, many = (cell(series.by_threads[count], count) for count in (base, threads))
    bad = {name: [run.bad or "" for run in made] for name, made in by_test.items() if not tests[name].runs}
    failed = {name: (len(reasons), reasons[-1]) for name, reasons in bad.items()}
    return Evidence(series, threads, one, many, {name: one for name, one in tests.items() if one.runs}, failed)


def _unusual(series: Series) -> float:
    """Return by how much a run is unusually slow, in logarithms, as the study's own runs vary."""
    logs = [np.log(series.seconds(point.threads)) for point in series.curve.points]
    off = np.concatenate([np.abs(one - np.nanmedian(one)) for one in logs if np.isfinite(one).any()])
    return max(SLOW, FAR * NORMAL * float(np.nanmedian(off)))


def _without_slow(runs: tuple[Run, ...], slow: float) -> tuple[Run, ...]:
    """Leave out runs of a question that something else made slow: at most one in five, and two must be left."""
    most = len(runs) // 5
    if not most:
        return runs
    logs = np.log([run.time_s for run in runs])
    late = [number for number in np.argsort(-logs)[:most] if logs[number] - np.median(logs) > slow]
    # Where more are as slow, the question itself has two answers.
    if (logs - np.median(logs) > slow).sum() > most:
        return runs
    return tuple(run for number, run in enumerate(runs) if number not in late)


def against(values: Array, others: Array) -> Mean:
    """Return the logarithm of a ratio of geometric means; the runs of both may be in different blocks."""
    logs, reference = (np.log(each[np.isfinite(each)]) for each in (values, others))
    value, ends = combined(logs, [(-1.0, reference)])
    return Mean(value, ends, min(logs.size, reference.size))


@dataclass(frozen=True)
class Mean:
    """The mean of one value per block, with its interval."""

    value: float
    interval: Interval
    blocks: int


def mean(values: Array) -> Mean:
    """Return the mean over the blocks that have a value."""
    known = values[np.isfinite(values)]
    return Mean(float(known.mean()) if known.size else np.nan, t_interval(known), int(known.size))


def over(values: Array, others: Array) -> Mean:
    """Return a ratio of means, which may be near 0; the runs of both may be in different blocks.

    The interval is that of the linearised ratio, by Welch's method.
    """
    upper, lower = (each[np.isfinite(each)] for each in (values, others))
    if not upper.size or not lower.size:
        return Mean(np.nan, Interval(np.nan, np.nan), 0)
    ratio = float(upper.mean() / lower.mean())
    _, ends = combined(upper / lower.mean(), [(-ratio, lower / lower.mean())])
    return Mean(ratio, ends.shifted(ratio), min(upper.size, lower.size))
