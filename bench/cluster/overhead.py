"""What a part costs on a cluster: a query over a tiny table in N parts, less the engine's own job of N empty tasks.

    bench/cluster/overhead.py [--parts 8 32] [--rounds 20] [--cluster spark dask] [--master local-cluster[2,1,2048]]

Run it with a Python that has pyspark, dask, distributed, pandas and pyarrow; PYTHONPATH leads to knee. The table has a
row group of 1000 rows for each part. Both clusters have two workers with a core each. In each round every job runs
once, in random order; the first three rounds are not counted. Printed are medians in ms with the smallest and the
largest, and per part the median over rounds of (query - empty job) / N. Beside them is what the binary itself takes for
a part, one after the other without a cluster: with two workers at once, half of that per part is the least that could
be.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import servers

sys.path.append(str(Path(__file__).resolve().parents[1] / "query"))
from beside import KNEE

SQL = "select count(*) as items, sum(value) as total from tiny"
ROWS = 1000
WARM = 3
Jobs = dict[str, Callable[[int], object]]
"""By name: runs with so many parts."""


def nothing(batches: Iterator[Any]) -> Iterator[Any]:
    """Return the batches of a partition as they are."""
    return batches


def number(value: int) -> int:
    """Do nothing."""
    return value


@contextmanager
def spark(path: str, master: str) -> Iterator[Jobs]:
    """The query on Spark, and an empty job of its Python workers."""
    import knee.cluster.spark

    with servers.session(master, {}) as own:

        def empty(parts: int) -> object:
            return own.range(0, parts, 1, parts).mapInArrow(nothing, "id long").collect()

        def asked(parts: int) -> object:
            return total(list(knee.cluster.spark.sql(own, SQL, parts=parts, tiny=path).collect()[0]))

        yield {"spark query": asked, "spark empty": empty}


@contextmanager
def dask(path: str, _: str) -> Iterator[Jobs]:
    """The query on Dask, and tasks that do nothing."""
    import distributed

    import knee.cluster.dask

    with ExitStack() as stack:
        spilled = stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))
        wanted = {"n_workers": servers.WORKERS, "threads_per_worker": 1, "dashboard_address": None}
        cluster = stack.enter_context(distributed.LocalCluster(**wanted, local_directory=spilled))
        client = stack.enter_context(distributed.Client(cluster))

        def empty(parts: int) -> object:
            return client.gather(client.map(number, range(parts), pure=False))

        def asked(parts: int) -> object:
            return total(knee.cluster.dask.query(client, SQL, path, parts=parts).rows[0])

        yield {"dask query": asked, "dask empty": empty}


def total(row: Any) -> None:
    """Check the answer."""
    items, value = row
    if items != value:
        raise ValueError(f"wrong: a sum of {value} for {items} ones")


def alone(path: str) -> Jobs:
    """The binary's parts, one after the other."""

    def asked(parts: int) -> object:
        split = [KNEE, "query", path, "--sql", SQL, "--split", str(parts)]
        lines = subprocess.check_output(split).splitlines(keepends=True)
        begin = time.perf_counter()
        for line in lines:
            answer(line)
        return time.perf_counter() - begin

    return {"binary alone": asked}


def answer(line: bytes) -> None:
    """Have the binary answer a part. Its input stays open until then."""
    words = [KNEE, "query", "--part", "-n", "1"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line)
        process.stdin.flush()
        process.stdout.read()


def measure(jobs: Jobs, counts: list[int], rounds: int) -> dict[tuple[str, int], list[float]]:
    """Return milliseconds of all jobs, in the order of rounds."""
    times: dict[tuple[str, int], list[float]] = defaultdict(list)
    cells = [(name, parts) for name in jobs for parts in counts]
    for turn in range(-WARM, rounds):
        for name, parts in random.sample(cells, len(cells)):
            begin = time.perf_counter()
            own = jobs[name](parts)
            seconds = own if isinstance(own, float) else time.perf_counter() - begin
            if turn >= 0:
                times[name, parts].append(1e3 * seconds)
    return times


def spread(figures: list[float], digits: int) -> str:
    """Return the median, the smallest and the largest."""
    low, high = min(figures), max(figures)
    return f"{statistics.median(figures):.{digits}f} ({low:.{digits}f}, {high:.{digits}f})"


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", type=int, default=[8, 32])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cluster", nargs="+", default=["spark", "dask"], choices=["spark", "dask"])
    parser.add_argument("--master", default="local-cluster[2,1,2048]", help="Spark's")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))
        path = str(Path(folder) / "tiny.parquet")
        rows = max(asked.parts) * ROWS
        pq.write_table(pa.table({"value": pa.repeat(pa.scalar(1), rows)}), path, row_group_size=ROWS)
        jobs = alone(path)
        for name in asked.cluster:
            jobs |= stack.enter_context(globals()[name](path, asked.master))
        times = measure(jobs, asked.parts, asked.rounds)
    print(f"{'ms':8}{'parts':>6}{'query':>26}{'empty job':>26}{'per part':>26}{'binary alone, per part':>26}")
    for name in asked.cluster:
        for parts in asked.parts:
            query, empty = times[f"{name} query", parts], times[f"{name} empty", parts]
            each = [(one - other) / parts for one, other in zip(query, empty, strict=True)]
            own = [one / parts for one in times["binary alone", parts]]
            cells = [spread(query, 0), spread(empty, 0), spread(each, 2), spread(own, 2)]
            print(f"{name:8}{parts:>6}" + "".join(f"{cell:>26}" for cell in cells))


if __name__ == "__main__":
    main()
