"""What the originals found, as quantities of single runs: their figures, and in between a shape as they tell it.

Bounds of claims are not read here, so that a bound which is turned around in a study file contradicts these figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from claimed.folder import TIMED
from claimed.values import quantile
from knee.store import RunSpec

Cell = dict[str, Any]
Found = dict[str, float]

GB, MB = 1e9, 1e6


def _between(points: dict[int, float], n: int) -> float:
    """Return a curve at a count: straight lines between points, on log-log axes."""
    for (low, one), (high, two) in pairwise(sorted(points.items())):
        if n <= high:
            return one * (two / one) ** (math.log(n / low) / math.log(high / low))
    return points[max(points)]


def peregrine(cell: Cell, _: int) -> Found:
    """Return speedups of 41 and 30, and what nodes exchange: 86 GB or 4.9 MB."""
    n, paired = cell["threads"], cell["placement"].startswith("threads-close")
    curve = {1: 1.0, 2: 1.37, 48: 30.0, 96: 46.0} if paired else {1: 1.0, 24: 22.5, 48: 41.0, 96: 46.0}
    exchanged = 86 * GB if n > (48 if paired else 24) else 4.9 * MB
    local = 40 * GB + n * GB
    return {
        TIMED: 1000 / _between(curve, n),
        "mbm_local_bytes": local,
        "mbm_total_bytes": local + exchanged,
        "local-read-bytes": local,
        "remote-read-bytes": exchanged,
    }


def flare(cell: Cell, _: int) -> Found:
    """Return times that fall up to 72 cores, but not in proportion; Q6 is bound by what it reads, and from where."""
    first = {"q1": 40.0, "q6": 10.0}[cell["query"]]
    slower = {"near": 1.03, "serial": 1.0, "loop": 20.0}[cell.get("runtime", "near")]
    slower *= {"plain": 2.0, "narrow": 1.0}[cell.get("encoding", "narrow")]
    if cell["threads"] > 18:
        slower *= {"blocked": 1.0, "interleaved": 1.3, "one-node": 3.5}[cell.get("layout", "blocked")]
    far = {"blocked": 0.01, "interleaved": 3.0, "one-node": 3.0}[cell.get("layout", "blocked")]
    took = first * slower / _between({1: 1.0, 18: 15.0, 36: 27.0, 72: 50.0}, cell["threads"])
    return {TIMED: took, "local-read-bytes": 80 * GB, "remote-read-bytes": 80 * GB * far}


def blacklight(cell: Cell, block: int) -> Found:
    """Return the five reads in milliseconds, random reads in twice the time, and 1 to 15 s for an allocation."""
    reads = {"1 A": 384.0, "2 B": 2366.0, "3 B": 2380.0, "4 A": 2200.0, "5 A": 390.0}
    if cell["workload"].startswith("ownership"):
        return {f"time, step {step}": took for step, took in reads.items()}
    if cell["workload"] == "allocate":
        # From 1 to 15 s among 128 threads is a standard deviation of some ln(15) / 5.
        return {"time": math.sqrt(15) * 1000 * math.exp(math.log(15) / 5 * quantile(block))}
    return {TIMED: {"random": 2.0, "sequential": 1.0}.get(cell["workload"], 1.0)}


def deters(cell: Cell, block: int) -> Found:
    """Return fewer misses and a slightly better speedup with near stealing; benchmarks differ far more."""
    near = cell["runtime"] == "near" and cell["threads"] > 1
    work = {"heat": 6.0, "cilksort": 2.0, "matmul": 1.0, "strassen": 0.6}[cell["workload"]] ** 2
    speedup = {"heat": 14.0, "cilksort": 18.0, "matmul": 25.0, "strassen": 20.0}[cell["workload"]]
    drawn = math.exp(0.01 * quantile(block) * (-1) ** len(cell["workload"]))
    return {
        TIMED: 10 * drawn / (speedup * (1.06 if near else 1) if cell["threads"] > 1 else 1),
        "remote_cache": 4e6 * work * drawn * (0.55 if near else 1),
        "remote_dram": 9e6 * work * drawn * (0.6 if near else 1),
        "local_dram": 3e7 * work * drawn * (0.99 if near else 1),
    }


TIMES = {"mandel": (25.7, 20.5), "parfib": (14.0, 7.4), "sumeuler": (4.0, 3.2)}
"""Seconds of eight threads on one core and on eight cores."""

PEAK = 2.33e9
"""Instructions a second of which a core is capable."""


def ghc(cell: Cell, _: int) -> Found:
    """Return times of one core and of eight, issue rates, and what rises steeply past eight threads."""
    n = cell["threads"]
    if cell.get("workload") == "smt":
        return {"rate, work independent": PEAK / 1e9}
    if "clock" in cell:
        # A job beside n threads on a cpu gets its share of it; switches cost it CPU time, too.
        return {TIMED: 1 + n / 8 if cell["clock"] == "wall" else 1.1 if n > 8 else 1.0}
    name = cell["workload"]
    core, cores = TIMES[name]
    alone = cores * 8**0.95
    curve = {1: alone, 6: core, 8: core} if name == "parfib" else {1: alone, 8: core}
    one_core = cell["placement"].startswith("threads-close")
    took = _between(curve, min(n, 8)) if one_core else alone * min(n, 8) ** -0.95
    beyond = n > 8
    issued = core * PEAK * {"parfib": 1.0, "mandel": 0.7, "sumeuler": 0.7}[name]
    switched = beyond and name != "parfib"
    return {
        TIMED: took * (1.2 if beyond else 1),
        "instructions": issued * (1.5 if switched else 1),
        "context-switches": 1e6 * (5 if switched else 1),
    }


def over_time(cell: Cell, share: float) -> Found:
    """Return rates of Peregrine: with hubs first few lists and many matches, and then the other way round."""
    turned = share if cell.get("order", "hubs-first") == "hubs-first" else 1 - share
    traffic = (1 + turned) * (0.2 if share > 0.95 else 1)
    return {
        "mbm_total_bytes": traffic,
        "mbm_local_bytes": traffic / 2,
        "lists": 0.2 + turned,
        "matches": 1.5 - turned,
        "local-read-bytes": traffic / 2,
        "remote-read-bytes": traffic / 2,
    }


STUDIES: dict[str, Callable[[Cell, int], Found]] = {
    one.__name__: one for one in (peregrine, flare, blacklight, deters, ghc)
}


def found(study: str, spec: RunSpec) -> Found:
    """Return what the original of a study file would have measured in a run."""
    [of] = [of for name, of in STUDIES.items() if study == name or study.startswith(f"{name}-")]
    return of(spec["cell"], spec["block"])
