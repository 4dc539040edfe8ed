"""What the goroutines of a Go program do while a processor is idle, as sampled in its memory.

Go runs them on threads of its own choice, so how threads sleep tells little of them. A goroutine that waits for a lock
says so. Those that wait for a channel or a condition may wait for their turn, or for others to end a phase; only where
none waits beside one that computes alone, nobody waits for a turn. And which goroutine computes alone tells whether
that is a piece of the work or a part that nobody divided, whichever thread runs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from knee.explain.evidence.evidence import Evidence
from knee.explain.evidence.means import Mean, over
from knee.stats.proportion import clopper_pearson

ENOUGH = 20
"""Samples of idle processors, or of one goroutine that computes alone, that tell."""

MOSTLY = 0.5
"""Share of the idle processors from which on locks hold them."""

RARELY = 0.1
"""Goroutines that wait for each other, at most, for each idle processor, where nobody waits for a turn."""

LITTLE = 0.1
"""What goroutines of a function compute, over those of the one with most, where they hand out the work of others."""

OWN = 0.9
"""Share of the samples of a function's goroutines in which one is alone, where they hardly work beside others."""

BESIDE, SHARED = 0.75, 0.8
"""Where work is shared, a function's goroutines are alone in at most this share of their samples; and those of such
functions have at least this share of all samples in which one is alone.
"""

FOR_NOBODY = ("sync.WaitGroup.Wait", "sleep", "IO wait")
"""Reasons to wait that are for no turn: for the end of others, for a time, for a file."""


FROM_OTHERS = ("chan receive", "select")
"""Reasons to wait that are for what others send."""


def has_goroutines(found: Evidence) -> bool:
    """Whether it is a program of goroutines, which any of its threads may run."""
    return any(True for _ in _known(found))


def at_locks(found: Evidence) -> Mean | None:
    """Return the share of idle processors that a goroutine would have which waits for a lock; None if not known."""
    known = list(_known(found))
    idle, locked = (np.array([one[name] for one in known], dtype=float) for name in ("idle", "at_locks"))
    return over(locked, idle) if idle.sum() >= ENOUGH else None


def lock_holds(found: Evidence) -> bool:
    """Whether most idle processors surely are idle since goroutines wait for locks."""
    share = at_locks(found)
    return share is not None and bool(share.interval.low > MOSTLY)


def nobody_waits(found: Evidence) -> bool:
    """Whether hardly any goroutine waits that could wait for another one's turn to end."""
    idle, ready = sum(one["idle"] for one in _known(found)), _ready(found)
    most = max(map(sum, ready.values()), default=0)
    works = {name for name, often in ready.items() if sum(often) > LITTLE * most}
    waits = [wait for one in _known(found) for wait in one["waits"] if wait["function"] in works]
    many = sum(wait["goroutines"] for wait in waits if wait["reason"] not in FOR_NOBODY)
    return idle >= ENOUGH and many < RARELY * idle


def hands_over(found: Evidence) -> bool:
    """Whether goroutines hardly wait for locks, and mostly for what others send: the work may be uneven, or its source
    slow.
    """
    locked = at_locks(found)
    waits = [wait for one in _known(found) for wait in one["waits"] if wait["reason"] not in FOR_NOBODY]
    many = sum(wait["goroutines"] for wait in waits)
    sent = sum(wait["goroutines"] for wait in waits if wait["reason"] in FROM_OTHERS)
    return locked is not None and locked.interval.high < RARELY and sent > MOSTLY * many


def own_alone(found: Evidence) -> float | None:
    """Return at least which share of the time in which one goroutine computes alone is that of goroutines that hardly
    compute beside others; None if that is not known.
    """
    own, alone = _alone(found)
    return clopper_pearson(own, alone).low if alone >= ENOUGH else None


def none_alone(found: Evidence) -> bool:
    """Whether the goroutine that computes alone hardly ever is one that hardly computes beside others."""
    own, alone = _alone(found)
    return alone >= ENOUGH and clopper_pearson(own, alone).high < RARELY


def pieces_alone(found: Evidence) -> bool:
    """Whether the goroutine that computes alone is nearly always one of several that do the same work beside others."""
    ready = _ready(found)
    many = {
        one["function"] for each in _known(found) for one in each["functions"] if one["goroutines"] >= found.threads
    }
    alone = sum(one for one, _ in ready.values())
    pieces = sum(one for name, (one, beside) in ready.items() if name in many and one < BESIDE * (one + beside))
    return alone >= ENOUGH and clopper_pearson(pieces, alone).low > SHARED


def _alone(found: Evidence) -> tuple[int, int]:
    """Return how often a goroutine was ready alone that hardly is beside others, and how often any was."""
    ready = _ready(found).values()
    return sum(alone for alone, beside in ready if alone >= OWN * (alone + beside)), sum(alone for alone, _ in ready)


def _ready(found: Evidence) -> dict[str, tuple[int, int]]:
    """Return how often goroutines were ready alone, and beside others, by the function with which they began."""
    alone, beside = Counter[str](), Counter[str]()
    for one in _known(found):
        for function in one["functions"]:
            alone[function["function"]] += function["alone"]
            beside[function["function"]] += function["beside"]
    return {name: (alone[name], beside[name]) for name in alone}


def _known(found: Evidence) -> Iterable[dict[str, Any]]:
    """Return what is known of the runs with all threads, those with records of context switches too."""
    runs = {id(run): run for run in (*found.many.runs, *found.watched.runs)}
    for run in runs.values():
        sampled = run.record.get("goroutines")
        if sampled and "samples" in sampled:
            yield sampled
