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
"""Questions about what the machine costs, and ``one cpu``. Why the program itself loses time is asked at the largest
count alone, where it loses most."""


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
    """Return, for each of these series that has a knee, the measured count that is nearest to it.

    A count that was begun is kept, although the knee moves as runs are added.
    """
    found = begun_at_knees(largest)
    for one, most in largest:
        between = _between(one, most)
        if not between or any(one is other for other, _ in found):
            continue
        if (knee := summarize(one).knee).verdict == "knee":
            found.append((one, min(between, key=lambda count: abs(math.log(count / knee.threads)))))
    return found


def begun_at_knees(largest: Sequence[tuple[Series, int]]) -> list[tuple[Series, int]]:
    """Return the counts below the largest that questions were asked about."""
    found: list[tuple[Series, int]] = []
    for one, most in largest:
        asked = [run.cell["threads"] for run in one.asked if "test" in run.spec]
        if begun := [count for count in _between(one, most) if count in asked]:
            found.append((one, max(begun)))
    return found


def _between(series: Series, most: int) -> list[int]:
    return [count for count in series.fitting if series.curve.base < count < most]
