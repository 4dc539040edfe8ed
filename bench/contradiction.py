"""Checks whether a headline contradicts a study of the same program on a quiet machine.

A headline claims a range of ratios of two times: "2 threads are 1.90x [1.80, 2.00] as fast as 1" claims its interval,
"the same time (within 3 %)" claims 3 % around 1, "more threads give no measurable gain" claims at most 1.03, "4 are 9 %
[7, 11] slower" claims 1/1.11 to 1/1.07. It contradicts the calm study if that range does not overlap the calm 90 %
interval of the same ratio. Two calm studies contradict each other in 2 of 100 cases, since both intervals vary by
chance (`python/tests/test_contradiction.py`).

A disturbed study and one without a verdict claim nothing; an undecided one may claim a ratio. A decided headline in
unknown words is an error, so that it does not pass as one without contradiction.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from knee.stats.intervals import Array, Interval, ratio

MARGIN = 1.03
"""Times that differ by less are called equal."""

ROUNDED = 0.005
"""Half of the last digit of printed numbers."""

Cell = tuple[str, int]
"""A level (``""`` if there is only one series) and a thread count."""

Times = Mapping[Cell, Array]
"""Seconds of a study, shape (blocks,), by cell."""

TIMES = r"(?:[\d.]+x \[([\d.]+), ([\d.]+)\]|between ([\d.]+)x and ([\d.]+)x)"
PERCENT = r"\d+ % \[(-?\d+), (\d+)\]"


class UnreadError(Exception):
    """A decided headline that cannot be parsed here."""


@dataclass(frozen=True)
class Claim:
    """Claim that ``fast`` is between ``low`` and ``high`` times as fast as ``slow``."""

    fast: Cell
    slow: Cell
    low: float
    high: float

    def calm(self, times: Times) -> Interval:
        """Return the 90 % interval of the same ratio in the calm study."""
        return ratio(times[self.slow], times[self.fast]).interval

    def contradicts(self, times: Times) -> bool:
        """Whether the claim and the calm interval do not overlap."""
        calm = self.calm(times)
        return self.low > calm.high or self.high < calm.low

    def __str__(self) -> str:
        fast, slow = (f"{level} {threads}".strip() for level, threads in (self.fast, self.slow))
        return f"{fast} over {slow} in [{self.low:.2f}, {self.high:.2f}]"


def contradictions(status: str, headline: str, times: Times) -> list[str]:
    """Return the claims that contradict the calm study, in words; raise UnreadError for an unknown headline."""
    if status not in ("decided", "undecided"):
        return []
    found = claims(headline, times)
    if not found and status == "decided":
        raise UnreadError(headline)
    wrong = [claim for claim in found if claim.contradicts(times)]
    return [f"{claim}, calm [{claim.calm(times).low:.2f}, {claim.calm(times).high:.2f}]" for claim in wrong]


def claims(headline: str, times: Times) -> list[Claim]:
    """Return the claims of a headline about levels and thread counts that the calm study has."""
    said = headline.partition(": ")[2]
    levels = list(dict.fromkeys(level for level, _ in times))
    found = _of_levels(said, levels) if len(levels) > 1 else _of_curve(said, levels[0], times)
    return [claim for claim in found if claim.fast in times and claim.slow in times]


def _of_curve(said: str, level: str, times: Times) -> list[Claim]:
    """Return the claims about one curve: a count against the base, then larger counts."""
    counts = [n for _, n in times]
    base = (level, counts[0])
    if same := re.search(r"no speedup\. ([\d, and]+) threads take the same time \(within 3 %\)", said):
        return [Claim((level, n), base, 1 / MARGIN, MARGIN) for n in _counts(same[1]) if n != counts[0]]
    if re.search(r"no speedup\. More threads gain at most 3 % over \d+", said):
        return [Claim((level, n), base, 0, MARGIN) for n in counts[1:]]
    if loss := re.search(rf"(\d+) threads are {PERCENT} slower than (\d+)", said):
        return [Claim((level, int(loss[1])), (level, int(loss[4])), *_slower(loss[2], loss[3]))]
    gain = re.search(rf"(\d+) threads are {TIMES} as fast as (\d+)", said)
    if gain is None:
        return []
    named = (level, int(gain[1]))
    claim = Claim(named, (level, int(gain[6])), *_ends(gain.groups()[1:5]))
    return [claim, *_beyond(said, named, [(level, n) for n in counts if n > named[1]])]


def _beyond(said: str, named: Cell, more: list[Cell]) -> list[Claim]:
    if "more threads give no measurable gain" in said:
        return [Claim(cell, named, 0, MARGIN) for cell in more]
    worse = re.search(rf"; (\d+) are {PERCENT} slower", said)
    return [Claim((named[0], int(worse[1])), named, *_slower(worse[2], worse[3]))] if worse else []


def _of_levels(said: str, levels: list[str]) -> list[Claim]:
    """Return the claims about two levels: "dynamic is 1.4x [1.3, 1.5] as fast as static at 2 threads; equal at 1"."""
    found, other = [], dict(zip(levels, reversed(levels), strict=True))
    if gain := re.search(rf"(\S+) is {TIMES} as fast as (\S+) at (\d+) thread", said):
        n = int(gain[7])
        found.append(Claim((gain[1], n), (gain[6], n), *_ends(gain.groups()[1:5])))
    equal = map(int, re.findall(r"equal (?:\(within 3 %\) )?at (\d+)", said))
    faster = re.findall(r"(\S+) is faster at (\d+)", said)
    return [
        *found,
        *(Claim((levels[0], n), (levels[1], n), 1 / MARGIN, MARGIN) for n in equal),
        *(Claim((fast, int(n)), (other[fast], int(n)), 1, math.inf) for fast, n in faster),
    ]


def _ends(found: tuple[str | None, ...]) -> tuple[float, float]:
    """Return both ends of an interval printed in either form, widened by half a digit."""
    low, high = (float(one) for one in found if one is not None)
    return low - ROUNDED, high + ROUNDED


def _slower(low: str, high: str) -> tuple[float, float]:
    """Return the claimed range of speed of a count that takes ``low`` to ``high`` percent more time."""
    return 1 / (1 + float(high) / 100 + ROUNDED), 1 / (1 + float(low) / 100 - ROUNDED)


def _counts(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]
