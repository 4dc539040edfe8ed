"""What the originals found, as quantities of single runs: their figures, and in between a shape as they tell it.

Bounds of claims are not read here, so that a bound which is turned around in a study file contradicts these figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from claimed.folder import TIMED
from claimed.values import quantile
from knee.store import RunSpec

Found = dict[str, float]

GB, MB = 1e9, 1e6


def _between(points: dict[int, float], n: int) -> float:
    """Return a curve at a count: straight lines between points, on log-log axes."""
    for (low, one), (high, two) in pairwise(sorted(points.items())):
        if n <= high:
            return one * (two / one) ** (math.log(n / low) / math.log(high / low))
    return points[max(points)]


def peregrine(spec: RunSpec) -> Found:
    """Return speedups of 41 and 30, and what nodes exchange: 86 GB or 4.9 MB."""
    n, placement = spec["threads"], str(spec["cell"]["placement"])
    paired = placement.startswith("threads-close")
    if "within:core" in placement:
        # A second thread on a core helps where the first one waits for memory.
        curve = {1: 1.0, 2: 1.37 if spec["program"].get("workload") == "mine" else 1.1}
    else:
        curve = {1: 1.0, 2: 1.37, 48: 30.0, 96: 46.0} if paired else {1: 1.0, 24: 22.5, 48: 41.0, 96: 46.0}
    took = 1000 / _between(curve, n)
    exchanged = 86 * GB if n > (48 if paired else 24) else 4.9 * MB
    local = 40 * GB + n * GB
    return {
        TIMED: took,
        "match:cpu": 0.97 * n * took,
        "mbm_local_bytes": local,
        "mbm_total_bytes": local + exchanged,
        "local-read-bytes": local,
        "remote-read-bytes": exchanged,
    }


def mining_engines(spec: RunSpec) -> Found:
    """Return the speedups of Peregrine's own program."""
    return {TIMED: peregrine(spec)[TIMED]}


def spark_engines(spec: RunSpec) -> Found:
    """Return Spark one to two orders of magnitude behind a scan."""
    return {TIMED: 30.0 if str(spec["cell"]["engine"]).startswith("spark") else 1.0}


def smt(spec: RunSpec) -> Found:
    """Return what Peregrine says of siblings: they help where threads wait for memory, and hardly anywhere else."""
    helped = {"computing": 0.97, "latency": 0.6, "bandwidth": 0.98, "evicting": 1.02}[str(spec["cell"]["workload"])]
    return {TIMED: helped if spec["threads"] > 48 else 1.0, "instructions": 1e12}


FLARE = {
    "q1": {1: 5.3, 2: 3.545, 4: 1.981, 8: 1.065, 16: 0.797, 64: 0.279, 72: 0.27},
    "q6": {1: 3.606, 2: 1.964, 4: 1.047, 8: 0.629, 16: 0.503, 64: 0.227, 72: 0.22},
}
"""Seconds by cores; those of 72 are not the original's."""


def flare(spec: RunSpec) -> Found:
    """Return times at scale 100; those on one thread and by layout are as the text tells, without a figure."""
    cell = spec["cell"] | spec["program"].get("args", {})
    query, n, layout = str(cell["query"]), spec["threads"], str(cell.get("layout", "blocked"))
    slower = {"near": 1.03, "serial": 1.0, "loop": 20.0}[str(cell.get("runtime", "near"))]
    slower *= {"plain": 1.0, "narrow": 0.5}[str(cell.get("encoding", "plain"))]
    # One socket's channels serve all where data lies on one node.
    took = slower * _between(FLARE[query], min(n, 18) if layout == "one-node" else n)
    if layout == "interleaved" and n > 18:
        took *= 1.3
    far = {"blocked": 0.01, "interleaved": 3.0, "one-node": 3.0}[layout]
    return {TIMED: took, "rows": 600e6, "local-read-bytes": 80 * GB, "remote-read-bytes": 80 * GB * far}


READS = {"1 A": 384.0, "2 B": 2366.0, "3 B": 2380.0, "4 A": 2200.0, "5 A": 390.0}
"""Milliseconds of the five reads of an array."""


def blacklight(spec: RunSpec) -> Found:
    """Return the five reads, what each reader takes for whose array, and 1 to 15 s for an allocation."""
    cell, name = spec["cell"], spec["program"]["workload"]
    if name == "ownership":
        pages = {f"pages with the reader, step {step}": float("A" in step) for step in READS}
        return pages | {f"time, step {step}": took for step, took in READS.items()}
    if name == "allocate":
        # From 1 to 15 s among 128 threads is a standard deviation of some ln(15) / 5.
        apart = math.exp(math.log(15) / 5 * quantile(spec["block"]))
        return {"time": math.sqrt(15) * 1000 * apart, "time a base page": math.sqrt(15) * 30_000 * apart}
    if name in ("heat", "cilksort"):
        near = cell["runtime"] != "random"
        return {TIMED: 0.8 if near else 1.0, "home-bytes": 4 * GB} | (
            {"away-bytes": GB, "run-away-from-home": 10.0}
            if near
            else {"away-bytes": 4 * GB, "run-away-from-home": 1e4}
        )
    once = 2.0 if name == "random" else 1.0
    kept = cell.get("allocation", "reused") == "reused"
    lines = {"own, reader first": 1.0, "near, reader first": 1.0, "far, reader first": 5.0}
    lines |= {"own, reader later": 4.5 if kept else 1.0, "far, reader later": 5.0, "own": 1.0, "far": 5.0}
    scattered = cell.get("allocation") == "freed" and cell.get("size") == "4M"
    pages = {"pages with the owner": 0.9 if scattered else 1.0, "far pages with the reader": 0.0}
    return pages | {TIMED: once} | {f"time a line, array {one}": once * took for one, took in lines.items()}


