"""Does a headline contradict what was measured on a calm machine?

A headline claims something of the ratio of two times: "2 threads are 1.9x [1.8, 2.0] as fast as 1" allows the values in
its interval, "the same time (within 3 %)" those within 3 % of 1, "more threads give no measurable gain" those up to
1.03, "4 are 9 % slower" those below 1/1.03. It contradicts the calm study when it is decided and the calm 90 % interval
of the same ratio has no value in common with what it allows. That happens to two calm studies as well, rarely: both
intervals move by chance.

What is undecided, disturbed or no verdict claims nothing. A decided headline in other words than these is an error, and
not taken for one that contradicts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from knee.stats.intervals import Array, Interval, ratio

MARGIN = 1.03
"""Times that differ by less are called equal."""

Times = Mapping[tuple[str, int], Array]
"""Seconds of a study, shape (blocks,), by level (``""`` where there is one series) and thread count."""

RATIO = r"(?:[\d.]+x )?\[([\d.]+), ([\d.]+)\]"


class UnreadError(Exception):
    """A decided headline in words that are not known here."""


@dataclass(frozen=True)
class Claim:
    """``fast`` is as many times as fast as ``slow`` as lies between ``low`` and ``high``."""

    fast: tuple[str, int]
    slow: tuple[str, int]
    low: float
    high: float

    def calm(self, times: Times) -> Interval:
        """Return the 90 % interval of the same ratio in the calm study."""
        return ratio(times[self.slow], times[self.fast]).interval

    def contradicts(self, times: Times) -> bool:
        """Whether no value is allowed by both."""
        calm = self.calm(times)
        return self.low > calm.high or self.high < calm.low

    def __str__(self) -> str:
        fast, slow = (f"{level} {threads}".strip() for level, threads in (self.fast, self.slow))
        return f"{fast} over {slow} in [{self.low:.2f}, {self.high:.2f}]"


def contradictions(headline: str, times: Times) -> list[str]:
    """Return what a decided headline claims against the calm study, in words; raise UnreadError for unknown words."""
    found = claims(headline, times)
    if not found:
        raise UnreadError(headline)
    wrong = [claim for claim in found if claim.contradicts(times)]
    return [f"{claim}, calm [{claim.calm(times).low:.2f}, {claim.calm(times).high:.2f}]" for claim in wrong]


def claims(headline: str, times: Times) -> list[Claim]:
    """Return all that a headline claims of the levels and counts that the calm study has."""
    said = headline.partition(": ")[2]
    levels = list(dict.fromkeys(level for level, _ in times))
    found = _of_levels(said, levels, times) if len(levels) > 1 else _of_curve(said, levels[0], times)
    return [claim for claim in found if claim.fast in times and claim.slow in times]


def _of_curve(said: str, level: str, times: Times) -> list[Claim]:
    """Return what is claimed of one curve: its first clause is about a count and the base, the second about more."""
    counts = [n for _, n in times]
    base = (level, counts[0])
    larger = [(level, n) for n in counts[1:]]
    if same := re.search(r"no (?:speedup|gain)\. ([\d, and]+) threads .*\(within 3 %\)", said):
        named = [int(n) for n in re.findall(r"\d+", same[1])]
        return [Claim((level, n), base, 1 / MARGIN, MARGIN) for n in named if n != base[1]]
    if re.search(r"no speedup\. More threads than \d+ gain at most 3 %", said):
        return [Claim(cell, base, 0, MARGIN) for cell in larger]
    if loss := re.search(rf"(\d+) threads are .*slower than (\d+) \(speedup {RATIO}\)", said):
        return [Claim((level, int(loss[1])), (level, int(loss[2])), float(loss[3]), float(loss[4]))]
    gain = re.search(rf"(\d+) threads are {RATIO} as fast as (\d+)", said)
    if gain is None:
        return []
    named = (level, int(gain[1]))
    return [
        Claim(named, (level, int(gain[4])), float(gain[2]), float(gain[3])),
        *_beyond(said, named, [cell for cell in larger if cell[1] > named[1]]),
    ]


def _beyond(said: str, named: tuple[str, int], more: list[tuple[str, int]]) -> list[Claim]:
    if "more threads give no measurable gain" in said:
        return [Claim(cell, named, 0, MARGIN) for cell in more]
    worse = re.search(r"; (\d+) are .* slower", said)
    # knee calls slower only what takes more than 3 % longer.
    return [Claim((named[0], int(worse[1])), named, 0, 1 / MARGIN)] if worse else []


def _of_levels(said: str, levels: list[str], times: Times) -> list[Claim]:
    """Return what is claimed of two levels: "dynamic is 1.41x [1.36, 1.46] as fast at 2 threads; equal at 1"."""
    counts = sorted({n for _, n in times})
    found = []
    for fast, low, high, n in re.findall(rf"(\S+) is {RATIO} as fast at (\d+)", said):
        slow = next(level for level in levels if level != fast)
        found.append(Claim((fast, int(n)), (slow, int(n)), float(low), float(high)))
    for named in re.findall(r"equal at ([\d, and]+)", said):
        equal = [int(n) for n in re.findall(r"\d+", named)]
        found += [Claim((levels[0], n), (levels[1], n), 1 / MARGIN, MARGIN) for n in equal if n in counts]
    return found
