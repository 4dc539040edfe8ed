"""What twice the threads on the same cpus change.

- Uneven work comes in smaller pieces, which fill the gaps; a serial part takes as long as before.
- Threads that spin keep cpus from the thread that they wait for: the run takes longer.
- Threads that wait actively, but sleep once there are more threads than cpus, use less CPU time.
- Threads that share cache lines run as before: the number that runs at the same time is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import TWICE, Evidence
from knee.explain.evidence.means import Mean, against, mean, over
from knee.explain.ledger.ledger import TOGETHER, Ledger
from knee.explain.signs.relief import relief
from knee.stats.intervals import Array, combined
from knee.store.records.threads import MOST_SHARES

OPENMP = r"lib(g|i|)omp"
"""Libraries whose threads wait actively."""

SLEEPS = r"libgomp"
"""Of these, the one whose threads always sleep nearly at once where they outnumber the cpus."""

STOPPED = "stopped after "
"""How it is said that a run took too long (``knee.store.records.run.cut_off``)."""

COLLAPSE = 0.10
"""Spinning: twice the threads take longer by at least this, in logarithms."""

LONGER = 0.05
"""Twice the threads use this much more CPU time, in logarithms, where more threads wait, and compute while they do."""

SLEPT = -0.03
"""Twice the threads use less CPU time than this, in logarithms: waiting threads slept where cpus were short."""

WORKS = 0.25
"""Share of an equal part of the CPU time, from which on a thread works."""

HELP = 0.1
"""What threads that have no piece of the work compute, as a share of what all but the one with most do, is less."""

MOSTLY = 0.5
"""Share of the CPU time that grew side by side which active waiting must explain."""

PASSIVE = "spinning"
"""The cause that a run tests in which waiting threads sleep."""

OFF = 0.05
"""Times with twice the threads may differ by this share for other reasons: more threads start, and share caches."""

TINY = 1e-4
"""Seconds that are added on both sides of a ratio, so that there always is one."""


@dataclass(frozen=True)
class Doubled:
    """Logarithms of time and CPU time with twice the threads, over those with all."""

    seconds: Mean
    cpu: Mean


def doubled(found: Evidence) -> Doubled | None:
    """Return what twice the threads change; None without that run."""
    run = found.test(TWICE)
    if run is None:
        return None
    return Doubled(against(run.seconds, found.many.seconds), against(run.cpu, found.many.cpu))


def never_ended(found: Evidence) -> str | None:
    """Return how long all runs with twice the threads were waited for, if none of them ended; else None."""
    many, why = found.failed.get(TWICE, (0, ""))
    return why.removeprefix(STOPPED) if many and why.startswith(STOPPED) else None


def waits_actively(found: Evidence, book: Ledger) -> bool:
    """Whether the CPU time that grows side by side is that of threads that wait, since twice the threads save it.

    OpenMP's threads wait so: they look for work for some milliseconds, but sleep at once where threads outnumber cpus.
    Elsewhere threads that share cache lines may do so less often where they take turns.
    """
    if not found.mapped(OPENMP):
        return False
    twice, together = doubled(found), book.value(TOGETHER)
    if twice is None or not together.interval.low > 0:
        return False
    # Or threads that are told to sleep while they wait. That costs time inside the kernel.
    asleep = relief(found, PASSIVE)
    saved = [one for one in (twice.cpu, asleep and asleep.user) if one and one.interval.high < SLEPT]
    most = max((-one.value for one in saved), default=0.0)
    return most > MOSTLY * together.value and not _computes_asleep(found, most * mean(found.many.cpu).value)


def _computes_asleep(found: Evidence, waited_s: float) -> bool:
    """Whether threads that are told to sleep while they wait surely are not idle for most of so many seconds more.

    Then they do not wait: threads that share cache lines may do so less often with twice the threads, too.
    """
    passive = found.setting(PASSIVE)
    if passive is None:
        return False
    asleep, active = (_off_cpu(cell) for cell in (passive, found.many))
    if not asleep.size or not active.size:
        return False
    return combined(asleep, [(-1.0, active)])[1].high < MOSTLY * waited_s


def _off_cpu(cell: Cell) -> Array:
    """Return the seconds of all threads in which they neither compute nor wait for a cpu, of the runs that tell."""
    seconds = cell.threads * cell.seconds - cell.cpu - cell.idle("waiting")
    return seconds[np.isfinite(seconds)]


def may_wait_actively(found: Evidence, book: Ledger) -> bool:
    """Whether most of the CPU time that grows side by side may be that of threads that wait, as OpenMP's do.

    Where they would sleep with twice the threads, CPU time that stays then is none of their waiting.
    """
    if not found.mapped(OPENMP):
        return False
    twice = doubled(found) if found.mapped(SLEEPS) else None
    return twice is None or not twice.cpu.interval.low > -MOSTLY * book.value(TOGETHER).value


def kept(found: Evidence, book: Ledger, *classes: str) -> Mean | None:
    """Return the idle time of classes with twice the threads, over that with all; None without that run.

    Threads that wait actively are idle only where they sleep, as they do with twice the threads. So what those compute
    is the work, and the rest of the time of all threads would be idle.
    """
    run = found.test(TWICE)
    if run is None:
        return None
    if waits_actively(found, book):
        asleep = found.setting(PASSIVE)
        if classes == ("one",) and asleep is not None and len(asleep.runs) > 1:
            return _kept_asleep(found.threads, asleep, run)
        would_idle = found.threads * found.many.seconds - mean(run.cpu).value - found.many.idle("waiting")
        return over(_idle(run, classes) + TINY, would_idle + TINY)
    left, before = in_one_unit(found, run, *classes)
    return over(left + TINY, before + TINY)


def _kept_asleep(threads: int, asleep: Cell, twice: Cell) -> Mean:
    """Return how much of the time in which one thread works stays with twice the threads, from how long both runs take:
    what other threads take over of it is done by all cpus.

    Threads sleep in both, so that both have the time in which they wake up; with twice the threads many wait for a cpu
    then, and do not count as idle.
    """
    idle = mean(asleep.idle("one")).value
    longer, before = (threads * cell.seconds[np.isfinite(cell.seconds)] / idle for cell in (twice, asleep))
    value, ends = combined(longer, [(-1.0, before)])
    return Mean(1 + value, ends.shifted(1.0), min(longer.size, before.size))


def in_one_unit(found: Evidence, twice: Cell, *classes: str) -> tuple[Array, Array]:
    """Return the idle time of classes with twice the threads, and with all, so that they compare.

    Both are shares of the CPU time of the same run, since a clock that changes from run to run changes idle time and
    CPU time alike; unless twice the threads surely compute more or less.
    """
    cpu = against(twice.cpu, found.watched.cpu).interval
    left, before = _idle(twice, classes), _idle(found.watched, classes)
    if not cpu.low <= 0 <= cpu.high:
        return left, before
    return left / twice.cpu, before / found.watched.cpu


def fixed_pieces(found: Evidence) -> bool:
    """Whether each thread has one piece of work, and with twice the threads no further one works."""
    run = found.test(TWICE)
    return run is not None and _all_work(found, run) and not _as_many(found, run)


def no_more_threads(found: Evidence) -> bool:
    """Whether all threads work, and twice as many were asked for in vain: there are as many pieces of work, or cpus.

    Then both runs are the same, and nothing is known of how work is divided.
    """
    run = found.test(TWICE)
    return run is not None and _all_work(found, run) and _as_many(found, run)


def _all_work(found: Evidence, twice: Cell) -> bool:
    """Whether all threads work, and with twice the threads no further one does. Of very many not all are known."""
    if 2 * found.threads > MOST_SHARES:
        return False
    return _working(found.watched, found.threads) == found.threads and _further(twice, found.threads) < HELP


def fewer_pieces(found: Evidence) -> bool:
    """Whether fewer threads work than there are, several of them, and with twice the threads no further one does."""
    run, working = found.test(TWICE), _working(found.watched, found.threads)
    if run is None or 2 * found.threads > MOST_SHARES or not 1 < working < found.threads:
        return False
    return _further(run, int(working)) < HELP


def _as_many(found: Evidence, twice: Cell) -> bool:
    """Whether twice the threads were no more: a program may have no more than there are cpus, or pieces of work."""
    return twice.observed <= found.watched.observed


def _working(cell: Cell, threads: int) -> float:
    """Return how many threads have a quarter of an equal share of the CPU time, or more: the median over runs."""
    counts = [sum(share > WORKS / threads for share in run.shares) for run in cell.runs if run.shares]
    return float(np.median(counts)) if counts else np.nan


def _further(cell: Cell, threads: int) -> float:
    """Return what threads beyond so many compute, over all but the one with most: the median over runs.

    That one may have a serial part as well, beside which equal parts of the work are small.
    """
    known = [run.shares for run in cell.runs if len(run.shares) > 1]
    return float(np.median([sum(each[threads:]) / sum(each[1:]) for each in known])) if known else np.nan


def _idle(cell: Cell, classes: tuple[str, ...]) -> Array:
    return np.sum([cell.idle(name) for name in classes], axis=0)
