"""Which share of a program's work is done while one thread computes alone, and what shared hardware costs it then."""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import mean


def alone_share(found: Evidence) -> float:
    """Return the share of the base's CPU time that one thread computes alone; 0 where that is not known."""
    if found.base.threads != 1:
        return 0.0
    alone = mean(found.watched.idle("one")).value / (found.threads - 1)
    share = alone / mean(found.base.cpu).value
    return min(1.0, max(0.0, share)) if np.isfinite(share) else 0.0


def never_slowed(found: Evidence, copies: float, program: float) -> float:
    """Return which share of the CPU time shared hardware cannot slow down, as one thread computes it alone.

    Parameters
    ----------
    found
        The evidence.
    copies, program
        How much longer copies take than one, and the program with all threads than with one, as logarithms. What
        the program takes longer is no reason to doubt that hardware slowed it down.
    """
    if not copies > 0:
        return 0.0
    at_most = alone_share(found)
    slowed = float(np.log(at_most + (1 - at_most) * np.exp(copies)))
    held = min(copies, max(slowed, program))
    return float((np.exp(copies) - np.exp(held)) / np.expm1(copies))
