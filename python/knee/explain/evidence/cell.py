"""The runs of one kind: what each of them took, by block.

All arrays are by block, shape (blocks,); NaN where there is no good run. Times are seconds, CPU times too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from knee.explain.disturbance import taken
from knee.stats.intervals import Array
from knee.store import Run

CLASSES = ("nobody", "one", "few", "waiting")
"""Classes of idle time (``knee.store.records.idle``)."""


@dataclass(frozen=True)
class Cell:
    """The runs of one kind, by block."""

    threads: int
    runs: tuple[Run, ...]
    blocks: int
    work: float = 1.0
    """Its amount of work relative to the base's; times and CPU times are for the base's amount."""
    slower: float = 1.0
    """How many times as slow as usually the machine was; times are for its usual speed."""

    @property
    def _whole(self) -> tuple[Run, ...]:
        """The runs whose time is nearly that of the whole run; idle time is known of nothing less."""
        return tuple(run for run in self.runs if run.is_whole)

    @property
    def observed(self) -> float:
        """How many threads computed, as far as their shares are kept: the median over runs, NaN where none is known."""
        counts = [len(run.shares) for run in self.runs if run.shares]
        return float(np.median(counts)) if counts else np.nan

    def by_block(self, value: dict[int, float]) -> Array:
        """Return values by block."""
        found = np.full(self.blocks, np.nan)
        for block, one in value.items():
            found[block - 1] = one
        return found

    def _each(self, of: str) -> Array:
        return self.by_block({run.spec["block"]: _VALUES[of](run) for run in self.runs}) / self.work

    def _time(self, values: Array) -> Array:
        return values / self.slower

    @property
    def seconds(self) -> Array:
        """Times."""
        return self._time(self._each("seconds"))

    @property
    def cpu(self) -> Array:
        """CPU times."""
        return self._time(self._each("cpu"))

    @property
    def copy_cpu(self) -> Array:
        """CPU times of one copy, of runs of copies. A phase is that of one of them."""
        alone = any(run.spec.get("metric") for run in self.runs)
        return self.cpu / (1 if alone else self.threads)

    def taken(self, cpus: int) -> Array:
        """Return the largest share of each run's time that other programs may have cost; an unpinned run may use so
        many cpus. A clock that changed does not count.
        """
        shares = self.by_block({run.spec["block"]: taken(run, cpus, clock=False) for run in self.runs})
        return np.nan_to_num(shares)

    @property
    def system(self) -> Array:
        """CPU times inside the kernel."""
        return self._time(self._each("system"))

    @property
    def faults(self) -> Array:
        """Numbers of page faults."""
        return self._each("faults")

    @property
    def copy_faults(self) -> Array:
        """Page faults of one copy, of runs of copies. A phase is that of one of them."""
        alone = any(run.spec.get("metric") for run in self.runs)
        return self.faults / (1 if alone else self.threads)

    @property
    def sleeps(self) -> Array:
        """How often threads gave up their cpu."""
        return self._each("sleeps")

    @property
    def own_sleeps(self) -> Array:
        """How often threads that work gave up their cpu, where records of context switches tell."""
        return self._each("own sleeps")

    @property
    def turns(self) -> Array:
        """How often threads lost their cpu to others."""
        return self._each("turns")

    @property
    def helpers(self) -> Array:
        """CPU times of helpers of the runtime, such as a garbage collector."""
        return self._time(self._each("helpers"))

    @property
    def collector(self) -> Array:
        """CPU times of the garbage collector, where its threads have names."""
        return self._time(self._each("collector"))

    @property
    def on_disk(self) -> Array:
        """Thread-seconds in which threads waited for a disk."""
        return self._sampled(lambda run: run.disk_s)

    @property
    def at_file_locks(self) -> Array:
        """Thread-seconds in which threads waited for locks on files."""
        return self._sampled(lambda run: run.file_locks_s)

    def _sampled(self, of: Callable[[Run], float | None]) -> Array:
        known = {run.spec["block"]: one for run in self._whole if (one := of(run)) is not None}
        return self._time(self.by_block(known) / self.work)

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
        return self._time(self.by_block(found) / self.work)

    def alone(self, name: str) -> Array:
        """Return a number about the time in which one thread worked alone."""
        found = {r.spec["block"]: float(getattr(r.idle.alone, name)) for r in self._whole if r.idle and r.idle.alone}
        return self.by_block(found)


def _in_kernel(run: Run, name: str) -> float:
    """Return what the kernel counted in the time of a run, or of its phase; NaN where that is not known."""
    counted = run.in_kernel
    return np.nan if counted is None else float(cast("dict[str, int]", counted)[name])


_VALUES: dict[str, Callable[[Run], float]] = {
    "seconds": lambda run: run.time_s,
    "cpu": lambda run: run.cpu_s or np.nan,
    "system": lambda run: _in_kernel(run, "system_ns") / 1e9,
    "faults": lambda run: _in_kernel(run, "minor_faults"),
    "helpers": lambda run: run.helpers_s if run.is_whole else np.nan,
    "collector": lambda run: np.nan if run.collector_s is None or not run.is_whole else run.collector_s,
    "sleeps": lambda run: _in_kernel(run, "voluntary_switches"),
    "own sleeps": lambda run: np.nan if run.own_sleeps is None or not run.is_whole else run.own_sleeps,
    "turns": lambda run: _in_kernel(run, "involuntary_switches"),
}
