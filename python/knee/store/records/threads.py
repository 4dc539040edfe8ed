"""Sums over the observed threads of a record.

The form of observed threads is not checked when a record is read, but when they are asked for
(``knee.store.files.observed``): so any of their values may be missing here, or of another kind.
"""

from __future__ import annotations

from typing import cast

from knee.store.seam import Record

MOST_SHARES = 64
"""Of a run's threads only the largest shares are kept."""

COMPUTES = 0.02
"""Share of the CPU time from which on a thread counts."""

WORKS, MOST_OF_IT = 0.4, 0.7
"""A thread works that has this share of an equal part of the CPU time; those that work must have so much of all."""

COLLECTORS = ("GC Thread#", "G1 ", "ZWorker", "ZDriver", "Shenandoah ", "VM Thread")
"""How the names of threads begin that collect garbage. That of the Java VM itself does so for the serial collector."""

JAVA = "VM Thread"
"""A thread that each Java VM has."""

KINDS = {"G1 ": "G1", "Z": "ZGC", "Shenandoah ": "Shenandoah", "GC Thread#": "the parallel collector"}
"""Which collector other threads are of, by how their names begin. G1 has some of the last kind as well."""


def shares(record: Record) -> tuple[float, ...]:
    """Return the threads' shares of their CPU time, the largest first, at most :data:`MOST_SHARES`."""
    times: list[object] = [thread.get("cpu_ns") for thread in record["observed_threads"]]
    known = sorted((time for time in times if isinstance(time, int) and time > 0), reverse=True)
    total = sum(known)
    return tuple(time / total for time in known[:MOST_SHARES]) if total else ()


def computing(shares: tuple[float, ...]) -> int:
    """Return how many threads computed, of which more than a trifle is known."""
    return sum(share > COMPUTES for share in shares)


def own_sleeps(record: Record, threads: int) -> int | None:
    """Return how often the threads that work gave up their cpu; None where that is not known of each.

    A thread works that has two fifths of an equal share of the CPU time: one that starts the others and hands work to
    them sleeps as often as it has to wait for them, which is no sign of waits among those. In a short run the one that
    starts a Java VM has a quarter.
    """
    seen: list[tuple[object, object]] = [
        (thread.get("cpu_ns"), thread.get("switches"))
        for thread in record["observed_threads"]
        if not thread.get("helper")
    ]
    known = [
        (time, cast("dict[str, object]", one).get("voluntary") if isinstance(one, dict) else None)
        for time, one in seen
        if isinstance(time, int)
    ]
    total = sum(time for time, _ in known)
    works = [(time, often) for time, often in known if time > WORKS * total / max(1, threads)]
    counts = [often for _, often in works if isinstance(often, int)]
    # Where threads come and go, none of them has much.
    enough = len(works) > 1 and sum(time for time, _ in works) > MOST_OF_IT * total
    return sum(counts) if enough and len(counts) == len(works) else None


def helpers_s(record: Record) -> float:
    """Return the CPU time of helpers of the program's runtime, such as a garbage collector, in seconds."""
    times: list[object] = [thread.get("cpu_ns") for thread in record["observed_threads"] if thread.get("helper")]
    return sum(time for time in times if isinstance(time, int)) / 1e9


def in_processes(record: Record) -> bool:
    """Whether several processes computed, and no second thread of any of them."""
    by_process: dict[int, list[int]] = {}
    seen: list[tuple[object, object]] = [(one.get("pid"), one.get("cpu_ns")) for one in record["observed_threads"]]
    for pid, time in seen:
        if isinstance(pid, int) and isinstance(time, int):
            by_process.setdefault(pid, []).append(time)
    total = sum(map(sum, by_process.values()))
    # Each of many processes may have little of the time, such as compilers that `make` starts. What further threads of
    # a process compute is a trifle of all, and less than what its largest does.
    alone = [sum(times) for times in by_process.values() if sum(times) - max(times) < min(COMPUTES * total, max(times))]
    return bool(alone) and max(alone) < (1 - COMPUTES) * total < sum(alone)


def collector_s(record: Record) -> float | None:
    """Return the CPU time of the garbage collector's threads, in seconds; None where none has the name of one.

    Other runtimes have helpers, too, and collect in threads that have no name.
    """
    helpers = [thread for thread in record["observed_threads"] if thread.get("helper")]
    times: list[object] = [one.get("cpu_ns") for one in helpers if str(one.get("name")).startswith(COLLECTORS)]
    return sum(time for time in times if isinstance(time, int)) / 1e9 if times else None


def collector_kind(record: Record) -> str | None:
    """Return the garbage collector of a Java VM; None of other programs, and where there are several processes."""
    helpers = [thread for thread in record["observed_threads"] if thread.get("helper")]
    names = [str(thread.get("name")) for thread in helpers]
    if names.count(JAVA) != 1:
        return None
    there = (kind for begin, kind in KINDS.items() if any(name.startswith(begin) for name in names))
    return next(there, "the serial collector")


def on_disk_s(record: Record) -> float | None:
    """Return the thread-seconds in which threads waited for a disk; None without samples."""
    sampling = record.get("sampling")
    if not sampling or not record["observed_threads"]:
        return None
    states: list[object] = [thread.get("states") for thread in record["observed_threads"]]
    seen = [cast("dict[str, object]", one).get("disk", 0) for one in states if isinstance(one, dict)]
    # The sampler keeps its period only as long as its budget lasts.
    samples = sum(sampling.get("ready") or [])
    each_s = record["wall_ns"] / 1e9 / samples if samples else sampling["period_ms"] / 1e3
    return sum(count for count in seen if isinstance(count, int)) * each_s


def at_file_locks_s(record: Record) -> float | None:
    """Return the thread-seconds in which threads waited for locks on files, at least; None without samples."""
    sampling, asked = record.get("sampling"), record.get("futex")
    samples = sum((sampling or {}).get("ready") or [])
    if not samples or not asked or "file_locks" not in asked:
        return None
    # Not every sleeping thread is asked at every sample, so it may have been longer.
    return asked["file_locks"] * record["wall_ns"] / 1e9 / samples


def waited_ns(record: Record) -> int | None:
    """Return how long threads were ready without a cpu, in all; None if the kernel does not report it of each."""
    waits: list[object] = [thread.get("run_delay_ns") for thread in record["observed_threads"]]
    known = [wait for wait in waits if isinstance(wait, int)]
    return sum(known) if known and len(known) == len(waits) else None
