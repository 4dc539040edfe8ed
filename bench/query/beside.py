"""`knee query` beside other engines: SQL text to rows, over tables in memory, hot and in turns.

    bench/query/beside.py PARQUET [--engine duckdb:decimal ...] [--threads 1 2] [--blocks 7] [--query q1 ...]

Other engines are those that `examples/engines/build.sh` set up; each that is missing is said. In each block every
engine answers every query at every number of threads, one after the other in random order, three times each. Printed is
the median over blocks of (that engine's time / ours in the same block), with the smallest and the largest; and for each
engine the geometric mean over queries. Our time is that of reading and
planning the query and of its scan, from the encoded table.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
ENGINES = Path(os.environ.get("KNEE_ENGINES", ROOT / "examples/build/engines"))
KNEE = os.environ.get("KNEE_BIN", str(ROOT / "target/release/knee"))
RUNS = 3
QUERIES = {
    "q1": ["q1"],
    "q6": ["q6"],
    "modes": ["modes"],
    "late": ["late"],
    "all": ["all"],
    "rare": ["rare"],
    "q1-60": ["q1", "--delta", "60"],
    "q6-95": ["q6", "--date", "1995-01-01", "--discount", "0.04", "--quantity", "25"],
}
"""Our words for each query: the six, and the two of TPC-H with other parameters."""
SIX = ("q1", "q6", "modes", "late", "all", "rare")


class Engine:
    """A server of `engines.py`."""

    def __init__(self, name: str, kind: str, path: Path) -> None:
        python = ENGINES / name / "bin/python"
        if not python.exists():
            raise FileNotFoundError(f"no {python}")
        self.name = f"{name} {kind}"
        words = [python, Path(__file__).with_name("engines.py"), name, kind, path]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdin
        assert self.process.stdout
        self.ask, self.answer = self.process.stdin, self.process.stdout
        if self.answer.readline() != "ready\n":
            raise RuntimeError(f"{self.name} does not load {path}")

    def seconds(self, sql: str, threads: int) -> float | None:
        """Return the median time of a query; none where the engine has no answer."""
        print(json.dumps({"sql": sql, "threads": threads, "runs": RUNS}), file=self.ask, flush=True)
        answer: dict[str, Any] = json.loads(self.answer.readline())
        if "error" in answer:
            print(f"  {self.name}: {answer['error']}", file=sys.stderr)
            return None
        return statistics.median(answer["seconds"])

    def close(self) -> None:
        """End the server."""
        self.ask.close()
        self.process.wait()


class Knee:
    """Ourselves: a process for each question, whose table comes from its cache."""

    def __init__(self, encoding: str, path: Path, cache: str, isa: str) -> None:
        self.name = f"knee {encoding}" + ("" if isa == "auto" else f" {isa}")
        self.words = [str(path), "--encoding", encoding, "--cache", cache, "--isa", isa]

    def seconds(self, sql: str, threads: int) -> float | None:
        """Return the median time of a query."""
        words = [KNEE, "query", "sql", *self.words, "--sql", sql, "--json", "-n", str(threads)]
        wide = ["-p", "cores-close"]
        report = json.loads(subprocess.check_output([*words, *wide, "--repeat", str(8 * RUNS)]))
        time = {phase["name"]: phase["wall_ns"] / 1e9 for phase in report["phases"]}
        return (time["plan"] + time["scan"]) / (8 * RUNS)

    def close(self) -> None:
        """Nothing stays."""


def texts() -> dict[str, str]:
    """Return each query's own text, as the binary has it."""
    found = {}
    for name, words in QUERIES.items():
        part = subprocess.check_output([KNEE, "query", *words, "--split", "1", "--scale", "0.01"], text=True)
        found[name] = json.loads(part)["sql"]
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--engine", nargs="+", default=["duckdb:decimal", "duckdb:double"], metavar="ENGINE:TYPE")
    parser.add_argument("--encoding", nargs="+", default=["narrow", "plain"], help="ours; the first is the base")
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--query", nargs="+", default=list(QUERIES), choices=list(QUERIES))
    parser.add_argument("--blocks", type=int, default=7)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as cache:
        engines: list[Engine | Knee] = [Knee(name, asked.file, cache, asked.isa) for name in asked.encoding]
        for name in asked.engine:
            try:
                engines.append(Engine(*name.split(":"), asked.file))
            except FileNotFoundError as missing:
                print(f"left out: {name} ({missing}; examples/engines/build.sh sets it up)")
        try:
            measure(engines, asked)
        finally:
            for engine in engines:
                engine.close()


def measure(engines: list[Engine | Knee], asked: argparse.Namespace) -> None:
    """Ask in turns, and print ratios to the first engine."""
    sql = texts()
    times: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    cells = [(query, threads) for query in asked.query for threads in asked.threads]
    for _ in range(asked.blocks):
        for query, threads in random.sample(cells, len(cells)):
            for engine in random.sample(engines, len(engines)):
                seconds = engine.seconds(sql[query], threads)
                if seconds is not None:
                    times[engine.name, query, threads].append(seconds)
    base, *others = [engine.name for engine in engines]
    for threads in asked.threads:
        print(f"\n{threads} threads: ms of {base}, and how many times longer others take (smallest, largest of blocks)")
        print(f"{'':8}{base:>14}" + "".join(f"{name:>28}" for name in others))
        ratios: dict[str, list[float]] = defaultdict(list)
        for query in asked.query:
            own = times[base, query, threads]
            line = f"{query:8}{1e3 * statistics.median(own):>14.2f}"
            for name in others:
                theirs = times[name, query, threads]
                each = [one / mine for one, mine in zip(theirs, own, strict=False)]
                if not each:
                    line += f"{'no answer':>28}"
                    continue
                middle = statistics.median(each)
                line += f"{f'{middle:.2f} ({min(each):.2f}, {max(each):.2f})':>28}"
                if query in SIX:
                    ratios[name].append(middle)
            print(line)
        means = "".join(f"{statistics.geometric_mean(ratios[name]) if ratios[name] else 0:>28.2f}" for name in others)
        print(f"{'mean':8}{'':>14}{means}   geometric, of the six", flush=True)


if __name__ == "__main__":
    main()
