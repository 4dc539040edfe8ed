#!/usr/bin/env python3
"""Compares knee's probes with their peers, one after the other in each round, in random order.

Prints the median over rounds of ours / peer with a 90 % interval (bootstrap over rounds). Peers: likwid-bench from
PATH, core-to-core-latency from target/bin (bench/probes/build.sh gets both), multichase from the variable MULTICHASE
and STREAM from STREAM (with arrays of 22369621 numbers, 512 MiB in all, and -fno-tree-loop-distribute-patterns, without
which gcc replaces its copy by a call of memcpy that bypasses the caches). Missing peers are reported.

--only takes groups, and prefixes of a figure's name.

Usage: bench/probes/compare.py [--rounds 15] [--only latency,likwid-bench,STREAM,core] [--knee target/release/knee]
"""

import argparse
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
RESAMPLES = 2000
DRAM = "512M"
STREAMED = ("copy", "triad")


@dataclass(frozen=True, eq=False)
class Pair:
    """Figures of one launch of ours, the same figures of a peer, and the accepted range of their ratio."""

    group: str
    names: tuple[str, ...]
    unit: str
    ours: Callable[[], Sequence[float]]
    peers: Sequence[Callable[[], float]]
    """One launch for each figure."""
    low: float
    """Smallest accepted ratio."""
    high: float
    """Largest accepted ratio."""


def run(words: Sequence[str | Path]) -> str:
    """Return what a program prints."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        sys.exit(f"{words[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout + done.stderr


def ours(knee: Path, *words: str) -> Callable[[], Sequence[float]]:
    """Return a function that runs a probe of ours and returns its figures in order."""

    def measure() -> Sequence[float]:
        text = subprocess.run([knee, "memory", *words, "--json"], capture_output=True, text=True, check=True).stdout
        return [figure["value"] for figure in json.loads(text)["figures"]]

    return measure


def chased(program: Path, size: str, *more: str) -> Callable[[], float]:
    """Return a function for multichase's best latency, in random order over the whole size."""
    words = [program, "-m", size, "-T", size, "-s", "64", "-n", "1", *more]
    return lambda: float(run(words).split()[-1])


def streamed(kernel: str, size: str, threads: int) -> Callable[[], float]:
    """Return a function for likwid-bench's bandwidth in GB/s; it prints MByte/s of 10^6 bytes."""

    def measure() -> float:
        text = run(["likwid-bench", "-t", kernel, "-w", f"N:{size}:{threads}", "-i", "20"])
        found = re.search(r"MByte/s:\s*([0-9.]+)", text)
        if not found:
            sys.exit(f"unexpected output of likwid-bench: {text[:300]}")
        return float(found[1]) / 1000

    return measure


def summed(program: Path, kernel: str, threads: int) -> Callable[[], float]:
    """Return a function for STREAM's rate in GB/s at its mean time; it prints its best rate in MB/s of 10^6 bytes."""
    places = ",".join(f"{{{cpu}}}" for cpu in range(threads))
    words = ["env", f"OMP_NUM_THREADS={threads}", f"OMP_PLACES={places}", program]

    def measure() -> float:
        best, mean, least, _ = map(float, re.findall(rf"{kernel}:(.*)", run(words))[0].split())
        return best / 1000 * least / mean

    return measure


def handed_over(program: Path) -> Callable[[], float]:
    """Return a function for core-to-core-latency's mean between the first two cpus, one way."""

    def measure() -> float:
        text = re.sub(r"\x1b\[[0-9;]*m", "", run([program, "3000", "30", "-c", "0,1"]))
        found = re.search(r"Mean latency: *([0-9.]+)ns", text)
        if not found:
            sys.exit(f"unexpected output of core-to-core-latency: {text[:300]}")
        return float(found[1])

    return measure


def latencies(knee: Path, chase: Path) -> list[Pair]:
    """Return the latency comparisons with multichase."""
    found: list[Pair] = []
    for name, size, page, more, within in (
        ("L1, 16 KiB", "16k", "base", (), 0.10),
        ("L2, 256 KiB", "256k", "base", (), 0.25),
        (f"DRAM, {DRAM}, base pages", DRAM.lower(), "base", (), 0.15),
        (f"DRAM, {DRAM}, huge pages", DRAM.lower(), "huge", ("-H",), 0.15),
    ):
        mine = ours(knee, "latency", "--size", size.upper(), "--page", page)
        found.append(Pair("latency", (name,), "ns", mine, [chased(chase, size, *more)], 1 / (1 + within), 1 + within))
    return found


