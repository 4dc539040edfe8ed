"""The interface of a remedy: a change of a run that treats causes, or the reason why it cannot be tried here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Change = Mapping[str, Any]
"""Fields of a run spec with new values; None removes a field."""

SERIAL, IMBALANCE, TASKS = "serial part", "imbalance", "too few tasks"
CROWDED, QUOTA, HOST = "oversubscription", "quota, throttling", "the host (steal)"
LOCK, SPINNING = "sleeping lock", "spinning"
FALSE_SHARING, BANDWIDTH, CACHE, SMT = "false sharing", "memory bandwidth", "shared cache", "SMT sharing"
FAULTS, TLB, DISTANCE, PAGES = "page faults, mmap lock", "TLB", "NUMA distance", "page placement"
CLOCK, INSTRUCTIONS, DUPLICATED = "clock", "instruction growth", "duplicated work"
ALLOCATOR, FILES, INTERPRETER, COLLECTOR = "allocator", "I/O", "interpreter lock", "garbage collection"

CAUSES = (
    SERIAL, IMBALANCE, TASKS, CROWDED, QUOTA, LOCK, SPINNING, FALSE_SHARING, BANDWIDTH, CACHE, FAULTS, TLB, SMT,
    DISTANCE, PAGES, CLOCK, INSTRUCTIONS, DUPLICATED, ALLOCATOR, FILES, INTERPRETER, COLLECTOR, HOST,
)  # fmt: skip
"""Names of causes."""


@dataclass(frozen=True)
class Remedy:
    """A remedy for one program on one machine.

    Parameters
    ----------
    name
        Its name, also in run specs: ``passive waiting``.
    treats
        The causes that it treats; of a remedy in a study file any words.
    does
        What it changes, as a user would do it: ``OMP_WAIT_POLICY=passive``.
    change
        The fields of the run spec that it changes.
    why_not
        Why it cannot be tried; None if it can.
    root
        The command that root would give, where that is what it takes. knee prints it and does not run it.
    note
        What a user should know before using it.
    """

    name: str
    treats: tuple[str, ...]
    does: str = ""
    change: Change = field(default_factory=dict[str, Any])
    why_not: str | None = None
    root: str | None = None
    note: str | None = None

    @property
    def applies(self) -> bool:
        """Whether it can be tried."""
        return self.why_not is None and self.root is None
