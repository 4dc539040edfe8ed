"""What a cause is: a file with four headings that looks at a series, and what it hands back when it sees itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from knee.explain.scaling.series import Series


@dataclass(frozen=True)
class Finding:
    """A named cause: what is said, the signs it rests on (two at least), the run that would refute it, the remedy."""

    series: str
    cause: str
    says: str
    signs: tuple[str, ...]
    refute: str
    remedy: str


class Cause(Protocol):
    """A file that knows one cause."""

    def examine(self, series: Series) -> Finding | None:
        """Return the finding, or None where the cause does not see itself."""
        ...
