"""Did a change of knee make knee slower? Two builds by turns: every kernel, a short run, the sampler, and the probes.

    python bench/builds.py OLD [ROUNDS]

OLD is another build's binary; the new one is what `knee` finds (KNEE_BIN). A round measures everything once with each,
in random order. Ratios are new over old, with 90 % intervals by rounds; for kernels, of the phase that is the work. A
probe has many figures: the line gives the median of their ratios, and how many intervals lie above 1 and below. Figures
that are 0 at times have no ratio and are left out.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from kernels import KERNELS

from knee import _binary
from knee.stats.intervals import Ratio, ratio

Figures = dict[str, float]


def kernel(binary: Path, words: str) -> Figures:
    """Time the phase of a kernel that is the work, on two threads of knee's runtime, with the sampler on."""
    record = run(binary, "-n", "2", "-p", "cores-close", *words.split(), "--runtime", "near")
    return {words: {entry["name"]: entry for entry in record["phases"]}[KERNELS[words]]["wall_ns"]}


def short(binary: Path) -> Figures:
    """Time a whole `knee run` of a program that does nothing."""
    began = time.perf_counter()
    run(binary, "--", "true")
    return {"`knee run -- true`": time.perf_counter() - began}


def sampler(binary: Path) -> Figures:
    """Return the CPU time of the sampler for each second of a run on two threads."""
    record = run(binary, "--sample-ms", "10", "-n", "2", "-p", "cores-close", "sumeuler", "--n", "12000")
    return {"sampler, CPU time": record["sampling"]["cost_ns"] / record["wall_ns"]}


def probes(binary: Path) -> Figures:
    """Return every figure of `knee memory --quick`, by its probe and where it was taken."""
    done = subprocess.run([binary, "memory", "--quick", "--json"], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)["figures"]
    return {f"{one['probe']}: {json.dumps([one['measure'], one['at']])}": one["value"] for one in figures}


def run(binary: Path, *words: str) -> dict:
    """Make one run; its record."""
    done = subprocess.run([binary, "run", "--json", *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def compare(old: Path, new: Path, measure: Callable[[Path], Figures], rounds: int, draw: random.Random) -> None:
    """Measure by turns and print a line for each group of figures."""
    seen: dict[tuple[Path, str], list[float]] = {}
    for _ in range(rounds):
        for binary in draw.sample([old, new], 2):
            for name, value in measure(binary).items():
                seen.setdefault((binary, name), []).append(value)
    groups: dict[str, list[Ratio]] = {}
    for name in [name for binary, name in seen if binary == new]:
        news, olds = np.array(seen[new, name]), np.array(seen.get((old, name), []))
        if news.size == olds.size == rounds and news.min() > 0 and olds.min() > 0:
            groups.setdefault(name.split(":")[0], []).append(ratio(news, olds))
    for name, ratios in groups.items():
        middle = sorted(ratios, key=lambda one: one.estimate)[len(ratios) // 2]
        said = f"{middle.estimate:.3f} [{middle.interval.low:.3f}, {middle.interval.high:.3f}]"
        if len(ratios) > 1:
            slower = sum(one.interval.low > 1 for one in ratios)
            faster = sum(one.interval.high < 1 for one in ratios)
            logs = np.log([one.estimate for one in ratios])
            said = f"median {np.exp(np.median(logs)):.3f}; {len(ratios)} figures, {slower} above 1, {faster} below"
        print(f"| {name} | {said} |", flush=True)


def main() -> None:
    """Measure and print."""
    old, new = Path(sys.argv[1]), _binary.find()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    draw = random.Random(1)
    print(f"{rounds} rounds; new over old\n| measured | new / old |\n|---|---|")
    for words in KERNELS:
        compare(old, new, lambda binary, words=words: kernel(binary, words), rounds, draw)
    for measure in (short, sampler, probes):
        compare(old, new, measure, rounds, draw)


if __name__ == "__main__":
    main()
