"""Remedies that ``knee try`` tries: one file each, and their list."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from knee.study.remedies import (
    allocator,
    fewer_threads,
    go_collector,
    huge_pages,
    java_collector,
    kept_memory,
    memory_files,
    memory_policy,
    one_arena,
    one_per_core,
    own,
    page_cache,
    python_lock,
    quota,
    schedule,
    spinning_lock,
    waiting,
)
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.situation import Situation
from knee.study.remedies.variables import given_otherwise


class Source(Protocol):
    """A module of this room: one remedy, or two that belong together."""

    def remedies(self, here: Situation) -> list[Remedy]:
        """Return the remedies, also those that cannot be tried, with the reason."""
        ...


REMEDIES: tuple[Source, ...] = (
    own,
    quota,
    one_per_core,
    fewer_threads,
    schedule,
    waiting,
    spinning_lock,
    allocator,
    kept_memory,
    huge_pages,
    one_arena,
    go_collector,
    java_collector,
    python_lock,
    memory_policy,
    memory_files,
    page_cache,
)
"""All remedies, in the order in which they are listed."""


def all_remedies(here: Situation) -> list[Remedy]:
    """Return every remedy, also those that cannot be tried here."""
    return [_unless_overridden(here, remedy) for source in REMEDIES for remedy in source.remedies(here)]


def _unless_overridden(here: Situation, remedy: Remedy) -> Remedy:
    """Refuse a remedy whose variable the command works out itself: it would change nothing."""
    program, before = remedy.change.get("program", {}), here.program.get("env", {})
    ours = {name: value for name, value in program.get("env", {}).items() if before.get(name) != value}
    for name, value in ours.items():
        if remedy.applies and given_otherwise(program.get("command", ()), name, value):
            return replace(remedy, why_not=f"the command works out {name} itself")
    return remedy
