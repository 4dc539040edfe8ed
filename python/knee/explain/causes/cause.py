"""The interface of a cause: a module that examines a series and returns a finding if its signs are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series


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


class Cause(Protocol):
    """A module that recognises one cause."""

    def examine(self, series: Series) -> Finding | None:
        """Return the finding, or None when the signs of the cause are absent."""
        ...
