"""Samples of where a program computes, and at which memory, as the runner takes them for a question.

The code of a program is a loop of some instructions, a function that only several threads execute, and a lock's. A few
instructions of the loop write to memory that other threads write to as well. How well samples tell where threads wait
was taken from real programs: nearly all of them are at the line, of some the bytes are not known, a few are taken for
the wrong kind, and a spinning thread is met at its lock's line in all samples, in some, or in none.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from made_up.play import Course
from made_up.program import Program

PERIOD_S, CPUS = 997e-6, 16
"""CPU time between two samples of a thread, up to so many cpus; on more there are as many samples as on these."""

AT_LINE, KNOWN, TAKEN_WRONG = 0.95, 0.9, 0.03
"""Shares of the samples of threads that wait for a line: at the line; of these, with known bytes; of these, taken for
the other kind.
"""

ELSEWHERE = 0.005
"""Share of all other samples that are at lines that threads share at little cost."""

COMPILED = 0.5
"""Share of the runtimes with a collector that compile code while it runs."""

LINES = ("false sharing", "true sharing")


@dataclass(frozen=True)
class Code:
    """Places of a program, and the share of the samples that each has."""

    loop: dict[int, float]
    stores: tuple[int, ...]
    """Those of the loop that write to shared lines."""
    more: dict[int, float]
    """Code that only several threads execute."""
    lock: dict[int, float]
    lock_met: float
    """Share of a spinning thread's samples that are at the lock's line."""
    compiled: bool
    """Whether a compiler makes the code while it runs, so that it has no places."""

    @classmethod
    def of(cls, program: Program, seed: str) -> Code:
        """Return the code of a program, which is the same in each run."""
        draw = random.Random(f"code {seed}")
        loop, more = (_places(draw, begin, draw.randint(5, 60)) for begin in (0x1000, 0x3000))
        stores = tuple(draw.sample(list(loop), draw.randint(1, 3)))
        lock = _places(draw, 0x5000, draw.randint(1, 2))
        lock_met, compiled = draw.choice((0.0, 0.3, 1.0)), program.collector > 0 and draw.random() < COMPILED
        return cls(loop, stores, more, lock, lock_met, compiled)

    def of_kind(self, kind: str) -> dict[int, float]:
        """Return where a thread is met while it does something."""
        if kind in LINES:
            return {place: 1 / len(self.stores) for place in self.stores}
        return {"growth": self.more, "spin": self.lock}.get(kind, self.loop)


def _places(draw: random.Random, begin: int, many: int) -> dict[int, float]:
    weights = [draw.expovariate(1) for _ in range(many)]
    return {begin + 8 * at: weight / sum(weights) for at, weight in enumerate(weights)}


def hotspots(spec: dict[str, Any], course: Course, factor: float, code: Code) -> dict[str, Any]:
    """Return what a record says of samples."""
    draw = random.Random(f"spots {spec['id']} {factor}")
    period = PERIOD_S * max(1, -(-len(spec["cpus"]) // CPUS))
    outside = 1 - sum(one.system_s for one in course.threads) / max(1e-9, sum(one.cpu_s for one in course.threads))
    counts: dict[int, int] = {}
    met = same = apart = 0
    for kind, seconds in course.computed.items():
        for place, share in code.of_kind(kind).items():
            counts[place] = counts.get(place, 0) + _drawn(draw, share * seconds * outside * factor / period)
        many = seconds * outside * factor / period
        at = _drawn(draw, many * {"spin": code.lock_met, **dict.fromkeys(LINES, AT_LINE)}.get(kind, _beside(course)))
        known = min(at, _drawn(draw, KNOWN * at))
        wrong = min(known, _drawn(draw, TAKEN_WRONG * known))
        met, right = met + at, known - wrong
        same, apart = (same + wrong, apart + right) if kind == LINES[0] else (same + right, apart + wrong)
    samples = sum(counts.values())
    # Counts of places and of lines are drawn each for itself.
    met = min(met, samples)
    same = min(same, met)
    named = {"work": code.loop, "merge": code.more, "lock": code.lock}
    places = [
        {"file": 0, "at": place, "samples": counts[place], "function": number}
        for number, function in enumerate(named.values())
        for place in function
        if counts.get(place)
    ]
    return {
        "period_ns": round(period * 1e9), "samples": samples, "unnamed": samples if code.compiled else 0,
        "elsewhere": 0, "cost_ns": 0, "files": ["/made-up"], "functions": list(named),
        "places": [] if code.compiled else places,
        "shared": {"addressed": samples, "lines": met, "same": same, "apart": min(apart, met - same)},
    }  # fmt: skip


def _beside(course: Course) -> float:
    return ELSEWHERE if max(course.running, default=1) > 1 else 0.0


def _drawn(draw: random.Random, expected: float) -> int:
    """Return a count that is expected to be so many."""
    if expected < 30:
        # Knuth: how many events before the product of chances is below e^-expected.
        limit, product, many = 2.718281828**-expected, draw.random(), 0
        while product > limit:
            product, many = product * draw.random(), many + 1
        return many
    return max(0, round(draw.gauss(expected, expected**0.5)))
