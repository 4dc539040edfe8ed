"""How much of the loss each cause holds where several act together.

Parts of the ledger multiply: each is a ratio of times, measured beside the other causes or without them. That is right
for causes that act on each other, as when slower memory makes the holder of a lock slower. Others add up in seconds: a
serial part takes as long whether or not something else slows down the threads. What such a cause costs depends on the
order in which causes are taken: it is more as the first one than beside all others.

A program's causes are of both kinds, and no run says which. So a part is the middle between its ratio and the mean of
both orders in seconds (the Shapley share of two players: the cause, and all others), and its interval holds both. With
a single cause they are the same.

Shapley, *A value for n-person games*, Contributions to the Theory of Games II, 1953.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.ledger.ledger import IDLE, INFLATION, MACHINE, MORE, NOT_COMPUTED, Ledger

ALONE = frozenset({MACHINE, MORE})
"""Parts that are measured without other causes; all others are measured beside them."""


def together(finding: Finding, book: Ledger) -> Finding:
    """Return a finding whose part allows for other causes; ``gain`` keeps what the program gains without it alone."""
    part, loss = finding.part, book.loss.value
    if part is None or not 0 < part.value < loss:
        return finding
    seconds = _seconds(finding, part.value, book)
    # In units of the base's thread-seconds; nothing is left to divide where it takes all of them.
    if not 0 < seconds < np.exp(loss) - 1:
        return finding
    first, last = np.log1p(seconds), loss - np.log(np.exp(loss) - seconds)
    added = float(first + last) / 2
    shared = Part(
        (part.value + added) / 2,
        min(part.value, added) - (part.value - part.low),
        max(part.value, added) + (part.high - part.value),
    )
    return replace(finding, part=shared, gain=part)


def _seconds(finding: Finding, part: float, book: Ledger) -> float:
    """Return the thread-seconds that a cause costs, over those of the base."""
    holds = set(finding.holds)
    if holds and holds <= ALONE:
        return float(np.expm1(part))
    inflation, idle = book.group(INFLATION).value, book.group(IDLE).value
    of_idle = {entry.name for entry in book.entries if entry.of == IDLE} | {NOT_COMPUTED}
    if holds and holds <= of_idle and idle > 0 and finding.idle is None:
        return float(min(1.0, part / idle) * (np.exp(book.loss.value) - np.exp(book.loss.value - idle)))
    if holds and not holds & of_idle and inflation > 0:
        return float(np.exp(inflation) - np.exp(inflation - part))
    return float(np.exp(book.loss.value) - np.exp(book.loss.value - part))
