"""`knee mine per-vertex` and `per-edge` beside Orca: from a text file to the written answer, in turns, one thread.

    KNEE_ORCA=PATH bench/mining/orbits.py [--graph wikivote ...] [--blocks 5]

Orca has no threads. Its answer is compared with ours, line by line. Printed is the median over blocks of its time /
ours in the same block, with the smallest and the largest, and both medians in seconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KNEE = os.environ.get("KNEE_BIN", str(ROOT / "target/release/knee"))
GRAPHS = Path(os.environ.get("KNEE_SHARED", ROOT.parent / "shared")) / "graphs"
KINDS = {"node": "per-vertex", "edge": "per-edge"}


def timed(words: list[str], out: Path) -> float:
    """Return how long a command takes whose answer goes to a file."""
    with out.open("wb") as file:
        begin = time.perf_counter()
        subprocess.run(words, stdout=file, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin


def numbers(file: Path, skipped: int) -> list[list[int]]:
    """Return the counts of each line, behind the numbers of vertices."""
    lines = (line.split() for line in file.read_text().splitlines() if not line.startswith("#"))
    return [[int(word) for word in line[skipped:]] for line in lines]


def beside(orca: str, graph: str, blocks: int, folder: Path) -> None:
    """Ask both about one graph."""
    text = subprocess.run([KNEE, "mine", "edges", str(GRAPHS / f"{graph}.el.zst")], capture_output=True, check=True)
    pairs = [line.split() for line in text.stdout.decode().splitlines()]
    number = {name: at for at, name in enumerate(sorted({int(end) for pair in pairs for end in pair}))}
    dense = [f"{number[int(a)]} {number[int(b)]}\n" for a, b in pairs]
    (folder / "theirs.in").write_text(f"{len(number)} {len(dense)}\n" + "".join(dense))
    (folder / "ours.el").write_text("".join(dense))
    for kind, action in KINDS.items():
        took: list[tuple[float, float]] = []
        for block in range(blocks):
            calls = [
                lambda kind=kind: timed(
                    [orca, kind, "4", str(folder / "theirs.in"), str(folder / "theirs.out")], folder / "log"
                ),
                lambda action=action: timed(
                    [KNEE, "mine", action, str(folder / "ours.el"), "-n", "1"], folder / "ours.out"
                ),
            ]
            order = [0, 1] if block % 2 == 0 else [1, 0]
            seconds = {which: calls[which]() for which in order}
            took.append((seconds[0], seconds[1]))
        same = numbers(folder / "theirs.out", 0) == numbers(folder / "ours.out", 1 if kind == "node" else 2)
        ratios = sorted(theirs / ours for theirs, ours in took)
        theirs, ours = (statistics.median(pair[at] for pair in took) for at in (0, 1))
        print(
            f"{graph:<12}{action:<12}{statistics.median(ratios):6.2f} [{ratios[0]:.2f}, {ratios[-1]:.2f}]"
            f"  orca {theirs:.2f} s, ours {ours:.2f} s  {'same answer' if same else 'ANOTHER ANSWER'}",
            flush=True,
        )


def main() -> int:
    """Ask about all graphs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", nargs="+", default=["wikivote", "astroph", "brightkite", "cornell5"])
    parser.add_argument("--blocks", type=int, default=5)
    asked = parser.parse_args()
    orca = os.environ.get("KNEE_ORCA")
    if not orca:
        print("orca: not there; KNEE_ORCA has to be the path of its program", file=sys.stderr)
        return 0
    for graph in asked.graph:
        with tempfile.TemporaryDirectory() as folder:
            beside(orca, graph, asked.blocks, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
