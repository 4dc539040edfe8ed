"""A small table in the shape of TPC-H's lineitem, as a Parquet file of many row groups."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 30_000
GROUPS = 12


def write(path: Path, *, double: bool = False, rows: int = ROWS, seed: int = 7) -> Path:
    """Write it. Numbers are decimals with two digits after the point, or doubles."""
    random = np.random.default_rng(seed)

    def number(low: int, high: int) -> pa.Array:
        cents = random.integers(low, high, rows).tolist()
        exact = pa.array([Decimal(cent).scaleb(-2) for cent in cents], pa.decimal128(15, 2))
        return exact.cast(pa.float64()) if double else exact

    def day(first: str, last: str) -> pa.Array:
        days = np.arange(np.datetime64(first), np.datetime64(last))
        return pa.array(random.choice(days, rows))

    def text(*words: str) -> pa.Array:
        return pa.array(random.choice(words, rows))

    columns = {
        "l_orderkey": pa.array(np.arange(rows) // 4 + 1),
        "l_linenumber": pa.array(random.integers(1, 8, rows).astype(np.int32)),
        "l_quantity": number(100, 5_100),
        "l_extendedprice": number(90_000, 10_500_000),
        "l_discount": number(0, 11),
        "l_tax": number(0, 9),
        "l_returnflag": text("A", "N", "R"),
        "l_linestatus": text("F", "O"),
        "l_shipdate": day("1992-01-02", "1998-12-01"),
        "l_commitdate": day("1992-01-31", "1998-10-31"),
        "l_receiptdate": day("1992-01-03", "1998-12-31"),
        "l_shipinstruct": text("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"),
        "l_shipmode": text("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"),
    }
    pq.write_table(pa.table(columns), path, row_group_size=-(-rows // GROUPS))
    return path
