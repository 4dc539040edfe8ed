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

from knee.explain.ledger.evidence import AT_BASE, Evidence
from knee.explain.signs.computing.samples import HOTSPOTS, Place, Samples, samples
from knee.stats.intervals import Array, Interval

Mask = npt.NDArray[np.bool_]

SURE = 4.0
"""Growth is so many standard deviations above 0, at least."""

BESIDE = 16
"""Bytes around an instruction in which one thread is met as well, unless it never gets there."""

LISTED = 20.0
"""So many places, or more, are not counted."""

DRAWS = 200
"""Draws of what the samples might have been."""

FEW, SEVERAL, MANY = 2.2, 2.5, 4.0
"""At how many places it grows: at most, where threads wait; at least, where they work; and where they do much else."""

ALIKE, ENOUGH = 0.1, 5.0
"""Growth is in proportion if samples differ from that by chance with this probability, and would differ by so many
standard deviations if it were not.
"""

STALLS, OFTEN = 6.0, 20.0
"""Places at which threads wait for a few lines, each as long; and samples of a place that tell how often it is met."""

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
    alike: float
    """How likely samples differ as much where growth is at all places in the same proportion."""
    power: float
    """By how many standard deviations they would differ if threads waited at a few places."""
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
    def again(self) -> bool:
        """Whether threads do the same work again: it grows wherever one thread works, in the same proportions."""
        return self.alike > ALIKE and self.power > ENOUGH and self.places.low > SEVERAL

    @property
    def works(self) -> bool:
        """Whether threads do not try again and again: it grows all over a function, or wherever one thread works.

        Several stores that wait for lines look the same.
        """
        return self.again or (self.places.low > SEVERAL and self.share > MOSTLY)

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
    never = ~_within(places, b > 0, BESIDE)
    sure = float(grows[inside].sum())
    return Grown(
        numbers,
        *_alike(n, b, whole * many.runs),
        float(b[inside].sum() / b.sum()) if sure else 0.0,
        float(grows[inside & never].sum() / sure) if sure else 0.0,
        name,
        share / whole,
    )


def compiles(found: Evidence) -> bool:
    """Whether the program compiles its code while it runs (a just-in-time compiler).

    On one cpu its compiler takes the time of the threads, which run slower code for longer: CPU time that grows there
    may not be theirs.
    """
    many = samples(found, HOTSPOTS)
    return many is not None and many.made


def said(found: Evidence) -> tuple[str, ...]:
    """Return where CPU time grows, as a sign in words; nothing where that is not known."""
    spots = grown(found)
    return () if spots is None else (spots.said,)


def share_in(found: Evidence, function: str) -> float:
    """Return the share of the samples with all threads in functions whose name matches a pattern.

    NaN where too few have names.
    """
    many = samples(found, HOTSPOTS)
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
    many, base = samples(found, HOTSPOTS), samples(found, HOTSPOTS + AT_BASE)
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


def _alike(n: Array, b: Array, more: float) -> tuple[float, float]:
    """Return how likely samples with all threads differ as much from those of the base where both have the same
    proportions, and by how many standard deviations they would differ if threads waited at a few places.

    The statistic is the largest difference at a place, in standard deviations. ``more`` is how many samples more there
    are with all threads.
    """
    common = (n + b) / (n.sum() + b.sum())
    often = n + b > OFTEN
    if not often.any():
        return 0.0, 0.0

    whole = 1 / n.sum() + 1 / b.sum()

    def differ(n: Array, b: Array) -> Array:
        """Return the statistic of two rows of counts; of many for shape (draws, places)."""
        shares = [one[..., often] / one.sum(axis=-1, keepdims=True) for one in (n, b)]
        error = np.sqrt(common[often] * whole)
        return (np.abs(shares[0] - shares[1]) / error).max(axis=-1)

    chance = np.random.default_rng(2)
    drawn = [chance.multinomial(int(one.sum()), common, DRAWS).astype(float) for one in (n, b)]
    likely = float((differ(drawn[0], drawn[1]) >= differ(n, b)).mean())
    return likely, float(more / STALLS / np.sqrt((n + b).max()))


def _function(places: list[Place], grows: Array, functions: dict[Place, str]) -> tuple[str | None, float]:
    """Return the function in which it grows most, and by how much."""
    by_name: dict[str, float] = {}
    for place, one in zip(places, grows, strict=True):
        if (name := functions.get(place)) is not None:
            by_name[name] = by_name.get(name, 0.0) + float(one)
    best = max(by_name, key=lambda name: by_name[name], default=None)
    return best, by_name[best] if best is not None else 0.0
