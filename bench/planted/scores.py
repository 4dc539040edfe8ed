"""Scores findings against the truth: the rules of bench/truth.py."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from planted.instances import Instance, Names

from knee.stats.intervals import Interval, t_interval
from knee.stats.proportion import clopper_pearson

LEAST = 0.05
"""Below this loss, in logarithms, there is nothing to explain."""

Outcome = Literal["right", "group", "wrong", "silent"]


@dataclass(frozen=True)
class Part:
    """The size of a loss in logarithms, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Found:
    """A finding of knee: its names, and how much of the loss it explains."""

    names: Names
    part: Part | None


@dataclass(frozen=True)
class Scored:
    """An instance with its truth and what knee found."""

    instance: Instance
    truth: Part
    found: tuple[Found, ...]
    own: Names = frozenset()
    """Causes that the program was measured to have at dial 0."""
    base: Part | None = None
    """What the planted cause was measured to cost at dial 0."""

    @property
    def counts(self) -> bool:
        """Whether its cause must be named: it has one, and costs enough."""
        return self.instance.cause is not None and self.truth.low > LEAST

    @property
    def outcome(self) -> Outcome:
        """How well the findings name the cause."""
        return self._judged(self.own)

    @property
    def by_table(self) -> Outcome:
        """How well they do by the table of programs alone, as if nothing had been measured at dial 0."""
        return self._judged(frozenset())

    def _judged(self, own: Names) -> Outcome:
        planted = self.instance.acceptable if self.instance.cause is not None else ()
        allowed = self.instance.also.union(own, *planted)
        names = [one.names for one in self.found]
        if any(not one <= allowed for one in names):
            return "wrong"
        if frozenset([self.instance.cause]) in names:
            return "right"
        return "group" if any(one in planted for one in names) else "silent"

    @property
    def size_holds(self) -> bool | None:
        """Whether the part of the cause agrees with the truth of the dial; None if it is not named."""
        return self._agrees(self.truth)

    @property
    def size_with_base_holds(self) -> bool | None:
        """Whether it agrees with what the dial and the program without it cost together; None if it is not named."""
        return self._agrees(self.truth, *([self.base] if self.base else []))

    def _agrees(self, *costs: Part) -> bool | None:
        parts = [one.part for one in self.found if one.part and one.names in self.instance.acceptable]
        if not parts:
            return None
        return any(_may_be_equal(part, costs) for part in parts)


def _may_be_equal(part: Part, costs: Sequence[Part]) -> bool:
    """Whether the interval of a part less some costs holds 0. Of each only the end counts that faces the others."""
    over = part.value - sum(cost.value for cost in costs)
    if over > 0:
        return over <= math.hypot(part.value - part.low, *(cost.high - cost.value for cost in costs))
    return -over <= math.hypot(part.high - part.value, *(cost.value - cost.low for cost in costs))


def read(chosen: Iterable[Instance], results: Mapping[str, dict[str, Any]]) -> tuple[list[Scored], dict[str, str]]:
    """Return the scored instances, and the others by name with the reason."""
    scored: list[Scored] = []
    left: dict[str, str] = {}
    for instance in chosen:
        result = results.get(instance.name, {"unmeasured": "not measured yet"})
        if "unmeasured" in result:
            left[instance.name] = result["unmeasured"]
        else:
            truth = Part(result["truth"]["value"], **result["truth"]["interval"])
            found = tuple(map(_found, result["findings"]))
            own = frozenset(result["truth"].get("own", ()))
            base = Part(**result["truth"]["base"]) if result["truth"].get("base") else None
            scored.append(Scored(instance, truth, found, own, base))
    return scored, left


def _found(finding: dict[str, Any]) -> Found:
    names = frozenset(finding["left"] or [finding["cause"]])
    return Found(names, Part(**finding["part"]) if finding.get("part") else None)


def report(results: tuple[list[Scored], dict[str, str]]) -> str:
    """Return rates and the confusion matrix, calm and under load, as Markdown."""
    scored, left = results
    parts: list[str] = []
    for title, loaded in (("Calm", False), ("Under load", True)):
        some = [one for one in scored if one.instance.loaded == loaded]
        parts.append(f"### {title}\n\n{rates(some)}\n\n{confusion(some)}")
    gone = "\n".join(f"- {name}: {reason}" for name, reason in left.items())
    return "\n\n".join([*parts, f"Not measured: {len(left)}\n\n{gone}".strip()]) + "\n"


def rates(scored: list[Scored]) -> str:
    """Return the rates with their intervals, as a table."""
    dialled = [one for one in scored if one.instance.cause is not None]
    planted = [one for one in dialled if one.counts]
    clean = [one for one in scored if one.instance.cause is None]
    sized = [one for one in planted if one.size_holds is not None]
    rows = [
        _rate("named right", planted, lambda one: {"right": 1.0, "group": 0.5}.get(one.outcome, 0.0)),
        _rate("a group", planted, lambda one: float(one.outcome == "group")),
        _rate("named wrong, small ones too", dialled, lambda one: float(one.outcome == "wrong")),
        _rate("wrong by the table of programs alone", dialled, lambda one: float(one.by_table == "wrong")),
        _rate("nothing or the truth, clean and decoys", clean, lambda one: float(one.outcome != "wrong")),
        _rate("the same by the table alone", clean, lambda one: float(one.by_table != "wrong")),
        _rate("size of the part holds", sized, lambda one: float(bool(one.size_holds))),
        _rate("the same with what dial 0 has of it", sized, lambda one: float(bool(one.size_with_base_holds))),
    ]
    head = "| | hits | of | rate | exact interval | over programs |\n|---|---|---|---|---|---|"
    return "\n".join([head, *rows, "", f"Planted but too small to be named: {len(dialled) - len(planted)}"])


def _rate(what: str, scored: list[Scored], hit: Callable[[Scored], float]) -> str:
    if not scored:
        return f"| {what} | 0 | 0 | | | |"
    hits = [hit(one) for one in scored]
    exact = clopper_pearson(round(sum(hits)), len(hits))
    wide = over_programs(scored, hits)
    rate = f"{100 * sum(hits) / len(hits):.1f} %"
    return f"| {what} | {sum(hits):g} | {len(hits)} | {rate} | {_percent(exact)} | {_percent(wide)} |"


def over_programs(scored: list[Scored], hits: list[float]) -> Interval:
    """Return the interval of a rate over programs: Student's t on the linearised ratio of each program's sums.

    Cochran, *Sampling Techniques*, 3rd edition, 1977, section 6.3.
    """
    sums: dict[str, list[float]] = {}
    for one, value in zip(scored, hits, strict=True):
        total = sums.setdefault(one.instance.program, [0.0, 0.0])
        total[0] += value
        total[1] += 1
    got, of = np.array(list(sums.values())).T
    rate = got.sum() / of.sum()
    around = t_interval((got - rate * of) / of.mean())
    return Interval(max(0.0, rate + around.low), min(1.0, rate + around.high))


def _percent(ends: Interval) -> str:
    return f"[{100 * ends.low:.1f}, {100 * ends.high:.1f}]"


def confusion(scored: list[Scored]) -> str:
    """Return how often each set of names was found for each cause."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in scored:
        cause = one.instance.cause or "clean"
        if one.instance.cause is not None and not one.counts:
            continue
        names = [" or ".join(sorted(found.names)) for found in one.found]
        counts[cause, " + ".join(sorted(names)) or "nothing"] += 1
    rows = [f"| {cause} | {names} | {count} |" for (cause, names), count in sorted(counts.items())]
    return "\n".join(["| planted | named | instances |\n|---|---|---|", *rows])
