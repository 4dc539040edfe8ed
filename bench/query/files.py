"""`knee query` beside DuckDB from Parquet to the answer: a fresh process each, the file warm or out of the page cache.

    bench/query/files.py PARQUET [--blocks 7] [--threads 1 2] [--query q1 q6]

DuckDB is that of `examples/engines/build.sh`, or the Python of a place that has it (KNEE_ENGINES). Its process imports
before it is timed: its time is that of connecting and asking; ours is that of the whole process. Printed are medians of
ours and of DuckDB's time, the median of their ratio in the same block with the smallest and largest, what of ours was
reading pages and encoding columns, and the second start from our own cache.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from beside import ENGINES, KNEE, texts

DUCKDB = """
import sys, time, duckdb
sql, threads = sys.argv[1:]
begin = time.perf_counter()
own = duckdb.connect(config={"threads": int(threads)})
own.execute("set enable_progress_bar = false")  # of what takes longer than two seconds
own.execute(sql).fetchall()
print(time.perf_counter() - begin)
"""


def drop(path: Path) -> None:
    """Have the kernel forget the file's pages."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def keep(path: Path) -> None:
    """Have the kernel keep the file's pages."""
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def ours(query: str, threads: int, words: list[str]) -> tuple[float, dict[str, float]]:
    """Return the time of the whole process, and of its phases."""
    begin = time.perf_counter()
    report = subprocess.check_output([KNEE, "query", query, *words, "--json", "-n", str(threads), "-p", "cores-close"])
    whole = time.perf_counter() - begin
    return whole, {phase["name"]: phase["wall_ns"] / 1e9 for phase in json.loads(report)["phases"]}


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--blocks", type=int, default=7)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--query", nargs="+", default=["q1", "q6"])
    asked = parser.parse_args()
    sql = {name: text.replace("from lineitem", f"from '{asked.file}'") for name, text in texts().items()}
    seen: dict[tuple[str, int, bool, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as cache:
        cached = [str(asked.file), "--cache", cache]
        ours(asked.query[0], 1, cached)
        cells = [(query, threads, cold) for query in asked.query for threads in asked.threads for cold in (False, True)]
        for _ in range(asked.blocks):
            for cell in random.sample(cells, len(cells)):
                query, threads, cold = cell
                for engine in random.sample(["knee", "duckdb", "cache"], 3):
                    for path in (asked.file, next(Path(cache).iterdir())):
                        (drop if cold else keep)(path)
                    if engine == "duckdb":
                        words = [ENGINES / "duckdb/bin/python", "-c", DUCKDB, sql[query], str(threads)]
                        seen[*cell, engine].append(float(subprocess.check_output(words)))
                        continue
                    whole, phases = ours(query, threads, [str(asked.file)] if engine == "knee" else cached)
                    seen[*cell, engine].append(whole)
                    if engine == "knee":
                        for name, seconds in phases.items():
                            seen[*cell, name].append(seconds)
    names = f"{'ms':16}{'knee':>8}{'DuckDB':>8}{'knee / DuckDB':>22}{'pages':>8}{'encode':>8}{'cache':>8}"
    print(f"{names}{'file / cache':>14}")
    for cell in cells:
        knee, duckdb, cache_ = (seen[*cell, name] for name in ("knee", "duckdb", "cache"))
        ratios = [one / other for one, other in zip(knee, duckdb, strict=True)]
        middle = statistics.median
        query, threads, cold = cell
        ratio = f"{middle(ratios):.2f} ({min(ratios):.2f}, {max(ratios):.2f})"
        line = f"{f'{query} n={threads} ' + ('cold' if cold else 'warm'):16}{1e3 * middle(knee):>8.0f}"
        line += f"{1e3 * middle(duckdb):>8.0f}{ratio:>22}"
        line += "".join(f"{1e3 * middle(seen[*cell, name]):>8.0f}" for name in ("load", "encode"))
        again = middle([one / other for one, other in zip(knee, cache_, strict=True)])
        print(f"{line}{1e3 * middle(cache_):>8.0f}{again:>14.1f}")


if __name__ == "__main__":
    main()
