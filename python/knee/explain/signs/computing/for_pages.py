"""How much of what a changed setting takes away is time for pages of memory.

Another allocator keeps more of what is freed, or gives it back at another time, and so the kernel has fewer pages to
give, to clear and to take back. That time is inside the kernel; or threads wait for the lock of the process's map
there, asleep where nothing can interrupt them. Who waits for a lock of the allocator can be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import Evidence
from knee.explain.signs.relief import with_base
from knee.stats.intervals import Array, combined

NONE = Part(0.0, 0.0, 0.0)


def share_for_pages(found: Evidence, cause: str, *, idle: bool) -> Part:
    """Return which share of what the setting that tests a cause takes away is time for pages: of its idle time alone,
    or of all; 0 without that setting.
    """
    if with_base(found, cause) is None:
        return NONE
    asleep, off, inside, computed = (_less(found, cause, of) for of in (_asleep, _off_cpu, _inside, _computed))
    # Sleep is counted by samples, and the kernel divides CPU time by ticks. Neither can take away more than there is.
    pages, whole = asleep.at_most(off), off.value
    if not idle:
        pages, whole = _sum(pages, inside.at_most(computed)), off.value + computed.value
    if not whole > 0:
        return NONE
    return Part(*(min(1.0, max(0.0, end / whole)) for end in (pages.value, pages.low, pages.high)))


def _less(found: Evidence, cause: str, of: Callable[[Cell], Array]) -> Part:
    """Return how many seconds threads need less with the setting, beyond what the base needs less; 0 where unknown."""
    pair = with_base(found, cause)
    if pair is None:
        return NONE
    own, before, changed, changed_base = (_known(of(cell)) for cell in (found.many, found.base, *pair[1:]))
    value, ends = combined(own, [(-1.0, before), (-1.0, changed), (1.0, changed_base)])
    return Part(value, ends.low, ends.high) if np.isfinite(ends.low) else NONE


def _known(values: Array) -> Array:
    return values[np.isfinite(values)]


def _asleep(cell: Cell) -> Array:
    return cell.on_disk


def _off_cpu(cell: Cell) -> Array:
    return cell.threads * cell.seconds - cell.cpu


def _inside(cell: Cell) -> Array:
    return cell.system


def _computed(cell: Cell) -> Array:
    return cell.cpu


def _sum(one: Part, other: Part) -> Part:
    return one.less(Part(-other.value, -other.high, -other.low))
