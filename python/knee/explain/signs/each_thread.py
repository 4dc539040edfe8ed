"""Whether each thread does the same more: it fills a table of its own, or reads all of the input.

Then CPU time grows by as much on one cpu as side by side, and with twice the threads by twice as much, so three runs
have to agree. Threads that spin do so for a whole turn on one cpu, and ever longer with more threads.
"""

from __future__ import annotations

import numpy as np

from knee.explain.ledger.evidence import Evidence, Mean
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.signs.doubled import doubled

EXACT = 0.15
"""Share of what grows on one cpu, at most, by which threads side by side, or twice as many, miss what each does more,
and how exactly each of them is known.
"""


def each_thread(found: Evidence, book: Ledger) -> bool:
    """Whether what all threads on one cpu and twice the threads add is what each further thread adds."""
    on_one, together, twice = book.value(MORE), book.value(TOGETHER), doubled(found)
    if twice is None or not abs(together.value) < EXACT * on_one.value:
        return False
    if not all(_half(one) < EXACT * on_one.value for one in (on_one, together, twice.cpu)):
        return False
    further = found.threads - found.base.threads
    each = np.expm1(on_one.value) / further
    expected = np.log1p((further + found.threads) * each) - np.log1p(further * each)
    return bool(abs(twice.cpu.value - expected) < EXACT * expected)


def _half(of: Mean) -> float:
    return (of.interval.high - of.interval.low) / 2
