"""Whether the program computes in processes of one thread each, which share neither locks of a process nor data."""

from __future__ import annotations

from knee.explain.evidence.evidence import Evidence

MOSTLY = 0.8
"""Share of the runs in which it does; in others a second thread of a process may have computed for a moment."""


def separate(found: Evidence) -> bool:
    """Whether it is several processes, and hardly any has a second thread that computes."""
    runs = found.many.runs
    return bool(runs) and sum(run.processes for run in runs) >= MOSTLY * len(runs)
