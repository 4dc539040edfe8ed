"""Causes of a bend in a speedup curve: one per file, and their list."""

from __future__ import annotations

from knee.explain.causes import growing_cpu_time, one_busy_cpu, oversubscription
from knee.explain.causes.cause import Cause

CAUSES: tuple[Cause, ...] = (
    one_busy_cpu,
    growing_cpu_time,
    oversubscription,
)
"""All causes, in the order of examination. A cause is a module with ``examine(series) -> Finding | None``."""
