"""Whether threads are met at memory that they use in turn: at the same bytes, or only at the same cache lines.

A line that several threads write to moves from core to core, and samples meet the threads while they wait for it. The
registers of a sample tell which memory it waits for, so they tell shared data from data that only shares a line. Where
threads duplicate work, they use memory of their own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from knee.explain.causes.cause import LINES
from knee.explain.ledger.ledger import MORE, TOGETHER
from knee.explain.signs.computing.growth import growth
from knee.explain.signs.computing.hotspots import grown
from knee.explain.signs.computing.samples import HOTSPOTS
from knee.explain.signs.idle.doubled import COLLAPSE, doubled
from knee.stats.proportion import over_runs

if TYPE_CHECKING:
    from knee.explain.evidence.evidence import Evidence
    from knee.explain.ledger.ledger import Ledger
    from knee.stats.intervals import Interval

MET, HARDLY = 0.5, 0.1
"""Samples at shared lines, as a share of those that waiting for lines would take: at least, and where they are refuted
at most.
"""

LEAST = 0.02
"""All threads on one cpu compute more by at least this, in logarithms, where they may spin."""

KNOWN = 0.5
"""Share of these samples, at least, of which it is known whether threads meet at the same bytes."""

SAME, APART = 0.7, 0.15
"""Share of those at the same bytes: at least, where threads share data; and at most, where only lines are shared."""


@dataclass(frozen=True)
class Lines:
    """Samples with all threads at cache lines that they use in turn.

    ``share`` is their share of all samples; ``same`` and ``apart`` count those at bytes that threads use in turn, and
    at bytes that one of them uses; ``function`` has most of them, if that is known.
    """

    share: Interval
    met: int
    same: int
    apart: int
    function: str | None

    @property
    def kinds(self) -> tuple[str, ...]:
        """What the sharing is: one of :data:`LINES`, or both where that cannot be told."""
        known = self.same + self.apart
        if not known >= KNOWN * self.met:
            return LINES
        return LINES[1:] if self.same > SAME * known else LINES[:1] if self.same < APART * known else LINES

    @property
    def said(self) -> str:
        """Where they are, in words."""
        inside = "" if self.function is None else f", most of them in {self.function}"
        known = max(1, self.same + self.apart)
        return (
            f"{100 * self.share.low:.0f} to {100 * self.share.high:.0f} % of the samples are at cache lines that "
            f"threads use in turn{inside}; {100 * self.same / known:.0f} % of these are at the same bytes"
        )


def lines(found: Evidence) -> Lines | None:
    """Return the samples at shared lines; None where registers of samples are not known."""
    cell = found.test(HOTSPOTS)
    samples, met, same, apart = list[int](), list[int](), 0, 0
    functions: Counter[str] = Counter()
    for run in () if cell is None else cell.runs:
        spots = run.record.get("hotspots")
        if spots is None or "unavailable" in spots or (shared := spots.get("shared")) is None:
            continue
        # Of samples whose registers are not known it is not known either.
        samples.append(shared["addressed"])
        met.append(shared["lines"])
        same, apart = same + shared["same"], apart + shared["apart"]
        names = spots.get("functions", [])
        for place in spots["places"]:
            if "function" in place:
                functions[names[place["function"]]] += place.get("lines", 0)
    if not any(samples):
        return None
    most, many = max(functions, key=lambda name: functions[name], default=None), sum(met)
    return Lines(over_runs(met, samples), many, same, apart, most if most and 2 * functions[most] > many else None)


def at_lines(found: Evidence, book: Ledger) -> bool | None:
    """Whether it is shared lines that cost the CPU time which grows side by side; None if that cannot be told."""
    at, spots = lines(found), grown(found)
    if at is None:
        return None
    # Threads that wait for a lock and try again are met at a shared line as well: at its bytes, in code of its own.
    spins = at.kinds != LINES[:1] and _may_spin(found, book) if spots is None else spots.loops
    if spins:
        return None
    together = book.value(TOGETHER)
    waits = -float(np.expm1(-together.value))
    return True if at.share.low > MET * waits else False if at.share.high < HARDLY * waits else None


def _may_spin(found: Evidence, book: Ledger) -> bool:
    """Whether threads may wait for a lock and try again, as all of them on one cpu, twice as many, or the curve say.

    What lines cost has a limit, and a lock that is nearly always held has none.
    """
    twice, curve = doubled(found), growth(found, book)
    longer = twice is not None and twice.seconds.interval.low > COLLAPSE
    accelerates = curve is not None and curve.how == "accelerates"
    return longer or accelerates or book.value(MORE).interval.low > LEAST
