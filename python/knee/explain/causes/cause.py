"""What a cause hands back when it sees itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A named cause: what is said, the signs it rests on (two at least), the run that would refute it, the remedy."""

    series: str
    cause: str
    says: str
    signs: tuple[str, ...]
    refute: str
    remedy: str
