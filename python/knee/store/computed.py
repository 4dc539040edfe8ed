"""How many threads of a run computed, beside how many the program was told to use.

`crates/knee/src/run/direct/computed.rs` asks the same of a single run, with the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from knee.store.seam import Record

FEWEST_SAMPLES = 20
"""Samples in which some thread was ready to compute; of fewer nothing is said."""

FEWEST_ABOVE, ONE_IN = 10, 3
"""Samples in which more threads were ready than were asked for: at least so many, and at least one in ``ONE_IN`` of
those with as many threads as were asked for, or more. A thread that reads and writes for the others is ready in fewer.
"""

HALF = 2
"""One thread more than was asked for has at least half of the CPU time of the one before it. Beside other programs a
thread that hardly computes is ready for long as well, because it waits for a cpu.
"""

ENOUGH_NS = 100_000_000
"""CPU time that each thread could have had, at least, where fewer computed than were asked for."""

COMPUTES_NS, SHARES = 10_000_000, 100
"""A thread computes when it has this much CPU time, and one in so many of what each would have if all had the same.
Starting and waiting take less.
"""


def computed(record: Record, asked: int) -> int | None:
    """Return how many threads computed in a run.

    Parameters
    ----------
    record
        The run's record, with the threads that were observed.
    asked
        Threads that the program was told to use.

    Returns
    -------
    int or None
        ``asked`` where no sign tells of more or fewer; None where it cannot be told.
    """
    sampling = record.get("sampling")
    ready = sampling.get("ready", []) if sampling else []
    if sum(ready[1:]) < FEWEST_SAMPLES:
        return None
    return _more(record, ready, asked) or _fewer(record, asked) or asked


def _more(record: Record, ready: Sequence[int], asked: int) -> int | None:
    """Return how many were ready at once and computed, where there were more of them than were asked for."""
    enough, above = sum(ready[asked:]), sum(ready[asked + 1 :])
    used = sorted((cpu for cpu, helper in _used(record) if not helper), reverse=True)
    telling = above >= FEWEST_ABOVE and ONE_IN * above >= enough
    if not telling or len(used) <= asked or HALF * used[asked] < used[asked - 1]:
        return None
    threads, found = asked, 0
    while 2 * found < above:
        threads += 1
        found += ready[threads]
    return threads


def _fewer(record: Record, asked: int) -> int | None:
    """Return how many computed at any time, where fewer did than were asked for.

    Threads that take turns, at a lock or at a cpu, are as many as they are; where some CPU time belongs to threads that
    nobody saw, there may be more.
    """
    every, used = record["user_ns"] + record["system_ns"], _used(record)
    each = every // asked
    if each < ENOUGH_NS or sum(cpu for cpu, _ in used) < every // 10 * 9:
        return None
    computes = max(COMPUTES_NS, each // SHARES)
    threads = sum(cpu >= computes and not helper for cpu, helper in used)
    return threads if 1 <= threads < asked else None


def _used(record: Record) -> list[tuple[int, bool]]:
    """Return the CPU time of every observed thread, and whether it is a helper of its runtime."""
    # Threads are checked by who looks at them one by one.
    observed: list[tuple[object, object]] = [
        (one.get("cpu_ns"), one.get("helper")) for one in record["observed_threads"]
    ]
    return [(cpu, helper is True) for cpu, helper in observed if isinstance(cpu, int)]
