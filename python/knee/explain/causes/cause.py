"""What a cause is: a file with four headings that looks at a series, and what it hands back when it sees itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series


@dataclass(frozen=True)
class Finding:
    """What is said of a series: a cause that its signs name, or causes that they leave.

    A cause is named only on two signs from different sources, one of them an intervention: a run that changes one
    thing. Then ``left`` is empty and ``refute`` is the run that would refute it. Else ``cause`` says what was seen,
    ``left`` which causes do that, and ``refute`` the run that would decide among them.
    """

    series: str
    cause: str
    says: str
    signs: tuple[str, ...]
    refute: str
    remedy: str
    left: tuple[str, ...] = ()


class Cause(Protocol):
    """A file that knows one cause."""

    def examine(self, series: Series) -> Finding | None:
        """Return the finding, or None where the cause does not see itself."""
        ...
