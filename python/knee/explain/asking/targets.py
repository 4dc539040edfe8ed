"""What is explained: the largest thread count of each series, and then the knee of its curve."""

from __future__ import annotations

import math
from collections.abc import Sequence

from knee.explain.evidence.evidence import COPIES, INTERLEAVED, ON_CORES, ONE_CPU, SPREAD
from knee.explain.ledger.placements import PLACED
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import summarize
from knee.explain.signs.beside import BUSY, PIRATE, STREAM

CHAIN = frozenset((COPIES, BUSY, PIRATE, STREAM, ON_CORES, SPREAD, INTERLEAVED, ONE_CPU, *PLACED))
"""Questions of the chain, from a program alone to the program itself. At the knee they say what the machine takes
there; why a program loses more is asked at the largest count, where it loses most."""


def explained(series: Sequence[Series]) -> list[tuple[Series, int]]:
    """Return what is explained: of each combination of other factors the first placement, at the largest count."""
    chosen: dict[str, tuple[Series, int]] = {}
    for one in series:
        fitting = [count for count in one.fitting if count != one.curve.base]
        rest = str(sorted((name, level) for name, level in one.levels.items() if name != "placement"))
        if one.pinned and fitting and rest not in chosen:
            chosen[rest] = (one, max(fitting))
    return list(chosen.values())


def at_knees(largest: Sequence[tuple[Series, int]]) -> list[tuple[Series, int]]:
    """Return the measured count that is nearest to the knee, of each of these series that has one below its largest.

    What was begun at a count goes on there, although the knee moves as runs are added.
    """
    found: list[tuple[Series, int]] = []
    for one, most in largest:
        between = [count for count in one.fitting if one.curve.base < count < most]
        asked = [run.cell["threads"] for run in one.asked if "test" in run.spec]
        begun = [count for count in between if count in asked]
        if begun:
            found.append((one, max(begun)))
        elif between and (knee := summarize(one).knee).verdict == "knee":
            found.append((one, min(between, key=lambda count: abs(math.log(count / knee.threads)))))
    return found
