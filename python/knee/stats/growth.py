"""How much sampled quantities grew between given times: CPU time of threads, counters of caches.

Samples count up since the run began. Between two of them a straight line is assumed; where a reading is missing nothing
is, and growth there is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.stats.distributions import Array

Sampled = Sequence[tuple[int, int]]
"""Times in ns since the launch, ascending, each with what had been counted by then."""


def computed(threads: Sequence[Sampled], edges: Array) -> Array:
    """Return the CPU time between neighbouring edges, all threads together.

    Parameters
    ----------
    threads
        CPU time in ns of each thread.
    edges
        Times in ns, ascending, shape (parts + 1,).

    Returns
    -------
    Array
        Nanoseconds, shape (parts,); NaN where there is no thread at all.
    """
    if not threads:
        return np.full(len(edges) - 1, np.nan)
    used = np.zeros(len(edges) - 1)
    for series in threads:
        times, cpu = columns(series)
        # A number of a thread that ended may be given again: the new one counts from 0.
        grown = steps(np.append(0.0, cpu))
        so_far = np.add.accumulate(np.where(grown < 0, cpu, grown))
        # What a thread had used when it was first seen it used just before, as one cpu could.
        begun = max(0.0, times[0] - cpu[0])
        used += steps(np.interp(edges, np.append(begun, times), np.append(0.0, so_far)))
    return used


def grown(sources: Sequence[Sampled], ticks: Sequence[int], edges: Array) -> Array:
    """Return the growth between neighbouring edges of counters that are read together, all sources added.

    Parameters
    ----------
    sources
        What each of them had counted.
    ticks
        Times in ns, ascending, at which all of them should have been read.
    edges
        Times in ns, ascending, shape (parts + 1,).

    Returns
    -------
    Array
        Shape (parts,); NaN where a reading of any source is missing, because a part of the machine is not the machine.
    """
    if not sources:
        return np.full(len(edges) - 1, np.nan)
    whole = np.zeros(len(edges) - 1)
    for series in sources:
        times, values = columns(series)
        # A tick without this source is a reading that failed: how much it grew meanwhile is in no sample. A value that
        # falls is no growth either.
        torn = (steps(np.searchsorted(ticks, times).astype(float)) > 1) | (steps(values) < 0)
        unknown = [(-np.inf, times[0]), (times[-1], np.inf), *zip(times[:-1][torn], times[1:][torn], strict=True)]
        growth = steps(np.interp(edges, times, values))
        for begin, end in unknown:
            growth[(edges[:-1] < end) & (edges[1:] > begin)] = np.nan
        whole += growth
    return whole


def integral(series: Sampled) -> list[tuple[int, int]]:
    """Return a height that was sampled as what grows: its sum over time so far."""
    times, heights = columns(series)
    areas = steps(times) * (heights[1:] + heights[:-1]) / 2
    return list(zip(times.astype(int).tolist(), [0, *np.cumsum(areas).astype(int).tolist()], strict=True))


def columns(series: Sampled) -> tuple[Array, Array]:
    """Return times and values of one source, each of shape (samples,)."""
    return np.array([float(t_ns) for t_ns, _ in series]), np.array([float(value) for _, value in series])


def steps(values: Array) -> Array:
    """Return by how much each value exceeds the one before."""
    return values[1:] - values[:-1]
