#!/usr/bin/env python3
"""Our probes beside their peers, one after the other in each round, in random order.

Shown is the median over rounds of ours / peer with a 90 % interval (bootstrap over rounds). Peers: likwid-bench from
PATH, core-to-core-latency from target/bin (bench/probes/build.sh gets both), multichase by the variable MULTICHASE.
Which of them is not there is said and left out.

Usage: bench/probes/compare.py [--rounds 15] [--only latency,bandwidth,core] [--knee target/release/knee]
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
from pathlib import Path

HERE = Path(__file__).parent
RESAMPLES = 2000
DRAM = "512M"


@dataclass(frozen=True)
class Pair:
    """A figure of ours, the same one of a peer, and how far ours may be from it."""

    group: str
    name: str
    unit: str
    ours: Callable[[], float]
    peer: Callable[[], float]
    low: float
    """The least ratio that will do."""
    high: float
    """The largest."""


def run(words: Sequence[str | Path]) -> str:
    """Return what a program prints."""
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        sys.exit(f"{words[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout + done.stderr


def ours(knee: Path, *words: str, **at: str) -> Callable[[], float]:
    """Return a probe of ours: the one figure of those that it finds which has these conditions."""

    def measure() -> float:
        text = subprocess.run([knee, "memory", *words, "--json"], capture_output=True, text=True, check=True).stdout
        figures = json.loads(text)["figures"]
        found = [f for f in figures if all(f["at"].get(name) == value for name, value in at.items())]
        return found[0]["value"]

    return measure


def chased(program: Path, size: str, *more: str) -> Callable[[], float]:
    """Return multichase's best latency through a size, in random order all over it."""
    words = [program, "-m", size, "-T", size, "-s", "64", "-n", "1", *more]
    return lambda: float(run(words).split()[-1])


def streamed(kernel: str, size: str, threads: int) -> Callable[[], float]:
    """Return likwid-bench's bandwidth in GB/s; it prints MByte/s of 10^6 bytes."""

    def measure() -> float:
        text = run(["likwid-bench", "-t", kernel, "-w", f"N:{size}:{threads}", "-s", "1"])
        found = re.search(r"MByte/s:\s*([0-9.]+)", text)
        if not found:
            sys.exit(f"likwid-bench says something else: {text[:300]}")
        return float(found[1]) / 1000

    return measure


def handed_over(program: Path) -> Callable[[], float]:
    """Return core-to-core-latency's mean of the two first cpus, one way."""

    def measure() -> float:
        text = run([program, "3000", "30", "-c", "0,1"])
        return float(re.findall(r"([0-9.]+)[±+]", text)[0])

    return measure


def pairs(knee: Path) -> list[Pair]:
    """Return every comparison whose peer is there."""
    found: list[Pair] = []
    chase = Path(os.environ.get("MULTICHASE", ""))
    if os.access(chase, os.X_OK) and chase.is_file():
        for name, size, page, more, within in (
            ("L1, 16 KiB", "16k", "base", (), 0.10),
            ("L2, 256 KiB", "256k", "base", (), 0.25),
            (f"DRAM, {DRAM}, base pages", DRAM.lower(), "base", (), 0.15),
            (f"DRAM, {DRAM}, huge pages", DRAM.lower(), "huge", ("-H",), 0.15),
        ):
            mine = ours(knee, "latency", "--size", size.upper(), "--page", page)
            found.append(Pair("latency", name, "ns", mine, chased(chase, size, *more), 1 / (1 + within), 1 + within))
    else:
        print(f"multichase takes no part: MULTICHASE='{os.environ.get('MULTICHASE', '')}' names no program")
    if shutil.which("likwid-bench"):
        flags = Path("/proc/cpuinfo").read_text()
        wide = "_avx512" if "avx512f" in flags else "_avx" if "avx2" in flags else "_sse"
        kernels = {"read": "load", "write": "store", "copy": "copy", "triad": "stream"}
        for kernel, name in kernels.items():
            for past in ("", "-nt") if kernel != "read" else ("",):
                theirs = f"{name}{'_mem' if past else ''}{wide}"
                for threads in (1, 2):
                    mine = ours(knee, "bandwidth", "--kernel", kernel + past, "--size", DRAM, threads=str(threads))
                    peer = streamed(theirs, "512MB", threads)
                    title = f"{kernel}{past}, {threads} thread{'s' * (threads > 1)}"
                    found.append(Pair("bandwidth", title, "GB/s", mine, peer, 1 / 1.1, math.inf))
    else:
        print("likwid-bench takes no part: it is not in PATH")
    handing = HERE / "target/bin/core-to-core-latency"
    if handing.exists():
        mine = ours(knee, "core-to-core")
        found.append(Pair("core", "cpu 0 to cpu 1", "ns", mine, handed_over(handing), 1 / 1.15, 1.15))
    else:
        print("core-to-core-latency takes no part: run bench/probes/build.sh")
    return found


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Return the median and the ends of its interval."""
    draw = random.Random(1)
    again = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return statistics.median(ratios), again[RESAMPLES // 20], again[-RESAMPLES // 20]


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description="Our probes beside their peers.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="latency,bandwidth,core")
    parser.add_argument("--knee", type=Path, default=HERE.parent.parent / "target/release/knee")
    options = parser.parse_args()
    asked = [pair for pair in pairs(options.knee.resolve()) if pair.group in options.only.split(",")]
    values: dict[str, list[tuple[float, float]]] = {pair.name: [] for pair in asked}
    draw = random.Random(1)
    for number in range(options.rounds):
        for pair in draw.sample(asked, len(asked)):
            both = [pair.ours, pair.peer]
            order = draw.sample((0, 1), 2)
            found = {index: both[index]() for index in order}
            values[pair.name].append((found[0], found[1]))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print("| figure | ours | peer | ours / peer, 90 % interval | asked | |\n|---|---|---|---|---|---|")
    for pair in asked:
        rows = values[pair.name]
        middle, low, high = interval([mine / theirs for mine, theirs in rows])
        mine, theirs = (statistics.median(row[index] for row in rows) for index in (0, 1))
        asks = f"{pair.low:.2f} to {pair.high:.2f}" if math.isfinite(pair.high) else f"{pair.low:.2f} or more"
        good = pair.low <= low and high <= pair.high
        verdict = "holds" if good else "LOST" if high < pair.low or low > pair.high else "open"
        print(
            f"| {pair.group}: {pair.name}, {pair.unit} | {mine:.4g} | {theirs:.4g} "
            f"| {middle:.3f} [{low:.3f}, {high:.3f}] | {asks} | {verdict} |"
        )


if __name__ == "__main__":
    main()
