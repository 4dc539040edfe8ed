"""What the threads of a run did while they did not compute, against n threads that always do.

A run of n threads and T seconds has n·T thread-seconds. Where k threads are ready or running at a moment, min(k, n) of
them are in use, and the rest is idle::

    n·T - CPU = nobody + one + few + waiting - more
    nobody    n·t(0)                  no thread was ready: all of them waited for something else
    one       (n-1)·t(1)              one thread worked while the others waited
    few       sum of (n-k)·t(k)       more than one, but fewer than n
    waiting                           ready, but without a cpu
    more                              more than n threads computed at once

t(k) comes from records of context switches, exactly, or from samples of thread states. A thread that was woken and
waits for a cpu is asleep in the records; the kernel's count of run delay (schedstat) says for how long, and that part
is moved to ``waiting``. Where more than n threads are ready, most of them wait while n others run, which is no idle
time: then as much of it is moved as there is time in which fewer than n run. Of more than n threads, those that are
woken together wait for each other first: while n run, each of the others may wait.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from knee.store.seam import Concurrency, Record

CROWDED = 0.05
"""Share of the time in which more than n threads are ready, from which on there are more threads than cpus."""

MISSED = 1.1
"""A thread that was alone for this many times its CPU time ran on after it was last sampled."""


@dataclass(frozen=True)
class Alone:
    """The time in which exactly one thread was ready or running."""

    share: float
    """Share of it that one and the same thread had."""
    intervals: int
    """How many intervals it came in."""
    longest_s: float
    helper: bool
    """Whether that thread is a helper of its runtime, such as a garbage collector."""
    own: float = math.nan
    """Share of that thread's CPU time in which it was alone."""
    place: float = math.nan
    """Its place among the threads of its process in the order in which they started: 0 is the main thread; NaN where
    there are several processes."""


@dataclass(frozen=True)
class Idle:
    """Idle thread-seconds of a run by class. ``nobody + one + few + waiting - more`` is n·T - CPU, within errors."""

    nobody: float
    one: float
    few: float
    waiting: float
    more: float
    source: Literal["records", "samples"]
    alone: Alone | None = None

    @property
    def total(self) -> float:
        """Idle thread-seconds, as the classes have them."""
        return self.nobody + self.one + self.few + self.waiting - self.more


def idle_of(record: Record, threads: int, asked: int | None = None) -> Idle | None:
    """Return what idle threads did; None where neither records nor samples say.

    Parameters
    ----------
    record
        The record.
    threads
        n, against which idle time is counted.
    asked
        How many threads the program was told to use, if that is more.
    """
    delay = _delay_s(record)
    switches = record.get("switches")
    if switches and "concurrency" in switches and "unavailable" not in switches:
        profile: Concurrency = switches["concurrency"]
        ready, running = ([ns / 1e9 for ns in each] for each in (profile["runnable_ns"], profile["running_ns"]))
        preempted = sum(count * s for count, s in enumerate(ready)) - sum(count * s for count, s in enumerate(running))
        waiting = _used(ready, threads) - _used(running, threads)
        # Run delay also has the time between waking up and running, in which the records show a sleeping thread.
        delayed = max(0.0, (delay or 0.0) - preempted - _in_turn(threads, asked or threads, running))
        woken = delayed * _share_below(threads, ready, running)
        return _classes(ready, threads, waiting, woken, _more(running, threads), "records", _alone(record))
    sampling = record.get("sampling")
    counts = (sampling.get("ready") if sampling else None) or []
    if not sum(counts):
        return None
    each = record["wall_ns"] / 1e9 / sum(counts)
    ready = [count * each for count in counts]
    # Threads beyond the cpus are ready in samples, and most of what threads waited for a cpu is theirs.
    more, delayed = _more(ready, threads), delay or 0.0
    return _classes(ready, threads, max(0.0, delayed - more), 0.0, max(0.0, more - delayed), "samples", None)


def _classes(
    ready: Sequence[float], n: int, waiting: float, woken: float, more: float,
    source: Literal["records", "samples"], alone: Alone | None,
) -> Idle:  # fmt: skip
    nobody = n * ready[0] if ready else 0.0
    one = (n - 1) * ready[1] if n > 1 and len(ready) > 1 else 0.0
    few = sum((n - count) * seconds for count, seconds in enumerate(ready) if 1 < count < n)
    asleep = nobody + one + few
    kept = max(0.0, 1 - woken / asleep) if asleep else 1.0
    moved = (1 - kept) * asleep
    return Idle(kept * nobody, kept * one, kept * few, waiting + moved, more, source, alone)


def _in_turn(n: int, asked: int, running: Sequence[float]) -> float:
    """Return how long threads beyond n may have waited for those that ran, at most."""
    return max(0, asked - n) * sum(running[n:])


def _share_below(n: int, ready: Sequence[float], running: Sequence[float]) -> float:
    """Return in which share of the time of waking up fewer than n threads run: always, unless more than n are ready."""
    whole = sum(running)
    crowded = sum(ready[n + 1 :]) > CROWDED * whole
    return sum(running[:n]) / whole if crowded and whole else 1.0


def _used(seconds: Sequence[float], n: int) -> float:
    """Return the thread-seconds in use, of at most n threads at once."""
    return sum(min(count, n) * time for count, time in enumerate(seconds))


def _more(seconds: Sequence[float], n: int) -> float:
    return sum((count - n) * time for count, time in enumerate(seconds) if count > n)


def _alone(record: Record) -> Alone | None:
    switches = record.get("switches")
    if switches is None or "concurrency" not in switches:
        return None
    profile = switches["concurrency"]
    found = profile.get("alone")
    total = profile["runnable_ns"][1] if len(profile["runnable_ns"]) > 1 else 0
    if found is None or not total:
        return None
    # Numbers are used again: of threads that had the same one, that with the most CPU time.
    same = [one for one in record["observed_threads"] if _number(one, "tid") == found["tid"]]
    thread = max(same, key=_computed_ns, default=None)
    computed = thread and _computed_ns(thread)
    return Alone(
        share=min(1.0, found["most_ns"] / total),
        intervals=found["intervals"],
        longest_s=found["longest_ns"] / 1e9,
        helper=bool(thread and thread.get("helper")),
        own=_own(found["most_ns"], computed) if computed else math.nan,
        place=_place(record, found["tid"]),
    )


def _place(record: Record, tid: int) -> float:
    # The kernel numbers threads upward, and starts again at the smallest number when it runs out.
    numbers = [_number(one, "tid") for one in record["observed_threads"]]
    tids = sorted(number for number in numbers if number is not None)
    processes = {one.get("pid") for one in record["observed_threads"]}
    return float(tids.index(tid)) if len(processes) == 1 and tid in tids else math.nan


def _computed_ns(thread: Mapping[str, Any]) -> int:
    return _number(thread, "cpu_ns") or 0


def _number(thread: Mapping[str, Any], name: str) -> int | None:
    """Return a number of an observed thread, whose form has not been checked; None where it is none."""
    value = thread.get(name)
    return value if isinstance(value, int) else None


def _own(alone_ns: int, computed_ns: int) -> float:
    """Return the share of a thread's CPU time in which it was alone; NaN where the end of a short thread was missed."""
    share = alone_ns / computed_ns
    return min(1.0, share) if share < MISSED else math.nan


def _delay_s(record: Record) -> float | None:
    waits = [thread.get("run_delay_ns") for thread in record["observed_threads"]]
    known = [wait for wait in waits if isinstance(wait, int)]
    return sum(known) / 1e9 if known and len(known) == len(waits) else None
