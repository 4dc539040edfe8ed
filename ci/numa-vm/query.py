"""Runs inside an emulated machine with four nodes: where `knee query` puts a table, and from where it is read.

The engine's own count of bytes read at home is compared with what its layout and its scheduler promise; and where pages
lie, in the process's numa_maps as the run's record has them, with where the layout puts them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

KNEE = os.environ["KNEE_BIN"]
SCALE = "1"
"""92 morsels, 23 on each node: one that is read away from home is a hundredth of all bytes."""
ATTEMPTS = 8
"""A cpu that its host does not run for a while rightly loses morsels to other nodes, so the best of some counts."""

MORE = 0.6
"""Of a table, on a node beside its part of the table."""

failures: list[str] = []


def check(what: str, right: bool) -> None:
    """Say whether something holds, and continue."""
    print(f"{'right' if right else 'WRONG'}: {what}", flush=True)
    if not right:
        failures.append(what)


def run(layout: str, runtime: str, *, query: str = "q1", repeat: int = 1) -> dict:
    """Make one run of eight pinned workers, two on each node; return its record."""
    options = ["-n", "8", "-p", "cores-close", "--bind", "each"]
    # A kept table is read piece by piece into its place: nothing else of its size is left on the nodes.
    words = [query, "--scale", SCALE, "--cache", "/tmp/knee-tables", "--layout", layout, "--runtime", runtime]
    words += ["--repeat", str(repeat)]
    done = subprocess.run(
        [KNEE, "run", "--json", *options, "query", *words], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def at_home(record: dict) -> float:
    """The share of bytes that workers read from their own node, as the engine counts."""
    counters = record["phases"][-1]["counters"]
    local, remote = counters["local-read-bytes"], counters["remote-read-bytes"]
    return local / (local + remote)


def pages(record: dict) -> list[float]:
    """Bytes on each node in numa_maps when the work was done, in units of the table."""
    table = int(record["facts"]["encoded_bytes"])
    return [record["pages"].get(str(node), 0) * 4096 / table for node in range(4)]


def main() -> int:
    """Check all layouts; return 1 if anything is wrong."""
    run("contiguous", "near")  # makes the table that is kept
    for query in ("q1", "q6"):
        share = at_home(run("blocked", "strict", query=query))
        check(f"{query}, blocked, strict: {share:.4f} at home", share >= 0.99)
    best = 0.0
    for _ in range(ATTEMPTS):
        best = max(best, at_home(run("blocked", "near")))
        print(f"blocked, near: {best:.4f} at home", flush=True)
        if best >= 0.95:
            break
    check(f"blocked, near: {best:.4f} at home", best >= 0.95)
    share = at_home(run("blocked", "random", repeat=8))
    check(f"blocked, random: {share:.4f} at home", 0.1 < share < 0.4)
    share = at_home(run("interleaved", "near", repeat=8))
    check(f"interleaved, near: {share:.4f} at home", 0.15 < share < 0.35)
    share = at_home(run("one-node", "strict"))
    check(f"one node, strict: {share:.4f} at home, read by that node's workers alone", share == 1.0)
    share = at_home(run("one-node", "random", repeat=8))
    check(f"one node, random: {share:.4f} at home", 0.1 < share < 0.4)
    for runtime in ("strict", "near", "random"):
        share = at_home(run("replicated", runtime))
        check(f"replicated, {runtime}: {share:.4f} at home", share == 1.0)
    # What is beyond the table is the program.
    for layout, least in {
        "blocked": [0.25] * 4,
        "interleaved": [0.25] * 4,
        "one-node": [1, 0, 0, 0],
        "replicated": [1] * 4,
    }.items():
        found = pages(run(layout, "strict"))
        enough = all(wanted * 0.97 <= own < wanted + MORE for own, wanted in zip(found, least, strict=True))
        check(f"{layout}: {[round(own, 2) for own in found]} tables on the nodes in numa_maps", enough)
    print(f"query: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
