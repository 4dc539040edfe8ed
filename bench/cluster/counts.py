"""Counts of patterns on one worker and on two: `bench/cluster/counts.py [--engine dask] [--graph rmat:20]`.

Workers have one thread each, and all parts are the same. Both clusters stay up, and only one works at a time; the
first answer of each is not counted. Run it with a Python that has distributed or pyspark; PYTHONPATH leads to knee.
Spark has one session in a process, so that its two clusters are two processes, which take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import knee.cluster


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", choices=["dask", "spark"], default="dask")
    parser.add_argument("--graph", default="rmat:20")
    parser.add_argument("--pattern", default="diamond")
    parser.add_argument("--plan", default="explore")
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked)
        return
    clusters = {workers: start(workers) for workers in (1, 2)}
    times: dict[int, list[float]] = {1: [], 2: []}
    counts = set[int]()
    for turn in range(asked.rounds + 1):
        for workers, cluster in clusters.items():
            count, seconds = ask(cluster)
            counts.add(count)
            if turn:
                times[workers].append(seconds)
    for cluster in clusters.values():
        assert cluster.stdin
        cluster.stdin.close()
        cluster.wait()
    if len(counts) != 1:
        sys.exit(f"the counts differ: {counts}")
    gains = [one / two for one, two in zip(times[1], times[2], strict=True)]
    print(f"{asked.engine}: {asked.pattern} in {asked.graph}, plan {asked.plan}, {asked.parts} parts: {counts.pop():,}")
    for workers, took in times.items():
        print(f"{workers} workers: {statistics.median(took):.2f} s ({min(took):.2f}, {max(took):.2f})")
    print(f"2 workers are {statistics.median(gains):.2f} ({min(gains):.2f}, {max(gains):.2f}) times as fast as 1")


def start(workers: int) -> subprocess.Popen[str]:
    words = [sys.executable, *sys.argv, "--serve", str(workers)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(cluster: subprocess.Popen[str]) -> tuple[int, float]:
    assert cluster.stdin
    assert cluster.stdout
    cluster.stdin.write("count\n")
    cluster.stdin.flush()
    count, seconds = json.loads(cluster.stdout.readline())
    return count, seconds


def serve(asked: argparse.Namespace) -> None:
    """Start a cluster, and count each time that a line comes."""

    def answer(engine: object) -> None:
        for _ in sys.stdin:
            begin = time.monotonic()
            count = knee.cluster.count(engine, asked.graph, asked.pattern, plan=asked.plan, parts=asked.parts)
            print(json.dumps([count, time.monotonic() - begin]), flush=True)

    if asked.engine == "dask":
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=asked.serve, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            answer(client)
        return
    import pyspark
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "1g"}
    session = SparkSession.builder.master(f"local-cluster[{asked.serve},1,1024]").config(map=quiet)
    with session.getOrCreate() as spark:
        answer(spark)


if __name__ == "__main__":
    main()
