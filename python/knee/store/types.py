"""The version of knee's files, the error that this package raises, and conversion to valid JSON."""

from __future__ import annotations

import math
from typing import Any, cast

SCHEMA = 1
"""Version of run specs and records that this package reads and writes."""


class StudyError(Exception):
    """An error for the user: what failed, which thing, and the reason; ``hint`` is the one thing to try."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def finite(value: object) -> object:
    """Return plain data with None for every number that is not finite, since JSON has no NaN."""
    if isinstance(value, dict):
        return {str(key): finite(inner) for key, inner in cast("dict[Any, object]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value
