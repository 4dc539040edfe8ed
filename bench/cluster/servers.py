"""One engine on a local cluster of two workers with a core each: a server for `queries.py`, run by its own Python.

    PYTHON servers.py spark|comet|gluten|sail|dask MASTER PARQUET DOUBLES

DOUBLES is the same table with doubles for decimals. The server starts the cluster, and prints a line of JSON that says
which versions run. From then on it reads lines of JSON, `{"kind": ..., "query": ..., "sql": ...}`, and answers each
with one: `{"ms": ..., "rows": [...]}` or `{"error": ...}`. A kind is who answers on this cluster: `decimal` or
`double`, the engine from one of the two files, or `knee`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

WORKERS = 2
Rows = list[Any]
Ask = Callable[[str, str, str], Rows]
"""Asks a kind for a query, by its name and by its text."""
Cluster = tuple[str, Ask]
"""What runs, in words, and who is asked."""

MODULES = [f"java.base/{name}=ALL-UNNAMED" for name in ("java.nio", "sun.nio.ch", "java.lang", "java.util")]
OPENED = " ".join(f"--add-opens={name}" for name in MODULES) + " -Dio.netty.tryReflectionSetAccessible=true"
COMET = {
    "spark.plugins": "org.apache.spark.CometPlugin",
    "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
}
GLUTEN = {
    "spark.plugins": "org.apache.gluten.GlutenPlugin",
    "spark.shuffle.manager": "org.apache.spark.shuffle.sort.ColumnarShuffleManager",
    "spark.driver.extraJavaOptions": OPENED,
    "spark.executor.extraJavaOptions": OPENED,
}


@contextmanager
def session(master: str, settings: dict[str, str]) -> Iterator[Any]:
    """Start Spark on the master. Its workers' folders go when it stops."""
    import pyspark
    from pyspark.sql import SparkSession

    home = Path(pyspark.__file__).parent
    os.environ |= {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    usual = {
        "spark.driver.memory": "1g",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(WORKERS),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(master)
    for name, value in (usual | settings).items():
        builder = builder.config(name, value)
    own = builder.getOrCreate()
    work = home / "work" / own.sparkContext.applicationId
    yield own
    own.stop()
    shutil.rmtree(work, ignore_errors=True)


def views(spark: Any, files: dict[str, str]) -> None:
    """Name each file as a table, whose listing Spark keeps."""
    for kind, path in files.items():
        spark.read.parquet(path).createOrReplaceTempView(f"lineitem_{kind}")


def rows_of(spark: Any, kind: str, sql: str) -> Rows:
    """Ask Spark SQL from one of the views."""
    return [list(row) for row in spark.sql(sql.replace("from lineitem", f"from lineitem_{kind}")).collect()]


@contextmanager
def spark(master: str, files: dict[str, str]) -> Iterator[Cluster]:
    """Spark SQL, and knee in the same session."""
    with session(master, {"spark.executor.memory": "2g"}) as own:
        views(own, files)

        def ask(kind: str, _: str, sql: str) -> Rows:
            if kind != "knee":
                return rows_of(own, kind, sql)
            import knee.cluster.spark

            return [list(row) for row in knee.cluster.spark.sql(own, sql, lineitem=files["decimal"]).collect()]

        yield f"Spark {own.version}", ask


@contextmanager
def plugin(name: str, master: str, files: dict[str, str], settings: dict[str, str]) -> Iterator[Cluster]:
    """Spark with a native engine from a jar: half of the memory is that engine's."""
    jar = os.environ["KNEE_JAR"]
    memory = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1g", "spark.executor.memory": "1g"}
    paths = {"spark.driver.extraClassPath": jar, "spark.executor.extraClassPath": jar}
    with session(master, settings | memory | paths) as own:
        views(own, files)
        yield f"{name} ({Path(jar).stem}), Spark {own.version}", lambda kind, _, sql: rows_of(own, kind, sql)


@contextmanager
def comet(master: str, files: dict[str, str]) -> Iterator[Cluster]:
    """Apache DataFusion Comet."""
    with plugin("Comet", master, files, COMET) as cluster:
        yield cluster


@contextmanager
def gluten(master: str, files: dict[str, str]) -> Iterator[Cluster]:
    """Apache Gluten with Velox."""
    with plugin("Gluten with Velox", master, files, GLUTEN) as cluster:
        yield cluster


@contextmanager
def sail(master: str, files: dict[str, str]) -> Iterator[Cluster]:
    """Sail, whose workers are threads of this process, asked over Spark Connect."""
    os.environ["SAIL_EXECUTION__DEFAULT_PARALLELISM"] = str(WORKERS)
    if master.startswith("local-cluster"):
        os.environ |= {
            "SAIL_MODE": "local-cluster",
            "SAIL_CLUSTER__WORKER_INITIAL_COUNT": str(WORKERS),
            "SAIL_CLUSTER__WORKER_MAX_COUNT": str(WORKERS),
            "SAIL_CLUSTER__WORKER_TASK_SLOTS": "1",
        }
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    host, port = server.listening_address
    own = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
    views(own, files)
    yield f"Sail {version('pysail')}", lambda kind, _, sql: rows_of(own, kind, sql)
    own.stop()
    server.stop()


@contextmanager
def dask(_: str, files: dict[str, str]) -> Iterator[Cluster]:
    """Dask's DataFrame, and knee on the same workers."""
    import distributed
    import frames

    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as spilled,
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            memory_limit="4GiB",
            dashboard_address=None,
            local_directory=spilled,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def ask(kind: str, query: str, sql: str) -> Rows:
            if kind != "knee":
                return frames.rows(query, files[kind])
            import knee.cluster.dask

            return [list(row) for row in knee.cluster.dask.query(client, sql, files["decimal"]).rows]

        yield f"Dask {version('dask')}, pandas {version('pandas')}, pyarrow {version('pyarrow')}", ask


def plain(value: Any) -> Any:
    """Return a number of numpy as Python's, and decimals and dates as texts."""
    return value.item() if hasattr(value, "item") else str(value)


def main() -> None:
    """Answer until the input ends."""
    engine, master, decimals, doubles = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what engines print is no answer
    with globals()[engine](master, {"decimal": decimals, "double": doubles}) as (words, ask):
        print(json.dumps({"runs": words}), file=answers, flush=True)
        for line in sys.stdin:
            wanted = json.loads(line)
            try:
                begin = time.perf_counter()
                rows = ask(wanted["kind"], wanted["query"], wanted["sql"])
                answer = {"ms": 1e3 * (time.perf_counter() - begin), "rows": rows}
            except Exception as error:  # noqa: BLE001 - whatever an engine raises is its answer
                answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            print(json.dumps(answer, default=plain), file=answers, flush=True)


if __name__ == "__main__":
    main()
