"""How many blocks a study makes that goes on while its runs took little time (``--at-least``)."""

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