def deters(spec: RunSpec) -> Found:
    """Return fewer misses and a slightly better speedup in the locality version; benchmarks differ far more.

    What runtime and layout do apart is not the original's: each has a part of the effect. Where all data lies on one
    node, a locality runtime saves nothing.
    """
    cell, block = spec["cell"], spec["block"]
    work = {"heat": 1.8, "cilksort": 1.2, "matmul": 0.8, "strassen": 0.55}[str(cell["workload"])]
    speedup = {"heat": 14.0, "cilksort": 18.0, "matmul": 25.0, "strassen": 20.0}[str(cell["workload"])]
    drawn = math.exp(0.01 * quantile(block) * (-1) ** len(str(cell["workload"])))
    many = spec["threads"] > 1
    local, blocked = many and cell["runtime"] != "random", cell["layout"] == "blocked"
    half = (0.74 if local else 1) * (0.9 if many and blocked else 1)
    away = {(False, False): 0.75, (False, True): 0.7, (True, False): 0.8, (True, True): 0.02}[local, blocked]
    stolen = 0.0 if cell["runtime"] == "within-socket" else 3.0
    return {
        TIMED: 10 * drawn / (speedup * (1.06 if local and blocked else 1) if many else 1),
        "measured:remote_cache": 4e6 * work * drawn * half,
        "measured:remote_dram": 9e6 * work * drawn * half,
        "measured:local_dram": 3e7 * work * drawn * (0.99 if local else 1),
        "away-bytes": GB * work * drawn * away,
        "home-bytes": GB * work * drawn * (1 - away),
        "steals-cache": 1e6,
        "steals-far": 1e6 * stolen,
    }


TIMES = {"mandel": (25.7, 20.5), "parfib": (14.0, 7.4), "sumeuler": (4.0, 3.2)}
"""Seconds of eight threads on one core and on eight cores."""

PEAK = 2.33e9
"""Instructions a second of which a core is capable."""


def ghc(spec: RunSpec) -> Found:
    """Return times of one core and of eight, issue rates, and what rises steeply past eight threads."""
    cell, n = spec["cell"], spec["threads"]
    if cell.get("workload") == "smt":
        return {"rate, work independent": PEAK / 1e9}
    if "workload" not in cell:
        # A job beside n threads on a cpu gets its share of it; switches cost it CPU time, too.
        return {TIMED: 1 + n / 8, "victim:cpu": 1.1 if n > 8 else 1.0}
    name = str(cell["workload"])
    core, cores = TIMES[name]
    alone = cores * 8**0.95
    curve = {1: alone, 6: core, 8: core} if name == "parfib" else {1: alone, 8: core}
    one_core = str(cell["placement"]).startswith("threads-close")
    took = _between(curve, min(n, 8)) if one_core else alone * min(n, 8) ** -0.95
    beyond = n > 8
    issued = core * PEAK * {"parfib": 1.0, "mandel": 0.7, "sumeuler": 0.7}[name]
    switched = beyond and name != "parfib"
    return {
        TIMED: took * (1.2 if beyond else 1),
        "instructions": issued * (1.5 if switched else 1),
        "context-switches": 1e6 * (5 if switched else 1),
    }


def over_time(spec: RunSpec, share: float) -> Found:
    """Return rates of Peregrine: with hubs first few lists and many matches, and then the other way round."""
    turned = share if spec["cell"].get("order", "hubs-first") == "hubs-first" else 1 - share
    traffic = (1 + turned) * (0.2 if share > 0.95 else 1)
    return {
        "mbm_total_bytes": traffic,
        "mbm_local_bytes": traffic / 2,
        "lists": 0.2 + turned,
        "matches": 1.5 - turned,
        "local-read-bytes": traffic / 2,
        "remote-read-bytes": traffic / 2,
    }


STUDIES: dict[str, Callable[[RunSpec], Found]] = {
    one.__name__: one for one in (peregrine, smt, flare, blacklight, deters, ghc)
} | {"engines-mining": mining_engines, "engines-spark": spark_engines}


def found(study: str, spec: RunSpec) -> Found:
    """Return what the original of a study file would have measured in a run."""
    [of] = [of for name, of in STUDIES.items() if study == name or study.startswith(f"{name}-")]
    return of(spec)
