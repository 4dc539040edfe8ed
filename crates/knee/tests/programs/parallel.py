"""Work for the threads of a library: blas (by numpy), duckdb or polars."""

import sys
import time
from collections.abc import Callable


def blas() -> Callable[[], object]:
    """Return a product of matrices."""
    import numpy as np

    matrix = np.ones((800, 800))
    return lambda: matrix @ matrix


def duckdb() -> Callable[[], object]:
    """Return a query."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("create table numbers as select range as number from range(3000000)")
    return lambda: connection.execute("select sum(sin(number) * cos(number)) from numbers").fetchall()


def polars() -> Callable[[], object]:
    """Return a query."""
    import polars as pl

    group = pl.int_range(3_000_000, eager=True).alias("number")
    frame = pl.DataFrame([group]).with_columns(key=group % 1000)
    return lambda: frame.group_by("key").agg(pl.col("number").sum())


begin = time.monotonic()
work = {"blas": blas, "duckdb": duckdb, "polars": polars}[sys.argv[1]]()
# Longer than the start, which one thread makes.
end = time.monotonic() + max(1.5, 4 * (time.monotonic() - begin))
while time.monotonic() < end:
    work()
