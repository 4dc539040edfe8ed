"""`knee.cluster` beside other engines on a local cluster: SQL text to rows, from Parquet, hot and in turns.

    bench/cluster/queries.py PARQUET [--doubles FILE] [--engine spark:knee spark:decimal ...] [--rounds 3] [--json FILE]

Run it with a Python that has pyspark, dask, distributed, pandas and pyarrow; PYTHONPATH leads to knee. Engines that are
Spark with a jar, or a server that Spark's client asks, run in a Python of their own:

    KNEE_COMET_JAR, KNEE_COMET_PYTHON      Apache DataFusion Comet, and a Python with the pyspark that its jar is for
    KNEE_GLUTEN_JAR, KNEE_GLUTEN_PYTHON    Apache Gluten's bundle with Velox, and a Python likewise
    KNEE_SAIL_PYTHON                       a Python with pysail and pyspark-client

Each that is missing is said. `sail-local` is Sail with two threads and no cluster, its faster mode on one machine.
Every cluster has two workers with a core each; all are started once and stay up, and only one works at a time. In each
round every query goes to every engine, in random order. The first answers of each engine to each query are not counted
(--warm).

Each answer is compared with that of `knee query` in one process: exactly, but to 1e-9 where the engine has doubles, and
an average may be cut instead of rounded, as Sail's are. A wrong answer is shown and does not count. An engine leaves
the run when an answer takes longer than --limit; what it had answered until then is not shown.

Printed are medians with the smallest and the largest, and the ratio to knee on the same kind of cluster, which for Sail
is Spark's: the median over rounds of (that engine's time / knee's in the same round), and the geometric mean of the
six.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from answers import Truth
from child import Child, Slow

sys.path.append(str(Path(__file__).resolve().parents[1] / "query"))
from beside import SIX, texts

ENGINES = [
    "spark:knee",
    "spark:decimal",
    "spark:double",
    "comet:decimal",
    "comet:double",
    "gluten:decimal",
    "gluten:double",
    "sail:decimal",
    "sail:double",
    "sail-local:decimal",
    "sail-local:double",
    "dask:knee",
    "dask:double",
]
MASTER = "local-cluster[2,1,2048]"
LOCAL = "local[2]"
Times = dict[tuple[str, str], dict[int, float]]
"""Milliseconds by engine and query, and by round."""


def started(cluster: str, master: str, files: tuple[Path, Path], folder: Path) -> Child | None:
    """Start a cluster's server; none where its parts are missing, which is said."""
    engine, _, local = cluster.partition("-")
    own = engine.upper()
    python = os.environ.get(f"KNEE_{own}_PYTHON", sys.executable if engine in ("spark", "dask") else "")
    jar = os.environ.get(f"KNEE_{own}_JAR", "")
    wanted = [f"KNEE_{own}_PYTHON"] * (not python) + [f"KNEE_{own}_JAR"] * (engine in ("comet", "gluten") and not jar)
    if wanted:
        print(f"left out: {cluster} ({' and '.join(wanted)} not set)")
        return None
    words = [python, Path(__file__).with_name("servers.py"), engine, LOCAL if local else master, *files]
    child = Child(words, {"KNEE_JAR": jar}, folder)
    print(f"{cluster}: {child.runs}", flush=True)
    return child


