"""Checks of levels of factors and of ranges of thread counts, for claims."""

from __future__ import annotations

import math
from typing import Any, cast

from knee.store.records.own_counts import OWN_COUNTS


def is_level(value: object) -> bool:
    """Whether a value can be the level of a factor: text or a number."""
    return isinstance(value, str) or is_number(value)


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def are_levels(cell: object) -> bool:
    """Whether a value is a table of levels."""
    return isinstance(cell, dict) and all(map(is_level, cast("dict[str, Any]", cell).values()))


def is_range(ends: object) -> bool:
    """Whether a value is two thread counts, the first below the second if both are numbers."""
    if not isinstance(ends, list) or len(cast("list[Any]", ends)) != 2:
        return False
    counts = cast("list[Any]", ends)
    if not all(one in OWN_COUNTS or (type(one) is int and one > 0) for one in counts):
        return False
    return not all(type(one) is int for one in counts) or counts[0] < counts[1]
