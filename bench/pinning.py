"""Cost and delay of pinning threads from outside: pairs of runs with `--bind each` and `--bind set`.

Two programs with a fixed amount of work, each with two threads at a time: a persistent OpenMP team, and two hundred
threads of three milliseconds each. The pairs are interleaved, in random order within each pair. Sampling is off, so
that pinning is the only difference.

Usage: .venv/bin/python bench/pinning.py [PAIRS]
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from knee import _binary
from knee.stats.intervals import ratio

ROOT = Path(__file__).parents[1]
PROGRAMS = {
    "OpenMP, 2 threads": ("examples/openmp/sumeuler.c", "-fopenmp", ["12000"]),
    "200 short threads": ("bench/short.c", "-pthread", []),
}
ENV = ["--env", "OMP_NUM_THREADS=2", "--env", "OMP_SCHEDULE=dynamic"]


def run(bind: str, command: list[str]) -> dict:
    """Make one run; return its record."""
    words = [str(_binary.find()), "run", "--json", "--sample-ms", "0", "-n", "2", "-p", "cores-close", "--bind", bind]
    done = subprocess.run([*words, *ENV, "--", *command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(name: str, command: list[str], pairs: int) -> None:
    """Make the pairs of one program and print the result."""
    draw = random.Random(1)
    walls: dict[str, list[float]] = {"set": [], "each": []}
    pinnings = []
    for _ in range(pairs):
        for bind in draw.sample(["set", "each"], 2):
            record = run(bind, command)
            walls[bind].append(record["wall_ns"])
            if bind == "each":
                pinnings.append(record["pinning"] | {"share": record["pinning"]["cost_ns"] / record["wall_ns"]})
    found = ratio(np.array(walls["each"], dtype=float), np.array(walls["set"], dtype=float))

    def middle(field: str) -> float:
        return float(np.median([pinning[field] for pinning in pinnings]))

    late = [pinning["late_ns_sum"] / max(pinning["pinned"], 1) / 1e6 for pinning in pinnings]
    worst = [pinning["late_ns_max"] / 1e6 for pinning in pinnings]
    print(
        f"{name}, {pairs} pairs of {np.median(walls['set']) / 1e9:.2f} s: wall each / set {found.estimate:.4f} "
        f"[{found.interval.low:.4f}, {found.interval.high:.4f}]; pinner {100 * middle('share'):.2f} % of one cpu\n"
        f"  CPU time of a thread before it was pinned: {np.median(late):.2f} ms on average, the latest thread of a run "
        f"{np.median(worst):.2f} ms (in the worst run {max(worst):.2f})\n"
        f"  threads pinned {middle('pinned'):.0f}, left {middle('left_on_set'):.0f}, missed {middle('missed'):.0f}, "
        f"moved {middle('moved'):.0f}"
    )


def main() -> None:
    """Compile and measure both programs."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (source, option, words)) in enumerate(PROGRAMS.items()):
            program = f"{folder}/{number}"
            subprocess.run(["gcc", "-O2", option, "-o", program, ROOT / source], check=True)
            measure(name, [program, *words], pairs)


if __name__ == "__main__":
    main()
