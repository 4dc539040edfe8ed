"""`knee mine fsm` beside Peregrine's `fsm`: the time of mining, in turns, one thread.

    KNEE_PEREGRINE_FSM=PATH bench/mining/frequent.py FOLDER [--support 300 100 20] [--edges 2 3 4] [--blocks 5]

PATH is Peregrine's program `fsm`, and FOLDER a labelled graph in its own form, such as the `citeseer` that it brings.
Both print the time of mining, without that of loading. The supports of all patterns with most edges are compared (it
prints no others). Printed is the median over blocks of its time / ours in the same block, with the smallest and the
largest, and both medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from array import array
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KNEE = os.environ.get("KNEE_BIN", str(ROOT / "target/release/knee"))


def converted(graph: Path, folder: Path) -> tuple[str, str]:
    """Write Peregrine's graph as an edge list and a file of labels."""
    data = array("I", (graph / "data.bin").read_bytes())
    at, edges = 2, set[tuple[int, int]]()
    # The first list is that of vertex 0, which does not exist.
    for vertex in range(data[0] + 1):
        degree = data[at]
        edges.update((min(vertex, other), max(vertex, other)) for other in data[at + 1 : at + 1 + degree])
        at += 1 + degree
    labels = array("I", (graph / "labels.bin").read_bytes())
    (folder / "graph.el").write_text("".join(f"{a} {b}\n" for a, b in sorted(edges)))
    (folder / "labels").write_text("".join(f"{labels[at]} {labels[at + 1]}\n" for at in range(0, len(labels), 2)))
    return str(folder / "graph.el"), str(folder / "labels")


def theirs(program: str, graph: Path, edges: int, support: int) -> tuple[float, list[int]]:
    """Return Peregrine's seconds, and the supports that it found."""
    said = subprocess.run(
        [program, str(graph), str(edges), str(support), "1"], capture_output=True, text=True, check=True
    )
    seconds = re.search(r"^finished in ([\d.e-]+)s", said.stdout, re.MULTILINE)
    assert seconds, said.stdout
    return float(seconds[1]), sorted(map(int, re.findall(r"\]: (\d+)$", said.stdout, re.MULTILINE)))


def ours(graph: str, labels: str, edges: int, support: int) -> tuple[float, list[int]]:
    """Return our seconds, and the supports of the patterns with most edges."""
    words = [KNEE, "mine", "fsm", graph, "--labels", labels, "--support", str(support), "--edges", str(edges)]
    said = json.loads(subprocess.run([*words, "-n", "1", "--json"], capture_output=True, text=True, check=True).stdout)
    seconds = next(phase["wall_ns"] for phase in said["phases"] if phase["name"] == "match") / 1e9
    return seconds, sorted(one["support"] for one in said["fsm"] if one["pattern"].count(",") == edges - 1)


def main() -> int:
    """Ask both all questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path)
    parser.add_argument("--support", nargs="+", type=int, default=[300, 100, 20])
    parser.add_argument("--edges", nargs="+", type=int, default=[2, 3, 4])
    parser.add_argument("--blocks", type=int, default=5)
    asked = parser.parse_args()
    program = os.environ.get("KNEE_PEREGRINE_FSM")
    if not program:
        print("Peregrine: not there; KNEE_PEREGRINE_FSM has to be the path of its program fsm", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as name:
        graph, labels = converted(asked.graph, Path(name))
        for support, edges in ((support, edges) for support in asked.support for edges in asked.edges):
            took: list[tuple[float, float]] = []
            same = True
            for _ in range(asked.blocks):
                one, other = theirs(program, asked.graph, edges, support), ours(graph, labels, edges, support)
                same = same and one[1] == other[1]
                took.append((one[0], other[0]))
            ratios = sorted(one / other for one, other in took)
            one, other = (1e3 * statistics.median(pair[at] for pair in took) for at in (0, 1))
            median = statistics.median(ratios)
            print(
                f"support {support:<6}edges {edges}  {median:6.1f} [{ratios[0]:.1f}, {ratios[-1]:.1f}]"
                f"  Peregrine {one:.1f} ms, ours {other:.1f} ms  {'same supports' if same else 'OTHER SUPPORTS'}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
