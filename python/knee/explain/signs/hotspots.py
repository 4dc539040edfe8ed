"""Where CPU time grows: at one or two instructions, or at all instructions of a loop.

A thread that waits for a cache line, or tries for a lock again and again, is met at the same few instructions. Work
that is done again is met wherever it was met before, in the same proportions; and work that one thread does not have at
all is met all over code in which one thread is never met.

Places are addresses of instructions in files, from samples of CPU time outside of the kernel. What a just-in-time
compiler makes has no places that can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knee.explain.ledger.evidence import AT_BASE, ONE_CPU, SWITCHES, TWICE, Evidence
from knee.explain.signs.samples import HOTSPOTS, NAMED, Place, Samples, samples
from knee.stats.intervals import Array, Interval

Mask = npt.NDArray[np.bool_]

SURE = 4.0
"""Growth is so many standard deviations above 0, at least."""

AROUND = 64
"""Bytes around an instruction that are of the same loop."""

BESIDE = 16
"""Bytes around an instruction in which one thread is met as well, unless it never gets there."""

LISTED = 20.0
"""So many places, or more, are not counted."""

DRAWS = 200
"""Draws of what the samples might have been."""

FEW, SEVERAL, MANY = 2.2, 2.5, 4.0
"""At how many places it grows: at most, where threads wait; at least, where they work; and where they do much else."""

ALIKE = 0.25
"""How far growth may be from the shares that one thread's time has in the same loop, as a share, where it is the same
work.
"""

RARE = 0.2
"""One thread is met so seldom, as a share of its samples, where threads wait only beside others."""

NEW = 0.7
"""Share of the growth, at least, that is in code in which one thread is never met."""

MOSTLY = 0.7
"""Share of the growth, at least, that one function has where threads work in it."""


@dataclass(frozen=True)
class Grown:
    """Where CPU time grows."""

    places: Interval
    """Effective number of places (the inverse of Simpson's index)."""
    apart: float
    """How far growth is from one thread's time in the same loops: 0 the same shares, 1 other places."""
    before: float
    """Share of one thread's samples at the places where most of it grows."""
    new: float
    """Share that is in code in which one thread is never met."""
    function: str | None
    """Function in which most of it grows."""
    share: float
    """How much of it that is."""

    @property
    def waits(self) -> bool:
        """Whether threads surely wait at few instructions, which take hardly any time on one thread."""
        return self.places.high < FEW and self.before < RARE

    @property
    def loops(self) -> bool:
        """Whether they wait in code to which one thread never gets: they try again and again."""
        return self.waits and self.new > NEW

    @property
    def works(self) -> bool:
        """Whether threads surely work: it grows where one thread works, in the same proportions, or all over a function
        that does something else.
        """
        again = self.apart < ALIKE and self.places.low > FEW
        return again or (self.places.low > SEVERAL and self.share > MOSTLY)

    @property
    def scattered(self) -> bool:
        """Whether it grows all over several functions, as where threads look for work, or collect garbage."""
        return self.places.low > MANY and not self.works

    @property
    def said(self) -> str:
        """Where it grows, in words."""
        low, high = max(1.0, self.places.low), max(1.0, self.places.high)
        if not high < LISTED:
            many = f"{min(low, LISTED):.0f} or more instructions"
        elif round(high) == 1:
            many = "one instruction"
        else:
            many = f"{low:.0f} to {high:.0f} instructions" if round(low) < round(high) else f"{low:.0f} instructions"
        most = "" if self.function is None else f", {100 * min(1.0, self.share):.0f} % of it in {self.function}"
        return f"CPU time grows at {many}{most}"


def grown(found: Evidence) -> Grown | None:
    """Return where CPU time grows from the base to all threads; None if it does not surely, or samples cannot tell."""
    both = _both(found)
    if both is None:
        return None
    many, base = both
    places = sorted({*many.at, *base.at})
    n, b = (np.array([one.at[place] for place in places], dtype=float) for one in both)
    grows, error = n / many.runs - b / base.runs, n / many.runs**2 + b / base.runs**2
    whole = float(grows.sum())
    if not whole > SURE * float(np.sqrt(error.sum())):
        return None
    numbers = _effective(n, b, many.runs, base.runs)
    name, share = _function(places, grows, base.functions | many.functions)
    inside: Mask = grows > SURE * np.sqrt(error)
    if not inside.any():
        # Nowhere does it surely grow, so it does everywhere a little.
        apart = _apart_by_function(places, grows, b, base.functions | many.functions)
        return Grown(numbers, apart, 0.0, 0.0, name, share / whole)
    near, never = _within(places, inside, AROUND), ~_within(places, b > 0, BESIDE)
    return Grown(
        numbers,
        _apart(grows[near], b[near], error[near]),
        float(b[inside].sum() / b.sum()),
        float(grows[inside & never].sum() / grows[inside].sum()),
        name,
        share / whole,
    )


def said(found: Evidence) -> tuple[str, ...]:
    """Return where CPU time grows, as a sign in words; nothing where that is not known."""
    spots = grown(found)
    return () if spots is None else (spots.said,)


def share_in(found: Evidence, function: str) -> float:
    """Return the share of the samples with all threads in functions whose name matches a pattern.

    NaN where too few have names.
    """
    many = samples(found, HOTSPOTS, SWITCHES, ONE_CPU, TWICE)
    share = None if many is None else many.share(function)
    return np.nan if share is None else share


def growth_in(found: Evidence, function: str) -> float:
    """Return the share of what grows that does so in functions whose name matches a pattern.

    NaN where CPU time does not surely grow, or too few functions have names.
    """
    both = _both(found)
    if both is None or grown(found) is None:
        return np.nan
    shares = [one.share(function) for one in both]
    if shares[0] is None or shares[1] is None:
        return np.nan
    many, base = (one.total / one.runs for one in both)
    return (shares[0] * many - shares[1] * base) / (many - base)


def _both(found: Evidence) -> tuple[Samples, Samples] | None:
    """Return the samples with all threads and those of the base, where most of them are at known places."""
    many, base = samples(found, HOTSPOTS, SWITCHES), samples(found, HOTSPOTS + AT_BASE)
    return (many, base) if many is not None and base is not None and many.placed and base.placed else None


def _effective(n: Array, b: Array, many: int, base: int) -> Interval:
    """Return the effective number of places at which it grows, without what chance adds."""
    chance = np.random.default_rng(1)
    error = n / many**2 + b / base**2
    drawn = chance.poisson(n, (DRAWS, n.size)) / many - chance.poisson(b, (DRAWS, b.size)) / base
    # Drawn counts have the error of the samples, and as much of their own.
    squares = (drawn**2).sum(axis=1) - 2 * error.sum()
    whole = drawn.sum(axis=1) ** 2 - 2 * error.sum()
    number = np.where(squares > 0, np.maximum(whole, 0.0) / np.maximum(squares, 1e-9), np.inf)
    low, high = np.quantile(number, (0.05, 0.95), method="nearest")
    return Interval(float(low), float(high))


def _within(places: list[Place], of: Mask, distance: int) -> Mask:
    """Return which places are so near to one of some others in the same file, in bytes."""
    near = np.zeros(len(places), dtype=np.bool_)
    for file in {name for name, _ in places}:
        inside = np.array([at for at, (name, _) in enumerate(places) if name == file])
        at_byte: Array = np.array([byte for name, byte in places if name == file], dtype=float)
        others = at_byte[of[inside]]
        if others.size:
            after = np.searchsorted(others, at_byte)
            before, behind = (others[np.clip(at, 0, others.size - 1)] for at in (after - 1, after))
            near[inside] = np.minimum(np.abs(at_byte - before), np.abs(at_byte - behind)) <= distance
    return near


def _apart(grows: Array, before: Array, error: Array) -> float:
    """Return the distance in total variation between growth and one thread's time, without what chance adds."""
    if not before.sum() > 0 or not grows.sum() > 0:
        return 1.0
    off = np.abs(grows / grows.sum() - before / before.sum())
    return float(np.maximum(0.0, off - np.sqrt(error) / grows.sum()).sum() / 2)


def _apart_by_function(places: list[Place], grows: Array, before: Array, functions: dict[Place, str]) -> float:
    """Return the same distance over functions, where no place tells; 1 if many have no name."""
    names = [functions.get(place) for place in places]
    unnamed = np.array([name is None for name in names])
    if before[unnamed].sum() > (1 - NAMED) * before.sum():
        return 1.0
    each = sorted({name for name in names if name is not None})
    sums = [np.array([values[[name == one for name in names]].sum() for one in each]) for values in (grows, before)]
    return _apart(sums[0], sums[1], np.zeros(len(each)))


def _function(places: list[Place], grows: Array, functions: dict[Place, str]) -> tuple[str | None, float]:
    """Return the function in which it grows most, and by how much."""
    by_name: dict[str, float] = {}
    for place, one in zip(places, grows, strict=True):
        if (name := functions.get(place)) is not None:
            by_name[name] = by_name.get(name, 0.0) + float(one)
    best = max(by_name, key=lambda name: by_name[name], default=None)
    return best, by_name[best] if best is not None else 0.0
