"""Statistics of samples by place: at how many places they grow, in which proportions, and in which function.

``n`` and ``b`` are the samples at each place with all threads and of the base, shape (places,).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from knee.explain.signs.computing.samples import Place
from knee.stats.intervals import Array, Interval

Mask = npt.NDArray[np.bool_]

DRAWS = 200
"""Draws of what the samples might have been."""

STALLS, OFTEN = 6.0, 20.0
"""Places at which threads wait for a few lines, each as long; and samples of a place that tell how often it is met."""


def effective(n: Array, b: Array, many: float, base: float) -> Interval:
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


def within(places: list[Place], of: Mask, distance: int) -> Mask:
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


def alike(n: Array, b: Array, more: float) -> tuple[float, float]:
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


def most_of(places: list[Place], values: Array, functions: dict[Place, str]) -> tuple[str | None, float]:
    """Return the function that has most of what there is at the places, and how much that is."""
    by_name: dict[str, float] = {}
    for place, one in zip(places, values, strict=True):
        if (name := functions.get(place)) is not None:
            by_name[name] = by_name.get(name, 0.0) + float(one)
    best = max(by_name, key=lambda name: by_name[name], default=None)
    return best, by_name[best] if best is not None else 0.0
