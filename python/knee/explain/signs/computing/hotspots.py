"""Where CPU time grows: at one or two instructions, or at all instructions of a loop.

A thread that waits for a cache line, or tries for a lock again and again, is met at the same few instructions. Work
that is done again is met wherever it was met before, in the same proportions; and work that one thread does not have at
all is met all over code in which one thread is never met.

Places are addresses of instructions in files, from samples of CPU time outside of the kernel. What a just-in-time
compiler makes has no places that can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from knee.explain.evidence.evidence import AT_BASE, Evidence
from knee.explain.evidence.means import mean
from knee.explain.signs.computing.places import STALLS, Mask, alike, effective, most_of, within
from knee.explain.signs.computing.samples import HOTSPOTS, Place, Samples, samples
from knee.stats.intervals import Array, Interval

SURE = 4.0
"""Growth is so many standard deviations above 0, at least."""

BESIDE = 16
"""Bytes around an instruction in which one thread is met as well, unless it never gets there."""

LISTED = 20.0
"""So many places, or more, are not counted."""

FEW, SEVERAL, MANY = 2.2, 2.5, 4.0
"""At how many places it grows: at most, where threads wait; at least, where they work; and where they do much else."""

ALIKE, ENOUGH = 0.1, 5.0
"""Growth is in proportion if samples differ from that by chance with this probability, and would differ by so many
standard deviations if it were not.
"""

RARE = 0.2
"""One thread is met so seldom, as a share of its samples, where threads wait only beside others."""

NEW = 0.7
"""Share of the growth, at least, that is in code in which one thread is never met."""

HALF = 0.5
"""Share of the growth, at least, that is at a few instructions where threads wait."""

MOSTLY, TOLD = 0.7, 0.1
"""Share of the growth, at least, that one function has where threads work in it, and where it is named at all."""

MOVED = 1.5
"""The same where a function takes the place of others, which get less: where threads only wait in it, it is about 1."""

TIGHT, NEVER = 12.0, 0.005
"""At how many places of that function it grows, at most, where threads wait in a loop of several instructions and for
a few lines beside it; and how unlikely it then is that samples there have the proportions that one thread's have.
"""

SEEN = 20
"""Samples of one thread in that function, at least, that tell its proportions."""

HARDLY, SOME = 0.1, 0.3
"""One thread is met so seldom at an instruction, over how often all threads are, that it hardly gets there; and the
share of the growth, at least, that is at such instructions where threads wait in a loop.
"""


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
    inside: float | None
    """The same as ``alike`` for the places of that function; None where one thread is hardly met in it."""
    unmet: float
    """Share that is at instructions to which one thread hardly gets, be it in code where it works."""

    @property
    def waits(self) -> bool:
        """Whether threads surely wait at few instructions, which take hardly any time on one thread."""
        return self.places.high < FEW and self.before < RARE

    @property
    def loops(self) -> bool:
        """Whether they wait in code to which one thread never gets: they try again and again."""
        return self.waits and self.new > NEW and not self.moved

    @property
    def moved(self) -> bool:
        """Whether several threads do in one function what one does in another: it grows by more than all does."""
        return self.new > NEW and self.share > MOVED

    @property
    def again(self) -> bool:
        """Whether threads do the same work again: it grows wherever one thread works, in the same proportions."""
        return self.alike > ALIKE and self.power > ENOUGH and self.places.low > SEVERAL

    @property
    def works(self) -> bool:
        """Whether threads do not try again and again: it grows all over a function, or wherever one thread works.

        Several stores that wait for lines look the same.
        """
        return self.again or (self.places.low > SEVERAL and self.share > MOSTLY and not self.tight)

    @property
    def tight(self) -> bool:
        """Whether it grows at several instructions of a function, but not as one thread works in it.

        How long a processor pauses in a loop that waits decides at how many of its instructions it is met. In a
        function in which one thread is hardly met, it is code of several threads alone.
        """
        other = self.new > NEW if self.inside is None else self.inside < NEVER and self.unmet > SOME
        return other and self.share > MOSTLY and not self.moved and self.places.high < TIGHT

    @property
    def scattered(self) -> bool:
        """Whether it grows all over several functions, as where threads look for work, or collect garbage."""
        return self.places.low > MANY and not self.works and not self.tight

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
        named = self.function is not None and self.share > TOLD
        most = f", {100 * min(1.0, self.share):.0f} % of it in {self.function}" if named else ""
        return f"CPU time grows at {many}{most}"


def grown(found: Evidence) -> Grown | None:
    """Return where CPU time grows from the base to all threads; None if it does not surely, or samples cannot tell."""
    both = _both(found)
    if both is None:
        return None
    many, base = both
    places = sorted({*many.at, *base.at})
    n, b, grows, error = _by_place(both, places)
    whole = float(grows.sum())
    if not whole > SURE * float(np.sqrt((error**2).sum())):
        return None
    numbers = effective(n, b, many.runs, base.runs)
    functions = base.functions | many.functions
    name, share = most_of(places, grows, functions)
    there: Mask = np.array([name is not None and functions.get(place) == name for place in places])
    surely: Mask = grows > SURE * error
    never = ~within(places, b > 0, BESIDE)
    unmet: Mask = surely & (b / base.runs < HARDLY * n / many.runs)
    sure = float(grows[surely].sum())
    return Grown(
        numbers,
        *alike(n, b, whole * many.runs),
        float(b[surely].sum() / b.sum()) if sure else 0.0,
        float(grows[surely & never].sum() / sure) if sure else 0.0,
        name,
        share / whole,
        alike(n[there], b[there], share * many.runs)[0] if b[there].sum() > SEEN else None,
        float(grows[unmet].sum()) / whole,
    )


def spread(found: Evidence) -> bool:
    """Whether samples would show it if most of what CPU time grows by were at a few instructions, and do not.

    What CPU times say is more exact than the number of samples, so that these tell it also where all of them together
    do not surely grow.
    """
    both = _both(found)
    if both is None:
        return False
    many, base = both
    *_, grows, error = _by_place(both, sorted({*many.at, *base.at}))
    more = float(np.expm1(mean(np.log(found.many.cpu / found.base.cpu)).value)) * base.total / base.runs
    shown = more * many.runs > STALLS * SURE**2
    return shown and float(grows[grows > SURE * error].sum()) < HALF * more


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


def _by_place(both: tuple[Samples, Samples], places: Sequence[Place]) -> tuple[Array, Array, Array, Array]:
    """Return the samples at each place with all threads and of the base, by how many a run they grow, and its standard
    deviation; each of shape (places,).
    """
    many, base = both
    n, b = (np.array([one.at[place] for place in places], dtype=float) for one in both)
    return n, b, n / many.runs - b / base.runs, np.sqrt(n / many.runs**2 + b / base.runs**2)


def _both(found: Evidence) -> tuple[Samples, Samples] | None:
    """Return the samples with all threads and those of the base, where most of them are at known places."""
    many, base = samples(found, HOTSPOTS), samples(found, HOTSPOTS + AT_BASE)
    return (many, base) if many is not None and base is not None and many.placed and base.placed else None
