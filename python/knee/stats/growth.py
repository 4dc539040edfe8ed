"""Growth of sampled quantities between given times: CPU time of threads, counters of caches.

Samples are running totals since the start of the run. Between two samples a straight line is assumed; where a reading
is missing, growth is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.stats.distributions import Array

Sampled = Sequence[tuple[int, int]]
"""Times in ns since the launch, ascending, each with the total so far."""


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
        Nanoseconds, shape (parts,); NaN without any thread.
    """
    if not threads:
        return np.full(len(edges) - 1, np.nan)
    used = np.zeros(len(edges) - 1)
    for series in threads:
        times, cpu = columns(series)
        # The kernel may reuse the id of a thread that ended; the new thread counts from 0.
        grown = steps(np.append(0.0, cpu))
        so_far = np.add.accumulate(np.where(grown < 0, cpu, grown))
        used += steps(np.interp(edges, np.append(begun(times[0], cpu[0]), times), np.append(0.0, so_far)))
    return used


def begun(first_ns: float, cpu_ns: float) -> float:
    """Return when a thread began, in ns, from the time and the CPU time of its first sample.

    What it computed before is placed just before that sample, at the rate of one cpu.
    """
    return max(0.0, first_ns - cpu_ns)


def grown(sources: Sequence[Sampled], ticks: Sequence[int], edges: Array) -> Array:
    """Return the growth between neighbouring edges of counters that are read together, summed over sources.

    Parameters
    ----------
    sources
        The samples of each source.
    ticks
        Times in ns, ascending, at which every source should have been read.
    edges
        Times in ns, ascending, shape (parts + 1,).

    Returns
    -------
    Array
        Shape (parts,); NaN where a reading of any source is missing, since the sum would then cover only part of the
        machine.
    """
    if not sources:
        return np.full(len(edges) - 1, np.nan)
    whole = np.zeros(len(edges) - 1)
    for series in sources:
        times, values = columns(series)
        # A tick without this source is a failed reading, so the growth meanwhile is unknown, as it is when a value
        # falls.
        torn = (steps(np.searchsorted(ticks, times).astype(float)) > 1) | (steps(values) < 0)
        unknown = [(-np.inf, times[0]), (times[-1], np.inf), *zip(times[:-1][torn], times[1:][torn], strict=True)]
        growth = steps(np.interp(edges, times, values))
        for begin, end in unknown:
            growth[(edges[:-1] < end) & (edges[1:] > begin)] = np.nan
        whole += growth
    return whole


def integral(series: Sampled) -> list[tuple[int, int]]:
    """Return the integral over time of a sampled level, so that it grows like a counter."""
    times, heights = columns(series)
    areas = steps(times) * (heights[1:] + heights[:-1]) / 2
    return list(zip(times.astype(int).tolist(), [0, *np.cumsum(areas).astype(int).tolist()], strict=True))


def columns(series: Sampled) -> tuple[Array, Array]:
    """Return times and values of one source, each of shape (samples,)."""
    return np.array([float(t_ns) for t_ns, _ in series]), np.array([float(value) for _, value in series])


def steps(values: Array) -> Array:
    """Return the difference of each value from the one before."""
    return values[1:] - values[:-1]
