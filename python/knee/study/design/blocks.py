"""How many blocks a study makes that goes on while its runs took little time, or that ends with a budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def blocks_made(design: Mapping[str, Any], planned: int, block_s: float) -> int:
    """Return how many blocks are made if a block takes so many seconds, as far as ``--at-least`` decides.

    Parameters
    ----------
    design
        The design as declared: ``at_least_s`` in seconds, and ``blocks``, which are made anyway.
    planned
        The blocks of the plan: the most that are made.
    block_s
        Seconds that the study's own runs take in a block.

    Examples
    --------
    >>> [blocks_made({"blocks": 12, "at_least_s": 15.0}, 24, seconds) for seconds in (10.0, 1.0, 0.1)]
    [12, 15, 24]
    """
    least_s = design.get("at_least_s")
    if least_s is None:
        return planned
    enough = math.ceil(least_s / block_s) if block_s > 0 else planned
    return min(planned, max(design.get("blocks", 0), enough))


def blocks_within(design: Mapping[str, Any], planned: int, block_s: float) -> int:
    """Return how many blocks end within ``--budget``, with the time that questions may take.

    Parameters
    ----------
    design
        The design as declared: ``budget_s`` in seconds, and ``explain``, the time for questions as a share of that of
        the study's own runs.
    planned
        The most blocks that are made.
    block_s
        Seconds that the study's own runs take in a block, with the gaps between them.

    Examples
    --------
    >>> [blocks_within({"budget_s": budget, "explain": 1.0}, 12, 5.0) for budget in (30.0, 99.0, 600.0)]
    [3, 9, 12]
    """
    budget_s = design.get("budget_s")
    if budget_s is None or not block_s > 0:
        return planned
    return min(planned, max(1, math.floor(budget_s / (block_s * (1 + design.get("explain", 0.0))))))
