"""Cost of sampling: pairs of runs with and without it, interleaved, in random order within each pair.

Usage: .venv/bin/python bench/sampler.py [PAIRS]
"""

import json
import random
import subprocess
import sys

import numpy as np

from knee import _binary
from knee.stats.intervals import ratio

WORDS = ["sumeuler", "--n", "12000"]


def run(period: int, threads: int) -> dict:
    """Make one run; return its record."""
    words = [str(_binary.find()), "run", "--json", "--sample-ms", str(period), "-n", str(threads), "-p", "cores-close"]
    done = subprocess.run([*words, *WORDS], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    """Run the benchmark and print the results."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    draw = random.Random(1)
    for threads in (1, 2):
        walls: dict[int, list[float]] = {0: [], 10: []}
        costs = []
        for _ in range(pairs):
            for period in draw.sample([0, 10], 2):
                record = run(period, threads)
                walls[period].append(record["wall_ns"])
                if period:
                    costs.append(record["sampling"]["cost_ns"] / record["wall_ns"])
        found = ratio(np.array(walls[10], dtype=float), np.array(walls[0], dtype=float))
        ends = found.interval
        print(
            f"{threads} threads, {pairs} pairs: sampler {100 * np.median(costs):.2f} % of one cpu; "
            f"wall with / without {found.estimate:.4f} [{ends.low:.4f}, {ends.high:.4f}]"
        )


if __name__ == "__main__":
    main()
