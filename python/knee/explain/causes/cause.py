"""The interface of a cause: a module that examines a series and returns a finding if its signs are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from knee.explain.evidence.evidence import Evidence
    from knee.explain.evidence.means import Mean
    from knee.explain.ledger.ledger import Ledger
    from knee.explain.scaling.series import Series


PIECES = "pieces of work that do not fit the threads"
WAITS = "threads that wait for each other"
OPEN = "growing CPU time side by side"
"""Symptoms of findings that leave several causes open."""

LINES = ("false sharing", "true sharing")
"""What cache lines cost that several threads write to."""

CERTAIN = 0.7
"""A part is surely no chance where its interval reaches less than this share of the estimate down or up: then it is
above 0 by 2.4 standard errors, surely by 99 %. Some twenty causes are looked for, and by 95 % one would be named by
chance.
"""


@dataclass(frozen=True)
class Part:
    """A part of the loss in natural logarithms, with its interval."""

    value: float
    low: float
    high: float

    def with_error(self, by: float) -> Part:
        """Return it with an independent error of its method, the half of an interval's width."""
        low, high = (float(np.hypot(abs(end - self.value), by)) for end in (self.low, self.high))
        return Part(self.value, self.value - low, self.value + high)

    def times(self, share: float) -> Part:
        """Return a share of it."""
        return Part(share * self.value, share * self.low, share * self.high)

    def less(self, other: Part) -> Part:
        """Return what is left of it without another part, which was measured independently."""
        value = self.value - other.value
        low = float(np.hypot(self.value - self.low, other.high - other.value))
        high = float(np.hypot(self.high - self.value, other.value - other.low))
        return Part(value, value - low, value + high)

    def at_most(self, other: Part) -> Part:
        """Return it as a part of another one, which cannot be smaller."""
        return Part(min(self.value, other.value), min(self.low, other.low), min(self.high, other.high))

    @property
    def certain(self) -> bool:
        """Whether it is above 0 beyond what chance makes of so many causes."""
        # The upper end is no measure of chance: a share is cut off where it cannot be more.
        return self.value - self.low < CERTAIN * self.value

    @classmethod
    def of(cls, mean: Mean) -> Part:
        """Return the part that a mean over blocks is."""
        return cls(mean.value, mean.interval.low, mean.interval.high)


@dataclass(frozen=True)
class Finding:
    """A cause that is named, or a symptom with the causes that remain possible.

    A cause is named only on two signs from different sources, one of them an intervention: a run that changes one
    thing. Then ``left`` is empty and ``refute`` is the run that would refute the cause. Otherwise ``cause`` is the
    symptom, ``left`` lists the causes that remain possible, and ``refute`` is the run that would decide among them.
    """

    series: str
    cause: str
    says: str
    signs: tuple[str, ...]
    refute: str
    remedy: str
    left: tuple[str, ...] = ()
    threads: int | None = None
    """The thread count that was examined; None if the finding is about the whole curve."""
    part: Part | None = None
    """How much of the loss the cause holds; None if no run tells."""
    holds: tuple[str, ...] = ()
    """Parts of the ledger that the cause holds."""
    ask: tuple[str, ...] = ()
    """Names of remedies that would decide, most telling first."""

    settles: tuple[str, ...] = ()
    """Causes that have the same signs without the run that decided for this one."""
    idle: Part | None = None
    """How much of its part is idle time, where a changed setting takes the part away; the rest is CPU time."""

    sure: bool = False
    """Whether another sign than its part leaves no doubt about the cause, only about what it costs."""

    gain: Part | None = None
    """What the program gains without this cause alone, where several act together; None: as much as its part."""

    @property
    def may_be_nothing(self) -> bool:
        """Whether its part of the loss is known, but not that it is above 0: nothing is predicted or recommended."""
        # The end of an interval may be NaN.
        return self.part is not None and not self.part.low > 0

    @property
    def names(self) -> tuple[str, ...]:
        """The cause, or the causes that remain possible."""
        return self.left or (self.cause,)


class Symptom(Protocol):
    """A module that recognises a symptom in the curve alone, without runs that explain it."""

    def examine(self, series: Series) -> Finding | None:
        """Return the finding, or None when the symptom is absent."""
        ...


class Cause(Protocol):
    """A module that recognises one cause from the evidence on one thread count."""

    @property
    def NAME(self) -> str:  # noqa: N802 -- a constant of the module
        """Its name in the list of causes."""
        ...

    def explain(self, found: Evidence, book: Ledger) -> Finding | None:
        """Return the finding, or None when its signs are absent."""
        ...
