"""What two threads gain on pattern counting, beside two copies of the program at once: what the machine has to give.

    bench/mining/copies.py GRAPHS [--blocks 5] [--query wikivote:house:explore ...]

GRAPHS is a folder of edge lists NAME.el.zst; a name that has none is drawn (chung-lu/orkut/20). In each block one
thread, two threads, and two processes of one thread on a cpu each count as often as fills a second. Printed are, as
medians over blocks: the time of one count on one thread, what two threads gain over one divided by what two copies gain
over one, with the smallest and largest, and the part of the cpus that was idle while two threads counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
KNEE = os.environ.get("KNEE_BIN", str(ROOT / "target/release/knee"))
SECOND = 1_000_000_000
QUERIES = [
    "wikivote:house:explore",
    "wikivote:wheel-4:explore",
    "wikivote:net:explore",
    "wikivote:pentagon:explore",
    "egotwitter:5-clique:auto",
    "cornell5:motifs:auto",
    "chung-lu/orkut/20:diamond:explore",
]


def command(graphs: Path, query: str, threads: int, placement: str, repeat: int) -> list[str]:
    """Return the words of one run."""
    name, pattern, plan = query.split(":")
    file = graphs / f"{name}.el.zst"
    graph = str(file) if file.exists() else name.replace("/", ":")
    asked = ["motifs", graph] if pattern == "motifs" else ["count", "--pattern", pattern, graph]
    how = ["--plan", plan, "-n", str(threads), "-p", placement, "--repeat", str(repeat), "--json"]
    return [KNEE, "mine", *asked, *how]


def matching(output: bytes) -> dict[str, Any]:
    """Return the phase that counts."""
    return next(phase for phase in json.loads(output)["phases"] if phase["name"] == "match")


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", type=Path)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--query", nargs="+", default=QUERIES)
    asked = parser.parse_args()
    for query in asked.query:
        first = matching(subprocess.check_output(command(asked.graphs, query, 1, "cores-close", 1)))
        repeat = max(1, SECOND // first["wall_ns"])
        ones: list[float] = []
        gains: list[float] = []
        idle: list[float] = []
        for _ in range(asked.blocks):
            one = matching(subprocess.check_output(command(asked.graphs, query, 1, "cores-close", repeat)))["wall_ns"]
            two = matching(subprocess.check_output(command(asked.graphs, query, 2, "cores-close", repeat)))
            words = [command(asked.graphs, query, 1, cpu, repeat) for cpu in ("0", "1")]
            copies = [subprocess.Popen(own, stdout=subprocess.PIPE) for own in words]
            both = statistics.mean(matching(copy.communicate()[0])["wall_ns"] for copy in copies)
            ones.append(one / repeat / 1e6)
            gains.append((one / two["wall_ns"]) / (2 * one / both))
            idle.append(1 - two["cpu_ns"] / (2 * two["wall_ns"]))
        gain = f"{statistics.median(gains):.3f} [{min(gains):.3f}, {max(gains):.3f}]"
        print(f"{query}: {statistics.median(ones):.0f} ms, {gain}, {100 * statistics.median(idle):.1f} % idle")


if __name__ == "__main__":
    main()
