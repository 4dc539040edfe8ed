"""What may choose a cell: levels of factors, and ranges of thread counts."""

from __future__ import annotations

import math
from typing import Any, cast

OWN_COUNTS = ("cores", "cpus")
"""Words for the machine's own thread counts."""


def is_level(value: object) -> bool:
    """Whether something can be the level of a factor: text or a number."""
    return isinstance(value, str) or is_number(value)


def is_number(value: object) -> bool:
    """Whether something is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def are_levels(cell: object) -> bool:
    """Whether something is a table of levels."""
    return isinstance(cell, dict) and all(map(is_level, cast("dict[str, Any]", cell).values()))


def is_range(ends: object) -> bool:
    """Whether something is two thread counts, the first of them below the second as far as both are numbers."""
    if not isinstance(ends, list) or len(cast("list[Any]", ends)) != 2:
        return False
    counts = cast("list[Any]", ends)
    if not all(one in OWN_COUNTS or (type(one) is int and one > 0) for one in counts):
        return False
    return not all(type(one) is int for one in counts) or counts[0] < counts[1]
