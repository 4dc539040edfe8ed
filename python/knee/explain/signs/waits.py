"""How often threads wait for each other, against all threads on one cpu.

A lock is passed on hundreds or thousands of times a second, and on one cpu hardly ever: no thread runs while another
one holds it. Threads that wait because one of them has more to do, or works alone, go to sleep as often on one cpu.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from knee.explain.ledger.evidence import ONE_CPU, Evidence, Mean, mean

PASSED = 2.0
"""A lock is passed on this many times as often as on one cpu, at least."""

OFTEN = 100.0
"""Waits in a second of run time; fewer cost nothing, whatever they are."""

FEW = 3.0
"""Waits that say nothing, in a whole run."""


@dataclass(frozen=True)
class Waits:
    """How often threads went to sleep, a second, and how that compares with all threads on one cpu."""

    rate: Mean
    ratio: Mean
    """Natural logarithm of the number of waits over that on one cpu."""

    @property
    def passed_on(self) -> bool | None:
        """Whether threads wait for each other; None if it cannot be told."""
        if not np.isfinite(self.ratio.interval.low):
            return None
        if self.rate.value < OFTEN or self.ratio.interval.high < np.log(PASSED):
            return False
        return True if self.ratio.interval.low > np.log(PASSED) else None


def waits(found: Evidence) -> Waits | None:
    """Return how often threads wait; None without the run on one cpu."""
    one_cpu = found.test(ONE_CPU)
    if one_cpu is None:
        return None
    # Without the waits of one thread, which waits for nobody; and a few more each, so that there is always a ratio.
    many, one = (np.maximum(0.0, cell.sleeps - found.base.sleeps) + FEW for cell in (found.many, one_cpu))
    return Waits(mean(many / found.many.seconds), mean(np.log(many / one)))
