"""Why a curve bends. One cause per file, each with what it sees and how to test it; the list of them is here."""

from __future__ import annotations

from knee.explain.causes import growing_cpu_time, one_busy_cpu, oversubscription
from knee.explain.causes.cause import Cause

CAUSES: tuple[Cause, ...] = (
    one_busy_cpu,
    growing_cpu_time,
    oversubscription,
)
"""Every cause, in the order in which they are asked. A cause is a module with ``examine(series) -> Finding | None``."""
