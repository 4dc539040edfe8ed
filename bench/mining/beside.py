"""`knee mine` beside other systems: the time of matching, each asked in turns for the same count in the same graph.

    KNEE_PEERS=DIR bench/mining/beside.py CLASS [--graph wikivote ...] [--threads 1 2] [--blocks 3] [--limit 20]

DIR holds two things for each system. `DIR/bin/NAME GRAPH PATTERN INDUCED THREADS` prints one line of JSON with `count`
(a list for motifs, in its own order) and `seconds`, its own time of matching; it ends with status 3 where it cannot
answer. `DIR/graphs/NAME/GRAPH.path` holds the path of the graph in the form that the system reads. A system that is not
there is left out, and that is said.

Classes: triangles, cliques, motifs, patterns (ours by matching alone), general. In each block every system answers
every question at every number of threads, in random order. One that took more than a second is asked once; one over the
limit counts as nothing and is shown as a lower bound. Printed is, for each peer, the median over blocks of (its time /
ours in the same block) with the smallest and the largest; and for each class the geometric mean over the fastest
peer of each cell. A peer whose count differs from ours is shown as wrong and does not count.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent.parent
KNEE = os.environ.get("KNEE_BIN", str(ROOT / "target/release/knee"))
GRAPHS = Path(os.environ.get("KNEE_SHARED", ROOT.parent / "shared")) / "graphs"
SLOW = 1.0
"""Seconds beyond which a system is asked once."""


@dataclass(frozen=True)
class Class:
    """Questions, who is asked besides, and our own words."""

    questions: tuple[str, ...]
    peers: tuple[str, ...]
    induced: str = "edge"
    plan: str = "auto"


CLASSES = {
    "triangles": Class(("triangle",), ("gapbs", "graphminer")),
    "cliques": Class(("4-clique", "5-clique"), ("graphminer", "kclist", "pivotscale", "graphmini")),
    "motifs": Class(("4-motifs", "5-motifs"), ("orca", "graphminer", "peregrine"), induced="vertex"),
    "patterns": Class(
        (
            "house",
            "pentagon",
            "0-1,0-2,0-3,1-2,2-3,3-4,4-0",
            "0-1,0-2,0-3,0-4,1-2,2-3,3-4,4-1",
            "0-1,0-2,0-3,0-4,1-2,1-3,1-4,2-3,2-4",
            "0-1,0-2,1-2,0-3,1-4,2-5",
            "0-1,0-2,0-3,0-4,0-5,1-2,1-3,1-4,1-5",
        ),
        ("graphset", "graphpi", "peregrine", "graphmini", "graphminer"),
        plan="explore",
    ),
    "general": Class(
        ("triangle", "diamond", "square", "4-clique", "5-clique", "4-motifs"),
        ("graphset", "graphpi", "peregrine", "graphmini", "graphminer"),
    ),
}


@dataclass
class Cell:
    """What one system answered to one question at one number of threads."""

    seconds: list[float | None] = field(default_factory=list[float | None])
    said: str = ""

    def is_done(self) -> bool:
        """Whether it need not be asked again."""
        return bool(self.said) or any(took is not None and took > SLOW for took in self.seconds)


def counted(words: list[str], limit: float) -> tuple[object, float] | str:
    """Run a command; its count and time, or why there is none."""
    # With what it started: a wrapper's child would go on beside those that are asked next.
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, process_group=0)
    try:
        said, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"> {limit:.0f} s"
    if process.returncode == 3:
        return "cannot"
    if process.returncode != 0:
        return f"failed ({process.returncode})"
    answer = json.loads(said)
    if "phases" in answer:
        took = next(phase["wall_ns"] for phase in answer["phases"] if phase["name"] == "match") / 1e9
        return answer.get("count", answer.get("motifs")), took
    return answer["count"], answer["seconds"]


def ours(graph: Path, question: str, kind: Class, threads: int) -> list[str]:
    """Our own words for a question."""
    size = question.removesuffix("-motifs")
    what = ["motifs", "--size", size] if size != question else ["count", "--pattern", question]
    induced = "vertex" if size != question else kind.induced
    words = [KNEE, "mine", *what, "--induced", induced, "--plan", kind.plan]
    return [*words, "-n", str(threads), "--json", str(graph)]


def same(one: Any, other: Any) -> bool:
    """Whether counts agree; those of motifs in any order."""

    def counts(said: Any) -> list[int]:
        if isinstance(said, dict):
            return sorted(cast("dict[str, int]", said).values())
        return sorted(cast("list[int]", said)) if isinstance(said, list) else [said]

    return counts(one) == counts(other)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(CLASSES), metavar="CLASS")
    parser.add_argument("--graph", nargs="+", default=["wikivote", "cornell5", "egotwitter", "cnr2000"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--question", nargs="+")
    asked = parser.parse_args()
    kind = CLASSES[asked.kind]
    if "KNEE_PEERS" not in os.environ:
        sys.exit("skipped: KNEE_PEERS is not set; see the head of this file")
    folder = Path(os.environ["KNEE_PEERS"])
    peers = [peer for peer in kind.peers if (folder / "bin" / peer).exists()]
    for peer in set(kind.peers) - set(peers):
        print(f"left out: {peer} (no {folder / 'bin' / peer})")
    fastest: list[float] = []
    for graph in asked.graph:
        for threads in asked.threads:
            for question in asked.question or kind.questions:
                fastest += cell(kind, graph, question, threads, peers, folder, asked)
    if fastest:
        mean = math.exp(statistics.mean(map(math.log, fastest)))
        print(
            f"{asked.kind}: the fastest peer takes {mean:.2f} times as long "
            f"({len(fastest)} cells, {min(fastest):.2f} to {max(fastest):.2f})"
        )


def cell(
    kind: Class, graph: str, question: str, threads: int, peers: list[str], folder: Path, asked: argparse.Namespace
) -> list[float]:
    """Ask all systems one question, and print; the ratio of the fastest peer, if any answered."""
    induced = "vertex" if question.endswith("-motifs") else kind.induced
    words = {"knee": ours(GRAPHS / f"{graph}.el.zst", question, kind, threads)}
    for peer in peers:
        path = folder / "graphs" / peer / f"{graph}.path"
        if path.exists():
            words[peer] = [str(folder / "bin" / peer), path.read_text().strip(), question, induced, str(threads)]
    cells = {name: Cell() for name in words}
    expected: object = None
    for _ in range(asked.blocks):
        for name in ["knee", *random.sample(list(words)[1:], len(words) - 1)]:
            if name != "knee" and cells[name].is_done():
                cells[name].seconds.append(None)
                continue
            limit = 60 + asked.limit if name == "knee" else asked.limit
            answer = counted(words[name], limit)
            if isinstance(answer, str):
                cells[name].said = answer
                cells[name].seconds.append(None)
                continue
            if name == "knee":
                expected = answer[0]
            elif expected is not None and not same(answer[0], expected):
                cells[name].said = "wrong"
            cells[name].seconds.append(answer[1])
    return shown(f"{graph} {question} {threads}", cells)


def shown(title: str, cells: dict[str, Cell]) -> list[float]:
    """Print a cell; the ratio of the fastest peer."""
    own = cells["knee"].seconds
    done = [took for took in own if took is not None]
    if not done:
        print(f"{title}: knee {cells['knee'].said}", flush=True)
        return []
    parts: list[str] = []
    medians: list[float] = []
    for name, one in list(cells.items())[1:]:
        ratios = [took / ms for took, ms in zip(one.seconds, own, strict=True) if took is not None and ms is not None]
        if one.said or not ratios:
            parts.append(f"{name} {one.said}")
            continue
        medians.append(statistics.median(ratios))
        spread = f" [{min(ratios):.2f}, {max(ratios):.2f}]" if len(ratios) > 1 else ""
        parts.append(f"{name} {medians[-1]:.2f}{spread}")
    print(f"{title}: {statistics.median(done) * 1e3:.1f} ms; {', '.join(parts)}", flush=True)
    return [min(medians)] if medians else []


if __name__ == "__main__":
    main()
