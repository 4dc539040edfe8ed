"""How near `knee query` is to the limit: the bytes that a scan reads per second, beside what memory and kernels allow.

    bench/query/limit.py TABLES [--scale 10] [--blocks 5]

TABLES is a directory for encoded tables. The limit on n threads is the smaller of two figures of the same run: the
bandwidth of reading memory on n threads (`knee memory bandwidth`, or likwid-bench where LIKWID_BENCH names it,
whichever is higher), and n times what one thread reads per second of a table that stays in its second-level cache. All
are taken in turns; printed are medians over blocks, and the smallest and largest share of the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

from beside import KNEE

PACKED = {"q1": 6.5, "q6": 5.75}
"""The fewest bytes of a row: each column in as many bits as it has different values."""
CACHED = "0.01"
"""The scale whose table stays in a second-level cache: one morsel."""


def scan(query: str, encoding: str, scale: str, tables: str, threads: int, repeat: int) -> tuple[float, float]:
    """Return the nanoseconds for a row, and how many bytes were read for it."""
    words = [KNEE, "query", query, "--scale", scale, "--cache", tables, "--encoding", encoding, "--json"]
    how = ["-n", str(threads), "-p", "cores-close", "--repeat", str(repeat)]
    how += ["--runtime", "serial"] if scale == CACHED else []
    report: dict[str, Any] = json.loads(subprocess.check_output([*words, *how]))
    phase = next(phase for phase in report["phases"] if phase["name"] == "scan")
    rows = int(report["facts"]["rows"]) * repeat
    return phase["wall_ns"] / rows, sum(phase["counters"].values()) / rows


def bandwidth(threads: int) -> float:
    """Return the bandwidth of reads in GB/s."""
    figures = json.loads(subprocess.check_output([KNEE, "memory", "bandwidth", "--quick", "--json"]))["figures"]
    wanted = {"kernel": "read", "threads": str(threads)}
    own = [one["value"] for one in figures if wanted.items() <= one["at"].items()]
    other = os.environ.get("LIKWID_BENCH")
    if other:
        loads = "load_avx512" if "avx512f" in Path("/proc/cpuinfo").read_text() else "load_avx"
        text = subprocess.check_output([other, "-t", loads, "-w", f"N:1GB:{threads}"], text=True)
        own += [float(rate) / 1e3 for rate in re.findall(r"MByte/s:\s+([\d.]+)", text)]
    return max(own)


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables")
    parser.add_argument("--scale", default="10")
    parser.add_argument("--encoding", nargs="+", default=["narrow", "split"])
    parser.add_argument("--blocks", type=int, default=5)
    asked = parser.parse_args()
    seen: dict[tuple[str, ...], list[float]] = defaultdict(list)
    width: dict[tuple[str, str], float] = {}
    counts = range(1, (os.cpu_count() or 1) + 1)
    for _ in range(asked.blocks):
        for threads in counts:
            seen["bandwidth", str(threads)].append(bandwidth(threads))
            for query in PACKED:
                for encoding in asked.encoding:
                    each, width[query, encoding] = scan(query, encoding, asked.scale, asked.tables, threads, 4)
                    seen[query, encoding, str(threads)].append(each)
        for query in PACKED:
            for encoding in asked.encoding:
                seen[query, encoding, "cache"].append(scan(query, encoding, CACHED, asked.tables, 1, 3000)[0])
    table(seen, width, list(counts), asked.encoding)


def table(
    seen: dict[tuple[str, ...], list[float]],
    width: dict[tuple[str, str], float],
    counts: list[int],
    encodings: list[str],
) -> None:
    """Print all figures, a line for each query, encoding and number of threads."""
    print(f"{'':18}{'ns a row':>10}{'GB/s':>8}{'memory':>8}{'kernel':>8}{'of the limit':>22}{'packed GB/s':>13}")
    for query, packed in PACKED.items():
        for encoding in encodings:
            size = width[query, encoding]
            for threads in counts:
                rows = seen[query, encoding, str(threads)]
                memory = seen["bandwidth", str(threads)]
                cached = [threads * size / each for each in seen[query, encoding, "cache"]]
                shares = [size / row / min(two) for row, *two in zip(rows, memory, cached, strict=True)]
                middle = statistics.median
                name = f"{query} {encoding} n={threads}"
                share = f"{middle(shares):.2f} ({min(shares):.2f}, {max(shares):.2f})"
                print(
                    f"{name:18}{middle(rows):>10.3f}{size / middle(rows):>8.1f}{middle(memory):>8.1f}"
                    f"{middle(cached):>8.1f}{share:>22}{packed / middle(rows):>13.1f}"
                )


if __name__ == "__main__":
    main()
