"""Formats numbers, intervals and counts for a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from knee.stats.intervals import Interval


def threads(n: int) -> str:
    """Return ``1 thread`` or ``8 threads``."""
    return f"{n} thread" if n == 1 else f"{n} threads"


def times(estimate: float, ends: Interval) -> str:
    """Return a ratio with its interval: ``1.41x [1.36, 1.46]``."""
    return f"{_digits(estimate)}x {interval(ends)}"


def interval(ends: Interval) -> str:
    """Return an interval: ``[1.36, 1.46]``."""
    return f"[{_digits(ends.low)}, {_digits(ends.high)}]"


def between(ends: Interval) -> str:
    """Return an interval as a range: ``between 0.90x and 1.60x``."""
    return f"between {_digits(ends.low)}x and {_digits(ends.high)}x"


def slower(time: float, ends: Interval) -> str:
    """Return how much slower: ``22 % [20, 24] slower``, or ``3.10x [2.90, 3.30] slower`` from twice the time on."""
    if time >= 2:
        return f"{times(time, ends)} slower"
    percents = [f"{100 * (one - 1):.0f}" for one in (time, ends.low, ends.high)]
    return f"{percents[0]} % [{percents[1]}, {percents[2]}] slower"


def no_verdict(why: str) -> str:
    """Return the headline "no verdict" with its reason, which is given in lower case."""
    return f"no verdict. {why[0].upper()}{why[1:]}"


def listed(words: Sequence[object]) -> str:
    """Return ``1, 2 and 4``."""
    if len(words) < 2:
        return "".join(map(str, words))
    return f"{', '.join(map(str, words[:-1]))} and {words[-1]}"


def counted(n: int, one: str) -> str:
    """Return ``1 run``, ``4 runs`` or ``5 launches``."""
    return f"{n} {one}" if n == 1 else f"{n} {one}{'es' if one.endswith('ch') else 's'}"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"
