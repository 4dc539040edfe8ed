"""Whether the program computes in processes of one thread each, which share neither locks of a process nor data."""

from __future__ import annotations

from knee.explain.ledger.evidence import Evidence
from knee.store import Run

COMPUTES = 0.02
"""Share of the CPU time from which on a thread counts."""


def separate(found: Evidence) -> bool:
    """Whether it is several processes, and hardly any has a second thread that computes, in all runs."""
    return bool(found.many.runs) and all(map(_separate, found.many.runs))


def _separate(run: Run) -> bool:
    by_process: dict[int, list[int]] = {}
    for thread in run.record["observed_threads"]:
        by_process.setdefault(thread["pid"], []).append(thread["cpu_ns"])
    least = COMPUTES * sum(map(sum, by_process.values()))
    computing = [sum(cpu > least for cpu in threads) for threads in by_process.values()]
    return sum(many > 0 for many in computing) > 1 and max(computing) < 2
