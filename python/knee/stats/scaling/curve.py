"""A scaling curve: times, speedup, efficiency and Karp-Flatt's metric over thread counts.

Speedup is T1 / Tn as a ratio of geometric means over blocks; its interval includes the error of T1, since every block's
ratio uses that block's own T1. Efficiency is speedup / n. Karp-Flatt's metric is e = (1/S - 1/n) / (1 - 1/n): if it is
constant over n it suggests a serial part, if it rises a growing overhead; it is a hint to follow up, not an estimate.

Karp, Flatt, *Measuring parallel processor performance*, CACM 1990.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from knee.stats.intervals import Array, Interval, Ratio, ratio


@dataclass(frozen=True)
class Point:
    """One cell of a curve. Times are in seconds; ``cpu`` is CPU time over that of the base, NaN if unknown."""

    threads: int
    runs: int
    mean_s: float
    median_s: float
    low_s: float
    high_s: float
    speedup: Ratio
    efficiency: float
    efficiency_interval: Interval
    karp_flatt: float
    karp_flatt_interval: Interval
    cpu: Ratio
    busy: float


@dataclass(frozen=True)
class Curve:
    """Points in ascending order of threads. ``base`` is the smallest count, 1 unless the study never ran one thread."""

    base: int
    points: tuple[Point, ...]

    def best(self) -> Point:
        """Return the point with the highest speedup, which may be ahead of others only by noise."""
        return max(self.points, key=lambda point: point.speedup.estimate)

    def at(self, threads: int) -> Point:
        """Return the point at a thread count."""
        return next(point for point in self.points if point.threads == threads)


def curve(times: Mapping[int, Array], cpu: Mapping[int, Array], *, weak: bool = False) -> Curve | None:
    """Return the curve of one series.

    Parameters
    ----------
    times
        Thread count to seconds, one value per block, shape (blocks,); NaN where a run was bad.
    cpu
        The same for CPU seconds; NaN where unknown.
    weak
        Whether the work grows with the threads. Speedup is then Gustafson's scaled speedup (n/base times the work in
        Tn), and CPU time is compared for the same work.

    Returns
    -------
    Curve or None
        None if the smallest thread count has no good run, since there is nothing to compare with.
    """
    counts = sorted(n for n, values in times.items() if np.isfinite(values).any())
    if not counts or counts[0] != min(times):
        return None
    base = counts[0]
    work = {n: n / base if weak else 1.0 for n in counts}
    points = tuple(_point(n, base, times, cpu, work[n]) for n in counts)
    return Curve(base, points)


def _point(n: int, base: int, times: Mapping[int, Array], cpu: Mapping[int, Array], work: float) -> Point:
    good = times[n][np.isfinite(times[n])]
    speedup = ratio(times[base], times[n] / work)
    # With a base of m threads the ideal speedup at n is n/m.
    width = n / base
    efficiency = speedup.estimate / width
    ends = speedup.interval
    busy = cpu[n] / times[n]
    busy = busy[np.isfinite(busy)]
    return Point(
        threads=n,
        runs=int(good.size),
        mean_s=float(np.exp(np.log(good).mean())),
        median_s=float(np.median(good)),
        low_s=float(good.min()),
        high_s=float(good.max()),
        speedup=speedup,
        efficiency=efficiency,
        efficiency_interval=Interval(ends.low / width, ends.high / width),
        karp_flatt=karp_flatt(speedup.estimate, width),
        karp_flatt_interval=Interval(karp_flatt(ends.high, width), karp_flatt(ends.low, width)),
        cpu=ratio(cpu[n] / work, cpu[base]),
        busy=float(busy.mean()) if busy.size else float("nan"),
    )


def karp_flatt(speedup: float, n: float) -> float:
    """Return the experimentally determined serial fraction; NaN for one thread, and for a speedup of 0.

    Examples
    --------
    >>> karp_flatt(4 / 1.75, 4)
    0.25
    """
    if n <= 1 or speedup <= 0:
        return float("nan")
    return (1 / speedup - 1 / n) / (1 - 1 / n)