class Run:
    """All engines, and what they answered."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked = asked
        self.files = (asked.file.resolve(), asked.doubles.resolve())
        self.folder = folder
        self.sql = texts()
        self.truth = {query: Truth(asked.file, self.sql[query]) for query in asked.query}
        self.engines = list(asked.engine)
        self.children: dict[str, Child] = {}
        for cluster in dict.fromkeys(engine.partition(":")[0] for engine in self.engines):
            self.start(cluster)
        self.times: Times = defaultdict(dict)

    def start(self, cluster: str) -> None:
        """Start a cluster, or leave its engines out."""
        try:
            child = started(cluster, self.asked.master, self.files, self.folder / cluster)
        except RuntimeError as failed:
            print(f"left out: {cluster} ({failed})", flush=True)
            child = None
        if child:
            self.children[cluster] = child
        else:
            self.engines = [engine for engine in self.engines if not engine.startswith(f"{cluster}:")]

    def ask(self, engine: str, query: str, turn: int) -> None:
        """Ask once; negative turns do not count."""
        cluster, _, kind = engine.partition(":")
        try:
            question = {"kind": kind, "query": query, "sql": self.sql[query]}
            answer = self.children[cluster].ask(question, self.asked.limit)
        except (Slow, RuntimeError, BrokenPipeError) as failed:
            print(f"{engine} leaves the run: {query} {failed}", flush=True)
            self.engines.remove(engine)
            self.children.pop(cluster).end()
            self.again(cluster)
            return
        wrong = answer.get("error") or self.truth[query].wrong(answer["rows"])
        if wrong:
            print(f"{engine} {query}: {wrong}", flush=True)
        elif turn >= 0:
            self.times[engine, query][turn] = answer["ms"]

    def again(self, cluster: str) -> None:
        """Start a cluster again for its other engines, and warm it up."""
        others = [engine for engine in self.engines if engine.startswith(f"{cluster}:")]
        if others:
            self.start(cluster)
        for engine, query in itertools.product(others, self.asked.query * self.asked.warm):
            if engine in self.engines:
                self.ask(engine, query, -1)

    def measure(self) -> None:
        """Ask in turns."""
        for turn in range(-self.asked.warm, self.asked.rounds):
            for query in random.sample(self.asked.query, len(self.asked.query)):
                for engine in random.sample(self.engines, len(self.engines)):
                    if engine in self.engines:
                        self.ask(engine, query, turn)

    def close(self) -> None:
        """End all clusters."""
        for child in self.children.values():
            child.end()


def spread(figures: list[float], digits: int) -> str:
    """Return the median, the smallest and the largest."""
    if not figures:
        return "no answer"
    low, high = min(figures), max(figures)
    return f"{statistics.median(figures):.{digits}f} ({low:.{digits}f}, {high:.{digits}f})"


def tables(times: Times, engines: list[str], queries: list[str]) -> None:
    """Print times, and ratios to knee on the same kind of cluster."""
    heads = "".join(f"{query:>22}" for query in queries)
    print(f"\n{'ms':20}{heads}")
    for engine in engines:
        print(f"{engine:20}" + "".join(f"{spread(list(times[engine, query].values()), 0):>22}" for query in queries))
    print(f"\n{'times as long':20}{heads}{'mean of the six':>18}")
    lost: dict[str, list[str]] = {}
    for engine in engines:
        base = f"{'dask' if engine.startswith('dask:') else 'spark'}:knee"
        line, middles = f"{engine:20}", []
        for query in queries:
            own = times[base, query]
            each = [ms / own[turn] for turn, ms in times[engine, query].items() if turn in own]
            line += f"{spread(each, 2):>22}"
            if each:
                middles.append(statistics.median(each))
                if middles[-1] < 1:
                    lost.setdefault(engine, []).append(f"{query} {middles[-1]:.2f}")
        mean = f"{statistics.geometric_mean(middles):.2f}" if len(middles) == len(SIX) else "not all six"
        print(f"{line}{mean:>18}")
    print("\nmedians in which knee is slower:" + ("" if lost else " none"))
    for engine, names in lost.items():
        print(f"  beside {engine}: {', '.join(names)}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--doubles", type=Path, help="the file with doubles; written beside the first if missing")
    parser.add_argument("--engine", nargs="+", default=ENGINES, choices=ENGINES, metavar="CLUSTER:KIND")
    parser.add_argument("--query", nargs="+", default=list(SIX), choices=list(SIX))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm", type=int, default=2, help="answers that are not counted")
    parser.add_argument("--limit", type=float, default=60, help="seconds for an answer")
    parser.add_argument("--master", default=MASTER, help="Spark's; local[2] has its workers in one process")
    parser.add_argument("--json", type=Path, help="a file for all times")
    asked = parser.parse_args()
    asked.doubles = asked.doubles or asked.file.with_name(f"{asked.file.stem}-double.parquet")
    if not asked.doubles.exists():
        subprocess.run([sys.executable, Path(__file__).with_name("doubles.py"), asked.file, asked.doubles], check=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        run = Run(asked, Path(folder))
        try:
            run.measure()
        finally:
            run.close()
    tables(run.times, run.engines, asked.query)
    if asked.json:
        cells = [{"engine": one, "query": query, "ms": list(ms.values())} for (one, query), ms in run.times.items()]
        asked.json.write_text(json.dumps(cells))


if __name__ == "__main__":
    main()
