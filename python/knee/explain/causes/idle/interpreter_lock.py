"""Interpreter lock.

What it sees
    At most one thread runs the interpreter at a time, and threads take turns at it.
Why the curve bends
    An interpreter with a global lock (Python before free threading, Ruby) runs one thread's code at a time; only what
    is done outside of it, such as compression or waiting for files, overlaps.
How to test it
    Let threads keep the lock for longer before they pass it on: they take turns less often. A lock of the program's own
    does not change with it.
How to move it
    Use processes instead of threads, an interpreter without the lock, or move work out of the interpreter.
"""

from __future__ import annotations

import math

from knee.explain.causes.cause import Finding, Part
from knee.explain.ledger.evidence import Evidence
from knee.explain.ledger.ledger import FEW, NOBODY, ONE, TOGETHER, Ledger
from knee.explain.signs.relief import relief
from knee.explain.signs.waits import waits
from knee.explain.signs.words import as_ratio

NAME = "interpreter lock"

LEAST = 0.02
"""A smaller part is not named."""

FEWER = math.log(0.7)
"""With longer turns threads go to sleep at most this share as often, as a logarithm."""


def explain(found: Evidence, book: Ledger) -> Finding | None:
    """Return the finding, or None when its signs are absent."""
    idle, waiting, changed = book.value(NOBODY, ONE, FEW), waits(found), relief(found, NAME)
    if not idle.interval.low > LEAST or waiting is None or waiting.passed_on is False or changed is None:
        return None
    if not changed.waits.interval.high < FEWER:
        return None
    holds = (NOBODY, ONE, FEW, TOGETHER)
    return Finding(
        series=found.series.name,
        cause=NAME,
        says="threads take turns at the interpreter, which runs one of them at a time",
        signs=(
            f"{found.threads} threads go to sleep {waiting.rate.value:,.0f} times a second",
            f"with {changed.setting} they do so {as_ratio(changed.waits)} times as often",
        ),
        refute="use processes instead of threads: if they are no faster, it is not the interpreter's lock",
        remedy="use processes instead of threads, or an interpreter without the lock",
        threads=found.threads,
        part=Part.of(book.value(*holds)),
        holds=holds,
        settles=("sleeping lock", "imbalance", "serial part"),
    )
