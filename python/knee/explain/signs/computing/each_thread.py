"""Whether each thread does the same more: it fills a table of its own, or reads all of the input.

Then CPU time grows by as much on one cpu as side by side, and with twice the threads by twice as much, so three runs
have to agree. Threads that spin do so for a whole turn on one cpu, and ever longer with more threads.
"""

from __future__ import annotations

import numpy as np

from knee.explain.evidence.evidence import ONE_CPU, Evidence
from knee.explain.evidence.means import Mean, against
from knee.explain.ledger.ledger import MORE, TOGETHER, Ledger
from knee.explain.signs.idle.doubled import doubled

EXACT = 0.15
"""Share of what grows on one cpu, at most, by which threads side by side, or twice as many, miss what each does more,
and how exactly each of them is known.
"""


def each_thread(found: Evidence, book: Ledger) -> bool:
    """Whether what all threads on one cpu and twice the threads add is what each further thread adds."""
    on_one, twice, one_cpu = book.value(MORE), doubled(found), found.test(ONE_CPU)
    if twice is None or one_cpu is None:
        return False

    def exact(of: Mean) -> bool:
        return _half(of) < EXACT * on_one.value

    # What copies lose to shared hardware is known less closely; where it is nothing, CPU times are the same.
    side_by_side = (book.value(TOGETHER), against(found.many.cpu, one_cpu.cpu))
    if not any(exact(one) and abs(one.value) < EXACT * on_one.value for one in side_by_side):
        return False
    if not exact(on_one) or not exact(twice.cpu):
        return False
    expected = _with_twice(on_one.value, found)
    return abs(twice.cpu.value - expected) < EXACT * expected


def may_be_each(found: Evidence, book: Ledger) -> bool:
    """Whether the three runs do not contradict that, within their intervals."""
    on_one, twice, one_cpu = book.value(MORE), doubled(found), found.test(ONE_CPU)
    if twice is None or one_cpu is None:
        return False
    beside = against(found.many.cpu, one_cpu.cpu).interval
    ends = [_with_twice(end, found) for end in (max(0.0, on_one.interval.low), on_one.interval.high)]
    return beside.low <= 0 <= beside.high and twice.cpu.interval.low <= ends[1] and twice.cpu.interval.high >= ends[0]


def _with_twice(on_one: float, found: Evidence) -> float:
    """Return how CPU time grows with twice the threads where each further thread adds as much."""
    further = found.threads - found.base.threads
    each = np.expm1(on_one) / further
    return float(np.log1p((further + found.threads) * each) - np.log1p(further * each))


def _half(of: Mean) -> float:
    return (of.interval.high - of.interval.low) / 2