def bandwidths(group: str, knee: Path, kernel: str, peer: Callable[[int], Callable[[], float]]) -> Pair:
    """Return the comparison of a kernel with one thread and with two."""
    names = tuple(f"{kernel}, {threads} thread{'s' * (threads > 1)}" for threads in (1, 2))
    mine = ours(knee, "bandwidth", "--kernel", kernel, "--size", DRAM)
    return Pair(group, names, "GB/s", mine, [peer(1), peer(2)], 1 / 1.1, math.inf)


def pairs(knee: Path) -> list[Pair]:
    """Return every comparison whose peer is available."""
    found: list[Pair] = []
    if chase := program_of("MULTICHASE"):
        found += latencies(knee, chase)
    if shutil.which("likwid-bench"):
        flags = Path("/proc/cpuinfo").read_text()
        wide = "_avx512" if "avx512f" in flags else "_avx" if "avx2" in flags else "_sse"
        for kernel, name in {"read": "load", "write": "store", "copy": "copy", "triad": "stream"}.items():
            for past in ("", "-nt") if kernel != "read" else ("",):
                theirs = f"{name}{'_mem' if past else ''}{wide}"
                peer = partial(streamed, theirs, "512MB")
                found.append(bandwidths("likwid-bench", knee, kernel + past, peer))
    else:
        print("likwid-bench: skipped: it is not in PATH")
    if stream := program_of("STREAM"):
        found += [bandwidths("STREAM", knee, kernel, partial(summed, stream, kernel.title())) for kernel in STREAMED]
    handing = HERE / "target/bin/core-to-core-latency"
    if handing.exists():
        mine = ours(knee, "core-to-core")
        found.append(Pair("core", ("cpu 0 to cpu 1",), "ns", mine, [handed_over(handing)], 1 / 1.15, 1.15))
    else:
        print("core-to-core-latency: skipped: run bench/probes/build.sh")
    return found


def program_of(variable: str) -> Path | None:
    """Return the program named by an environment variable."""
    program = Path(os.environ.get(variable, ""))
    if os.access(program, os.X_OK) and program.is_file():
        return program
    print(f"{variable.lower()}: skipped: {variable}='{os.environ.get(variable, '')}' is not a program")
    return None


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Return the median and the ends of its interval."""
    draw = random.Random(1)
    again = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return statistics.median(ratios), again[RESAMPLES // 20], again[-RESAMPLES // 20]


def measure(pair: Pair, draw: random.Random) -> list[tuple[float, float]]:
    """Launch ours and the peers in random order; return both values of each figure."""
    mine: Sequence[float] = ()
    theirs = [math.nan] * len(pair.peers)
    for index in draw.sample(range(-1, len(pair.peers)), len(pair.peers) + 1):
        if index < 0:
            mine = pair.ours()
        else:
            theirs[index] = pair.peers[index]()
    return list(zip(mine, theirs, strict=True))


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description="Compare knee's probes with their peers.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="latency,likwid-bench,STREAM,core")
    parser.add_argument("--knee", type=Path, default=HERE.parent.parent / "target/release/knee")
    options = parser.parse_args()
    words = options.only.split(",")

    def wanted(pair: Pair) -> bool:
        return pair.group in words or any(name.startswith(tuple(words)) for name in pair.names)

    asked = [pair for pair in pairs(options.knee.resolve()) if wanted(pair)]
    found: dict[Pair, list[list[tuple[float, float]]]] = {pair: [] for pair in asked}
    draw = random.Random(1)
    for number in range(options.rounds):
        for pair in draw.sample(asked, len(asked)):
            found[pair].append(measure(pair, draw))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print("| figure | ours | peer | ours / peer, 90 % interval | asked | |\n|---|---|---|---|---|---|")
    for pair, rounds in found.items():
        for index, name in enumerate(pair.names):
            print(line(pair, name, [figures[index] for figures in rounds]))


def line(pair: Pair, name: str, rows: list[tuple[float, float]]) -> str:
    """Return a row of the table."""
    middle, low, high = interval([mine / theirs for mine, theirs in rows])
    mine, theirs = (statistics.median(row[index] for row in rows) for index in (0, 1))
    asks = f"{pair.low:.2f} to {pair.high:.2f}" if math.isfinite(pair.high) else f"{pair.low:.2f} or more"
    good = pair.low <= low and high <= pair.high
    verdict = "holds" if good else "LOST" if high < pair.low or low > pair.high else "open"
    return (
        f"| {pair.group}: {name}, {pair.unit} | {mine:.4g} | {theirs:.4g} "
        f"| {middle:.3f} [{low:.3f}, {high:.3f}] | {asks} | {verdict} |"
    )


if __name__ == "__main__":
    main()
