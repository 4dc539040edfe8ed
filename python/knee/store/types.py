"""The version of knee's files, the error that this package raises with its lists, and conversion to valid JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

from knee.store.shown import shown

SCHEMA = 1
"""Version of run specs and records that this package reads and writes."""

VARIABLES = "runtime_variables"
"""The fact that is one of the shell, not of the machine. Earlier versions did not have it."""


class StudyError(Exception):
    """An error for the user: what failed, which thing, and the reason; ``hint`` is the one thing to try."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(shown(message))
        self.hint = hint


def one_of(words: Iterable[str]) -> str:
    """Return words as a list in an error.

    Examples
    --------
    >>> one_of(["each"]), one_of(["each", "set"]), one_of(["a", "b", "c"]), one_of([])
    ('each', 'each or set', 'a, b or c', 'none')
    """
    *first, last = [*words] or ["none"]
    return f"{', '.join(first)} or {last}" if first else last


def finite(value: object) -> object:
    """Return plain data with None for every number that is not finite, since JSON has no NaN."""
    if isinstance(value, dict):
        return {str(key): finite(inner) for key, inner in cast("dict[Any, object]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value
