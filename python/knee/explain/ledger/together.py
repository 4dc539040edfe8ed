"""How much of the loss each cause holds where several act together.

Parts of the ledger multiply: each is a ratio of times, measured beside the other causes or without them. That is right
for causes that act on each other, as when slower memory makes the holder of a lock slower. Others add up in seconds: a
serial part takes as long whether or not something else slows down the threads. What such a cause costs depends on the
order in which causes are taken: it is more as the first one than beside all others.

A program's causes are of both kinds, and no run says which. So a part is the middle between its ratio and its mean over
all orders in seconds (the Shapley share), and its interval holds both. All that no cause holds comes before them in
each order, since it stays whichever of them is removed.

Shapley, *A value for n-person games*, Contributions to the Theory of Games II, 1953.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from knee.explain.causes.cause import Finding, Part
from knee.explain.ledger.ledger import IDLE, INFLATION, NOT_COMPUTED, Ledger

MOST = 6
"""Causes whose orders are counted; with more of them parts are ratios alone."""


def together(findings: Sequence[Finding], book: Ledger) -> list[Finding]:
    """Return findings whose parts allow for each other; ``gain`` keeps what the program gains without one alone."""
    whole = float(np.expm1(book.loss.value))
    # In units of the base's thread-seconds.
    seconds = {one.cause: _seconds(one, one.part.value, book) for one in findings if one.part is not None}
    rest = whole - sum(seconds.values())
    if not 0 < len(seconds) < MOST or not whole > 0 or not all(0 < one < whole for one in seconds.values()):
        return list(findings)
    # Where parts are more than the loss, what is left is chance, and their sum stays as it is.
    shares = _shares(list(seconds.values()), max(0.0, rest))
    if not rest > 0:
        total = sum(one.part.value for one in findings if one.part is not None)
        shares = [share * total / sum(shares) for share in shares]
    return [_middle(one, shares[list(seconds).index(one.cause)]) if one.cause in seconds else one for one in findings]


def _middle(finding: Finding, added: float) -> Finding:
    part = finding.part
    if part is None or not np.isfinite(added):
        return finding
    shared = Part(
        (part.value + added) / 2,
        min(part.value, added) - (part.value - part.low),
        max(part.value, added) + (part.high - part.value),
    )
    return replace(finding, part=shared, gain=finding.gain or part)


def _shares(seconds: Sequence[float], before: float) -> list[float]:
    """Return how much each adds to the logarithm of the time, beside what is there before: the mean over all orders."""
    shares = np.zeros(len(seconds))
    orders = list(permutations(range(len(seconds))))
    with np.errstate(invalid="ignore", divide="ignore"):
        for order in orders:
            times = np.log1p(before + np.cumsum([seconds[player] for player in order]))
            shares[list(order)] += np.diff(times, prepend=np.log1p(before))
    return [float(one) for one in shares / len(orders)]


def _seconds(finding: Finding, part: float, book: Ledger) -> float:
    """Return the thread-seconds that a cause costs, over those of the base."""
    holds = set(finding.holds)
    inflation, idle = book.group(INFLATION).value, book.group(IDLE).value
    of_idle = {entry.name for entry in book.entries if entry.of == IDLE} | {NOT_COMPUTED}
    # Where the base does not compute either, that is not the whole idle time.
    if holds and holds <= of_idle - {NOT_COMPUTED} and idle > 0 and finding.idle is None:
        return float(min(1.0, part / idle) * (np.exp(book.loss.value) - np.exp(book.loss.value - idle)))
    if holds and not holds & of_idle and inflation > 0:
        return float(np.exp(inflation) - np.exp(inflation - min(part, inflation)))
    return float(np.exp(book.loss.value) - np.exp(book.loss.value - part))
