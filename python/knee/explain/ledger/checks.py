"""Checks of a ledger that can fail.

Both ways to divide the loss telescope from the same times, so their parts add up by construction, which proves nothing.
Two checks compare numbers from different sources; a third, the gain predicted for a remedy against the gain measured,
needs `knee try` (``knee.explain.tried``). A Java VM chooses by the number of cpus how it collects garbage; where that
matters, a further one says that the two sides of the loss are not the same program.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, mean
from knee.explain.ledger.ledger import INFLATION, MACHINE, MACHINES, Ledger

OFF = 0.05
"""Idle time of all classes may differ from n·T - CPU by this share of the thread-seconds."""

A_SWITCH_S, MOST = 10e-6, 0.05
"""What may come on top where threads sleep: so much for each time, and this share at most. The kernel counts CPU time
from when it picks a thread, and records the switch some microseconds later.
"""

COLLECTS = 0.1
"""A garbage collector matters if it takes this share of the loss, or more, of the CPU time."""

FASTER, FASTER_SHARE = 0.05, 0.10
"""The program's own CPU time may be below 0 by the larger of the first, and the second times the loss."""


@dataclass(frozen=True)
class Check:
    """A check of the ledger: two numbers that must agree, and whether they do.

    ``ok`` is None if this cannot be told, since a run is missing.
    """

    name: str
    says: str
    ok: bool | None
    difference: Mean

    @property
    def answer(self) -> str:
        """Whether the numbers agree, in a word."""
        return "cannot tell" if self.ok is None else "ok" if self.ok else "FAILS"


def checks(found: Evidence, book: Ledger) -> tuple[Check, ...]:
    """Return the checks of a ledger."""
    return (_idle(found), _machine(book), *_runtime(found, book))


def _idle(found: Evidence) -> Check:
    """Compare the idle time of all classes with n·T - CPU, in the runs that have the classes."""
    watched, name = found.watched, "idle time"
    thread_seconds = found.threads * watched.seconds
    off = mean((watched.idle("total") - (thread_seconds - watched.cpu)) / thread_seconds)
    if any(run.spec.get("metric") for run in watched.runs):
        return Check(name, "what idle threads did is known of whole runs, not of a phase", None, off)
    if off.blocks < 2:
        return Check(name, "no run says what idle threads did", None, off)
    switching = np.nan_to_num(mean(A_SWITCH_S * watched.sleeps / thread_seconds).value)
    fails = off.interval.low > OFF + min(MOST, switching) or off.interval.high < -OFF
    how = "differ" if fails else "agree"
    says = (
        f"idle time of all classes and n x T - CPU {how}: {100 * off.value:+.1f} % of the thread-seconds "
        f"[{100 * off.interval.low:+.1f}, {100 * off.interval.high:+.1f}]"
    )
    return Check(name, says, not fails, off)


def _machine(book: Ledger) -> Check:
    """Compare the CPU time of copies with that of the program, which cannot need much less."""
    name = "shared hardware"
    if book.entry(MACHINE) is None:
        return Check(name, "no copies were run", None, mean(np.zeros(0)))
    own = book.value(*(one.name for one in book.entries if one.of == INFLATION and one.name not in MACHINES))
    if own.blocks < 2:
        return Check(name, "the program or its copies ran undisturbed once, which is too seldom to compare", None, own)
    least = -max(FASTER, FASTER_SHARE * book.loss.value)
    fails = own.interval.high < least
    how = "take longer than the program itself, so they do not stand for it" if fails else "do not contradict it"
    says = f"CPU time of the program over that of copies: {_ratio(own)}; copies {how}"
    return Check(name, says, not fails, own)


def _runtime(found: Evidence, book: Ledger) -> tuple[Check, ...]:
    """Say that a Java VM collects garbage in another way on one cpu than on several, where that may matter.

    It chooses a collector by the cpus that it may use, unless it is told which one.
    """
    kinds = [{run.collector_kind for run in cell.runs} - {None} for cell in (found.base, found.many)]
    costs = [mean(cell.collector / cell.cpu) for cell in (found.base, found.many)]
    most = max(costs, key=lambda one: np.nan_to_num(one.value))
    if any(len(each) != 1 for each in kinds) or kinds[0] == kinds[1] or not most.value > COLLECTS * book.loss.value:
        return ()
    (before,), (now,) = kinds
    says = (
        f"Java collects garbage with {before} at {found.base.threads} and with {now} at {found.threads}, which costs "
        f"up to {100 * most.value:.0f} % of the CPU time: name one for both, such as -XX:+UseParallelGC"
    )
    return (Check("runtime", says, False, most),)


def _ratio(log: Mean) -> str:
    return f"{np.exp(log.value):.2f} [{np.exp(log.interval.low):.2f}, {np.exp(log.interval.high):.2f}]"
