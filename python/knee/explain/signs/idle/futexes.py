"""Whether threads take turns at an interpreter's lock, as sampled.

Most sleeping locks wait without a time limit. CPython's interpreter lock waits with one, because a thread that waits
for it asks for it again after each switch interval. Ruby's threads wait with one, too, each at a futex of its own. A
wait alone is no sign of a lock: an idle pool waits at one futex,
too. So to name a lock by this also takes a run that changes something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.signs.idle.waits import own_cell
from knee.store import Run

INTERPRETERS = r"(lib)?(python3|pypy3|ruby)|.*\.cpython-3"
"""Files of interpreters with a global lock."""

ENOUGH = 20
"""Sampled waits, at the least, in all runs together."""

TIMED = 0.8
"""Share of the sampled waits, at the least, that are at one futex and have a time limit."""

MOSTLY = 0.9
"""Share of the samples of sleeping threads, at the least, that are waits at futexes."""

SOME, HALF = 10, 0.5
"""Sampled waits, at the least, and the share of them with a time limit from which on there is no need to ask more."""

RARELY = 0.3
"""Share of the sampled waits, at most, that have a time limit, where threads wait for no interpreter."""

ALIKE = 0.25
"""Threads that wait each at a futex of its own take turns if the second one does so this much as often, at least."""

SEEN = 0.1
"""Share of the runs in which several threads were seen to wait, with a time limit, at one futex."""

BUSY = 1.3
"""More cpus than this are not busy where one thread runs at a time."""


@dataclass(frozen=True)
class Turns:
    """Sampled waits at futexes that several threads share, in all runs with all threads together."""

    waits: int
    at_one: int
    """Those with a time limit, at the futex of each run where most of them are; or at the two where most are, if each
    thread has its own.
    """
    busy: Mean
    """Cpus that were busy."""
    asleep: int
    """Samples of sleeping threads, without those of a thread that waits for the others to end."""

    @property
    def all_there_is(self) -> bool:
        """Whether sleeping threads were seen to do hardly anything but wait for their turn."""
        return self.at_one >= ENOUGH and self.at_one > MOSTLY * self.asleep


def turns(found: Evidence, most_busy: float = BUSY) -> Turns | None:
    """Return the sampled waits where an interpreter is there and its threads take turns; None elsewhere.

    Parameters
    ----------
    found
        The evidence.
    most_busy
        Cpus that may be busy: a little more than one, unless threads compute outside of the interpreter as well.
    """
    hottest = [run.record.get("futex", {}).get("hottest", []) for run in _own_runs(found)]
    shared = sum(any(one["threads"] > 1 and one["timed"] for one in each) for each in hottest)
    waits = at_one = 0
    for each in hottest:
        # Samples of a short run may have met only one of the threads that share a futex.
        told = _shared(each, alone=shared > SEEN * len(hottest))
        waits, at_one = waits + told[0], at_one + told[1]
    busy = mean(found.many.cpu / found.many.seconds)
    if waits < ENOUGH or at_one < TIMED * waits or not busy.interval.high < most_busy or not found.mapped(INTERPRETERS):
        return None
    samples = [run.record.get("futex") or {} for run in _own_runs(found)]
    asleep = _denied(samples) + sum(one.get("asleep", 0) - _ends(one.get("hottest", [])) for one in samples)
    return Turns(waits, at_one, busy, asleep)


def at_futexes(found: Evidence) -> bool:
    """Whether threads that sleep were seen to wait at futexes nearly always: not inside the kernel, as for pages."""
    samples = [run.record.get("futex") or {} for run in _runs(found)]
    asleep, waits = (sum(one.get(name, 0) for one in samples) for name in ("asleep", "waits"))
    asleep += _denied(samples)
    ends = sum(_ends(one.get("hottest", [])) for one in samples)
    return waits - ends >= ENOUGH and waits - ends > MOSTLY * (asleep - ends)


def _denied(samples: Sequence[Mapping[str, Any]]) -> int:
    """Return how often sleeping threads could not be asked what they wait for: it may be anything."""
    denied: list[Mapping[str, int]] = [one.get("denied") or {} for one in samples]
    return sum(one.get("times", 0) for one in denied)


def hardly_timed(found: Evidence) -> bool | None:
    """Whether few waits were seen to have a time limit, as those for an interpreter have; None without samples."""
    waits, timed = _of_workers(found)
    sampled = any("hottest" in run.record.get("futex", {}) for run in _own_runs(found))
    return waits >= ENOUGH and timed < RARELY * waits if sampled else None


def untimed(found: Evidence) -> float | None:
    """Return which share of the waits has no time limit, as those for a lock of the program's own have none; None where
    too few were sampled to tell.
    """
    waits, timed = _of_workers(found)
    return 1 - timed / waits if waits >= ENOUGH else None


def mostly_timed(found: Evidence) -> bool:
    """Whether most waits of an interpreter's threads were seen to have a time limit."""
    waits, timed = _of_workers(found)
    return found.mapped(INTERPRETERS) and waits >= SOME and timed > HALF * waits


def _of_workers(found: Evidence) -> tuple[int, int]:
    """Return the sampled waits, and those with a time limit; without those of a thread that waits for others to end."""
    waits = timed = 0
    for run in _own_runs(found):
        hottest = run.record.get("futex", {}).get("hottest", [])
        waits += sum(one["waits"] for one in hottest) - _ends(hottest)
        timed += sum(one["timed"] for one in hottest)
    return waits, timed


def _ends(hottest: Sequence[Mapping[str, int]]) -> int:
    """Return a run's sampled waits of a thread that waits for the others to end: the most that one thread alone has at
    one futex, without a time limit.
    """
    return max((one["waits"] for one in hottest if one["threads"] == 1 and not one["timed"]), default=0)


def _own_runs(found: Evidence) -> list[Run]:
    """Return the runs that show what threads of the program itself wait for: those with a changed setting, where it
    takes other waits away.
    """
    own = own_cell(found)
    return _runs(found) if own is found.many else list(own.runs)


def _runs(found: Evidence) -> list[Run]:
    """Return the runs with all threads in which threads take turns as they do in the program's own."""
    longer = found.setting("interpreter lock")
    cells = {id(cell): cell for cell in (found.many, found.watched, longer) if cell is not None}
    return [run for cell in cells.values() for run in cell.runs]


def _shared(hottest: Sequence[Mapping[str, int]], *, alone: bool) -> tuple[int, int]:
    """Return a run's waits at futexes that say something, and those with a time limit where most are."""
    shared = [one for one in hottest if one["threads"] > 1 or (alone and one["timed"])]
    if shared:
        return sum(one["waits"] for one in shared), max(one["timed"] for one in shared)
    # One futex of one thread is no lock: the main thread waits so for the end of another.
    often = sorted((one["timed"] for one in hottest), reverse=True)
    if len(often) < 2 or not often[0] or often[1] < ALIKE * often[0]:
        return 0, 0
    return sum(one["waits"] for one in hottest), often[0] + often[1]
