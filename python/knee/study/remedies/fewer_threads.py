"""Fewer threads: the next two lower thread counts of the study."""

from __future__ import annotations

from knee.store import RunSpec
from knee.study.remedies.remedy import BANDWIDTH, CACHE, CLOCK, CROWDED, LOCK, SMT, SPINNING, Change, Remedy
from knee.study.remedies.situation import Situation

TREATS = (CROWDED, BANDWIDTH, CACHE, SMT, LOCK, SPINNING, CLOCK)
COUNTS = 2
PLACE = ("threads", "cpus", "bind", "skip", "sampler_cpu")
"""Fields of a run spec that depend on the thread count."""


def remedies(here: Situation) -> list[Remedy]:
    """Return one remedy for each count."""
    found = [Remedy(_name(spec), TREATS, f"{spec['threads']} instead of {here.as_is['threads']} threads", _place(spec))
             for spec in here.fewer[:COUNTS]]  # fmt: skip
    return found or [Remedy("fewer threads", TREATS, why_not="the study has no lower thread count")]


def _name(spec: RunSpec) -> str:
    return f"{spec['threads']} thread{'s' if spec['threads'] > 1 else ''}"


def _place(spec: RunSpec) -> Change:
    return {name: spec.get(name) for name in PLACE}
