"""Every kernel on knee's runtime and on rayon: rounds in random order, each kernel once per runtime and round.

A ratio below 1 means that knee's runtime is faster. Time and CPU time are those of the phase that does the work.

Usage: .venv/bin/python bench/kernels.py [ROUNDS] [THREADS]
"""

import json
import math
import random
import subprocess
import sys

import numpy as np

from knee import _binary
from knee.stats.intervals import ratio

# Sizes that take a few tenths of a second, and the phase that does the work.
KERNELS = {
    "fib --n 34": "calls",
    "parfib --n 38 --threshold 10": "calls",
    "nqueens --n 13": "search",
    "sumeuler --n 8000": "sum",
    "mandel --size 512 --depth 1024": "rows",
    "cilksort --n 4000000": "sort",
    "heat --rows 2048 --columns 1024 --steps 50": "steps",
    "hull --n 4000000": "hull",
    "cg --class W": "iterate",
    "matmul --n 1024": "multiply",
    "matmul-z --n 1024": "multiply",
    "strassen --n 1024": "multiply",
    "fft --n 1048576": "transform",
    "lu --n 1024": "factor",
}
RUNTIMES = ("near", "rayon")


def run(kernel: str, phase: str, runtime: str, threads: int) -> tuple[float, float]:
    """Make one run; return wall and CPU time of the phase."""
    words = [str(_binary.find()), "run", "--json", "-n", str(threads), "-p", "cores-close", *kernel.split()]
    done = subprocess.run([*words, "--runtime", runtime], capture_output=True, text=True, check=True)
    found = {entry["name"]: entry for entry in json.loads(done.stdout)["phases"]}[phase]
    return found["wall_ns"], found["cpu_ns"]


def main() -> None:
    """Run the benchmark and print the results."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    draw = random.Random(1)
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(rounds):
        jobs = [(kernel, runtime) for kernel in KERNELS for runtime in RUNTIMES]
        for kernel, runtime in draw.sample(jobs, len(jobs)):
            times.setdefault((kernel, runtime), []).append(run(kernel, KERNELS[kernel], runtime, threads))
    print(f"{rounds} rounds, {threads} threads; near over rayon")
    print("| kernel | time | CPU time |\n|---|---|---|")
    logs = []
    for kernel in KERNELS:
        ours, theirs = (np.array(times[kernel, runtime]) for runtime in RUNTIMES)
        wall, cpu = (ratio(ours[:, column], theirs[:, column]) for column in (0, 1))
        logs.append(math.log(wall.estimate))
        cells = [f"{found.estimate:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]" for found in (wall, cpu)]
        print(f"| `{kernel}` | {' | '.join(cells)} |")
    print(f"geometric mean of time: {math.exp(sum(logs) / len(logs)):.3f}")


if __name__ == "__main__":
    main()
