"""The sentence about thread counts at which more or fewer threads computed than requested."""

from __future__ import annotations

from collections.abc import Sequence

from knee.explain.computed import OtherCount
from knee.explain.verdict.words import listed

NAMED = 3
"""Thread counts that are named one by one; of more the first and the last are."""

ADVICE = "check how the program reads its thread count"


def sentence(found: Sequence[OtherCount], series: int) -> str:
    """Return the sentence, which names the series if only some of the study's ``series`` differ."""
    counts: dict[str, list[tuple[int, int]]] = {}
    for one in found:
        counts.setdefault(one.series, []).append((one.asked, one.computed))
    name, first = next(iter(counts.items()))
    same = len(counts) == series and all(one == first for one in counts.values())
    of = "" if same else f"{name}: "
    asked, computed = [n for n, _ in first], [n for _, n in first]
    threads = "thread" if asked == [1] else "threads"
    fewer = all(n < wanted for wanted, n in first)
    advice = f"{ADVICE}, and whether it has work for so many" if fewer else ADVICE
    return f"{of}asked for {_named(asked)} {threads}, {_named(computed)} computed: {advice}"


def _named(counts: Sequence[int]) -> str:
    if len(set(counts)) == 1:
        return str(counts[0])
    return listed(counts) if len(counts) <= NAMED else f"{counts[0]} to {counts[-1]}"
