"""Runs inside an emulated machine with four nodes: from where `knee mine` reads its lists of neighbours.

What its workers count themselves is compared with what layouts and placements promise. The answer is the same in all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

KNEE = os.environ["KNEE_BIN"]
GRAPH = "rmat:13:8:1"
"""Its lists fill 200 pages; half of them belong to few vertices."""

answers: set[int] = set()
failures: list[str] = []


def at_home(words: str, *, threads: int = 8, cpus: str = "0-7", memory: str = "") -> float:
    """Count diamonds on some cpus, two of which are on each node; return the share that is read at home."""
    options = ["--json", "-n", str(threads), "-p", "cores-close", *(["-m", memory] if memory else [])]
    verb = [KNEE, "run", *options, "mine"] if memory else [KNEE, "mine", *options]
    command = ["taskset", "-c", cpus, *verb, "count", GRAPH, *words.split()]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    report = json.loads(done.stdout)
    answers.update([report["count"]] if "count" in report else [])
    counters = next(phase["counters"] for phase in report["phases"] if phase["name"] == "match")
    local, remote = counters["local-read-bytes"], counters["remote-read-bytes"]
    if local + remote < 1_000_000:
        raise SystemExit(f"{words}: only {local} and {remote} bytes were read")
    return local / (local + remote)


def check(what: str, share: float, low: float, high: float) -> None:
    """Say whether a share lies where it has to, and continue."""
    right = low <= share <= high
    print(f"{'right' if right else 'WRONG'}: {what}: {share:.4f} at home", flush=True)
    if not right:
        failures.append(what)


def main() -> int:
    """Check layouts and runtimes; return 1 if anything is wrong."""
    for plan in ("explore", "formula"):
        own = f"--plan {plan}"
        for layout in ("contiguous", "one-node", "replicated"):
            share = at_home(f"{own} --layout {layout}", threads=2)
            check(f"{plan}, {layout}, both threads on the first node", share, 1, 1)
        share = at_home(own, threads=2, cpus="2,3", memory="bind:0")
        check(f"{plan}, memory of the first node, threads on the second one", share, 0, 0)
        for layout in ("interleaved", "blocked", "contiguous"):
            check(f"{plan}, {layout}, all nodes", at_home(f"{own} --layout {layout}"), 0.1, 0.4)
        check(f"{plan}, replicated, all nodes", at_home(f"{own} --layout replicated"), 1, 1)
        check(f"{plan}, interleaved, rayon", at_home(f"{own} --layout interleaved --runtime rayon"), 0.1, 0.4)
    if len(answers) != 1:
        failures.append(f"several answers: {answers}")
    print(f"mine: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
