"""A program as numbers. Each dial plants one cause; 0 is none of it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal


@dataclass(frozen=True)
class Program:
    """What a program needs, and how it was written.

    Shares are of its CPU time on one thread of an idle machine.
    """

    work_s: float = 10.0
    """CPU time on one thread of an idle machine."""
    issue: float = 0.6
    """Share of a core's issue slots that one thread uses alone."""
    memory: float = 0.1
    """Share of its time in which one thread waits for its own node's memory."""
    read_gbs: float = 0.5
    """Memory traffic of one thread alone, GB/s."""
    footprint_mib: float = 1.0
    """Data of one thread that it uses again and again, MiB."""
    holds: bool = False
    """Whether it reads its data so often that it stays in the cache, whatever others need."""
    pages: Literal["local", "one-node", "interleaved"] = "local"
    """Where its pages are if no policy says otherwise."""
    serial: float = 0.0
    """Share that one thread computes alone."""
    imbalance: float = 0.0
    """Share of the parallel work that the thread with most has above the mean."""
    tasks: int = 0
    """Number of equal tasks that the parallel part has; 0 for as many as needed."""
    lock: float = 0.0
    """Share of the parallel part inside one lock, whose waiters sleep."""
    spin: float = 0.0
    """Share inside one lock whose waiters spin."""
    interpreter: float = 0.0
    """Share inside an interpreter that only one thread may run."""
    growth: float = 0.0
    """CPU time that every thread but the first adds, as a share of the work divided by the threads."""
    duplicated: float = 0.0
    """Share of the work that every thread does which runs at the same time."""
    false_sharing: float = 0.0
    """How much longer stores take with another writer, as a share of the time; padding helps."""
    true_sharing: float = 0.0
    """The same for one shared word; padding does not help."""
    faults: float = 0.0
    """Share in page faults, which take the lock of the address space."""
    allocator: float = 0.0
    """Share in an allocator with one lock, which a preloaded one does not have."""
    collector: float = 0.0
    """Share of a collector that runs alone while all threads stop; a larger heap makes it rarer."""
    disk_s: float = 0.0
    """Seconds of a disk that serves one request at a time."""
    turn_s: float = 5e-3
    """After this time a thread that waits for the interpreter asks for it."""
    unnamed: float = 0.0
    """Loss for which no cause has a name: threads wait for something outside of the machine, longer with more of them.
    For each second of computing, by the logarithm of the threads.
    """
    compares: bool = True
    """Whether copies of it side by side do the same as one."""
    helps: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    """Effect of environment variables, ``NAME=VALUE``, or of a variable with any value, ``NAME``: fields to set."""


DIALS = tuple(one.name for one in fields(Program) if one.default == 0.0 and one.name != "unnamed")
"""Fields that plant a cause."""
