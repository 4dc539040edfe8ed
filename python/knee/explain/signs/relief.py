"""How much of the loss goes when one setting of the program's runtime is changed.

A setting has an effect on one thread, too, so the loss is compared, not the time: with T' for the changed setting::

    relief = [ln T(n) - ln T(1)] - [ln T'(n) - ln T'(1)]

A setting that makes one thread slower takes no more off the loss than all threads gain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.causes.cause import Part
from knee.explain.evidence.cell import Cell
from knee.explain.evidence.evidence import AT_BASE, Evidence
from knee.explain.evidence.means import Mean, against
from knee.stats.intervals import Array, Interval, combined

SURE = 0.99
"""Several settings are changed, so each must be sure to change something."""


LEAST = 0.02
"""A setting that takes less off the loss tests nothing."""

FEWER = np.log(0.7)
"""With a changed setting threads go to sleep at most this share as often, as a logarithm, where idle time goes."""

GONE = np.log(0.2)
"""The same share where hardly a wait is left, as a logarithm."""

TINY = 1e-3
"""Seconds that are added on both sides of a ratio, so that there always is one."""


@dataclass(frozen=True)
class Relief:
    """A changed setting, and what it changes."""

    setting: str
    loss: Mean
    """How much of the loss goes."""
    user: Mean
    """Logarithm of the CPU time outside of the kernel, over that without the change."""
    least: float
    """The low end of how much of the loss goes, at the level of :data:`SURE`."""
    idle: Mean
    """How much of the idle time goes, as a part of the loss: a ratio inside each run, so it varies less than times."""
    idle_least: float
    """The low end of that, at the level of :data:`SURE`."""
    waits: Mean
    """Logarithm of how often threads go to sleep, over that without the change."""
    helpers: Mean
    """Logarithm of the CPU time of the runtime's helpers, such as a garbage collector, over that without the change."""

    @property
    def idle_goes(self) -> bool:
        """Whether idle time surely goes, and the run time does not contradict it: where threads compute more with the
        setting, they are idle for a smaller share.
        """
        # What is not known contradicts nothing.
        return self.idle_least > LEAST and not self.loss.interval.high <= self.idle_least

    def taken(self) -> tuple[Mean, bool] | None:
        """Return how much of the loss surely goes, and whether all of it is idle time; None if that is not sure.

        Times may vary too much to tell, while idle time is a ratio inside each run, and so are its waits.
        """
        if self.idle_goes and self.waits.interval.high < FEWER and not self.loss.interval.low > self.idle.value:
            return Mean(self.idle.value, Interval(self.idle_least, self.idle.interval.high), self.idle.blocks), True
        # Where most waits go as well, two signs agree; where all of them do, there is no doubt but how much they cost.
        agree = self.waits.interval.high < FEWER and self.loss.interval.low > LEAST
        gone = self.waits.interval.high < GONE and self.loss.interval.low > 0
        return (self.loss, False) if self.least > LEAST or agree or gone else None

    def undecided(self, least: float) -> bool:
        """Whether more runs may tell whether the setting takes more than this off the loss."""
        if (taken := self.taken()) is not None:
            return not Part.of(taken[0]).certain
        return max(self.loss.interval.high, self.idle.interval.high) > max(least, LEAST)


def relief(found: Evidence, cause: str) -> Relief | None:
    """Return what the setting that tests a cause changes; None if none was changed."""
    pair = with_base(found, cause)
    if pair is None:
        return None
    name, cell, base = pair
    loss, least = _loss(found, cell, base)
    idle, idle_least = _idle(found, cell)
    return Relief(
        name.partition(": ")[2],
        loss,
        against(cell.cpu - cell.system, found.many.cpu - found.many.system),
        least,
        idle,
        idle_least,
        against(cell.sleeps + 1, found.many.sleeps + 1),
        against(cell.helpers + TINY, found.many.helpers + TINY),
    )


def more(found: Evidence, cause: str, other: str) -> Mean | None:
    """Return how much more of the loss goes with the setting that tests a cause than with that of another.

    Both are compared with one thread, and not with the program itself, whose own variation would be in both.
    """
    pairs = [with_base(found, name) for name in (other, cause)]
    if pairs[0] is None or pairs[1] is None:
        return None
    many, base, less, less_base = (_logs(cell.seconds) for pair in pairs if pair is not None for cell in pair[1:])
    value, ends = combined(many, [(-1.0, base), (-1.0, less), (1.0, less_base)])
    return Mean(value, ends, min(many.size, base.size, less.size, less_base.size))


def with_base(found: Evidence, cause: str) -> tuple[str, Cell, Cell] | None:
    """Return the question that tests a cause by a setting, and its runs with all threads and with the base's."""
    for name, cell in found.tests.items():
        base = found.tests.get(name + AT_BASE)
        if name.startswith(f"{cause}: ") and not name.endswith(AT_BASE) and base is not None:
            return name, cell, base
    return None


def _loss(found: Evidence, changed: Cell, changed_base: Cell) -> tuple[Mean, float]:
    own = _logs(found.many.seconds / found.base.seconds)
    many, base = _logs(changed.seconds), _logs(changed_base.seconds)
    others = [(-1.0, many), (1.0, base)]
    if against(changed_base.seconds, found.base.seconds).value > 0:
        own, others = _logs(found.many.seconds), others[:1]
    value, ends = combined(own, others)
    return Mean(value, ends, min(own.size, many.size, base.size)), combined(own, others, SURE)[1].low


def _idle(found: Evidence, changed: Cell) -> tuple[Mean, float]:
    own, other = (_logs(found.threads * cell.seconds / cell.cpu) for cell in (found.many, changed))
    others = [(-1.0, other)]
    value, ends = combined(own, others)
    return Mean(value, ends, min(own.size, other.size)), combined(own, others, SURE)[1].low


def _logs(values: Array) -> Array:
    logs = np.log(values)
    return logs[np.isfinite(logs)]
