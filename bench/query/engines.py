"""One engine that answers queries over a table in its memory: a server for `beside.py`, run by that engine's Python.

    PYTHON engines.py duckdb|datafusion|polars|hyper|clickhouse decimal|double PARQUET

It loads the columns of lineitem that queries read, and prints `ready`. From then on it reads lines of JSON,
`{"sql": ..., "threads": ..., "runs": ...}`, and answers each with one: `{"seconds": [...], "rows": [...]}` or
`{"error": ...}`.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DECIMALS = ("l_quantity", "l_extendedprice", "l_discount", "l_tax")
OTHERS = (
    "l_linenumber",
    "l_returnflag",
    "l_linestatus",
    "l_shipdate",
    "l_commitdate",
    "l_receiptdate",
    "l_shipinstruct",
    "l_shipmode",
)

Rows = list[Any]
Ask = Callable[[str, int], Rows]
"""Asks SQL text on so many threads."""


def columns(kind: str, double: str) -> str:
    """Return what is selected from the file, with decimals as doubles if they are wanted so."""
    as_wanted = [f"cast({name} AS {double}) AS {name}" if kind == "double" else name for name in DECIMALS]
    return ", ".join([*as_wanted, *OTHERS])


@contextmanager
def duckdb(kind: str, path: str) -> Iterator[Ask]:
    """DuckDB's table in memory."""
    import duckdb

    base = duckdb.connect()
    base.execute(f"CREATE TABLE lineitem AS SELECT {columns(kind, 'DOUBLE')} FROM '{path}'")

    def ask(sql: str, threads: int) -> Rows:
        base.execute(f"SET threads = {threads}")
        return base.execute(sql).fetchall()

    yield ask


@contextmanager
def datafusion(kind: str, path: str) -> Iterator[Ask]:
    """DataFusion's batches in memory."""
    from datafusion import SessionConfig, SessionContext

    contexts = {}
    for threads in range(1, (os.cpu_count() or 1) + 1):
        context = SessionContext(SessionConfig().with_target_partitions(threads))
        context.register_parquet("file", path)
        parts = context.sql(f"SELECT {columns(kind, 'DOUBLE')} FROM file").collect_partitioned()
        context.register_record_batches("lineitem", parts)
        contexts[threads] = context
    yield lambda sql, threads: [batch.to_pylist() for batch in contexts[threads].sql(sql).collect()]


@contextmanager
def polars(kind: str, path: str) -> Iterator[Ask]:
    """Polars' frame in memory. Its threads are fixed at the import, so it answers with as many as KNEE_THREADS says."""
    os.environ["POLARS_MAX_THREADS"] = os.environ.get("KNEE_THREADS", "1")
    import polars

    frame = polars.scan_parquet(path).select([*DECIMALS, *OTHERS])
    if kind == "double":
        frame = frame.cast(dict.fromkeys(DECIMALS, polars.Float64))
    context = polars.SQLContext(lineitem=frame.collect())
    yield lambda sql, _: context.execute(sql, eager=True).rows()


@contextmanager
def hyper(kind: str, path: str) -> Iterator[Ask]:
    """Hyper's own table. It takes all cpus that it may use."""
    from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry

    quiet = Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU
    with (
        tempfile.TemporaryDirectory() as folder,
        HyperProcess(quiet, parameters={"log_config": ""}) as server,
        Connection(server.endpoint, f"{folder}/lineitem.hyper", CreateMode.CREATE) as base,
    ):
        source = f"external('{path}', FORMAT => 'parquet')"
        selected = columns(kind, "DOUBLE PRECISION")
        base.execute_command(f"CREATE TABLE lineitem AS (SELECT {selected} FROM {source})")

        def ask(sql: str, threads: int) -> Rows:
            for process in children():
                for thread in Path(f"/proc/{process}/task").iterdir():
                    os.sched_setaffinity(int(thread.name), range(threads))
            return base.execute_list_query(sql)

        yield ask


def children() -> list[int]:
    """Return the processes that this one started, and those that they started."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            status = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(status[1]) in (os.getpid(), *found):
            found.append(int(process.name))
    return found


@contextmanager
def clickhouse(kind: str, path: str) -> Iterator[Ask]:
    """ClickHouse in this process, with its Memory engine."""
    from chdb.session import Session

    base = Session()
    selected = columns(kind, "Float64")
    base.query(f"CREATE TABLE lineitem ENGINE = Memory AS SELECT {selected} FROM file('{path}', Parquet)")

    def ask(sql: str, threads: int) -> Rows:
        return str(base.query(f"{sql} SETTINGS max_threads = {threads}", "CSV")).splitlines()

    yield ask


def main() -> None:
    """Answer until the input ends."""
    engine, kind, path = sys.argv[1:]
    with globals()[engine](kind, path) as ask:
        print("ready", flush=True)
        for line in sys.stdin:
            wanted = json.loads(line)
            try:
                answer = asked(ask, wanted)
            except Exception as error:  # noqa: BLE001 - whatever an engine raises is its answer
                answer = {"error": str(error).splitlines()[0]}
            print(json.dumps(answer, default=str), flush=True)


def asked(ask: Ask, wanted: dict[str, Any]) -> dict[str, Any]:
    """Ask once to warm up, then so many times against the clock."""
    rows = ask(wanted["sql"], wanted["threads"])
    seconds = []
    for _ in range(wanted["runs"]):
        begin = time.perf_counter()
        ask(wanted["sql"], wanted["threads"])
        seconds.append(time.perf_counter() - begin)
    return {"seconds": seconds, "rows": rows}


if __name__ == "__main__":
    main()
