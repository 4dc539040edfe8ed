"""The six queries of `knee query` in dask.dataframe, from a Parquet file with doubles for decimals.

Only the columns that a query needs are read, by Arrow's reader, which also leaves out rows; texts and dates stay in
Arrow's memory. Partitions have GROUPS row groups: by default a file of SF1 is read as one partition, on one worker.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import dask.dataframe as dd
import pandas as pd

GROUPS = 14
Filter = tuple[str, str, Any]


def rows(query: str, path: str) -> list[Any]:
    """Return a query's rows."""
    return globals()[query](path)


def read(path: str, *columns: str, filters: list[Filter] | None = None) -> Any:
    """Return columns of lineitem, by their names without `l_`."""
    names = [f"l_{name}" for name in columns]
    return dd.read_parquet(path, columns=names, filters=filters, split_row_groups=GROUPS)


def listed(frame: Any, keys: list[str]) -> list[Any]:
    """Return groups as rows, ordered by their keys."""
    return [list(row) for row in frame.compute().reset_index().sort_values(keys).itertuples(index=False)]


def q1(path: str) -> list[Any]:
    """TPC-H's first."""
    keys = ["l_returnflag", "l_linestatus"]
    columns = ("returnflag", "linestatus", "quantity", "extendedprice", "discount", "tax")
    frame = read(path, *columns, filters=[("l_shipdate", "<=", date(1998, 9, 2))])
    frame = frame.assign(paid=frame.l_extendedprice * (1 - frame.l_discount))
    frame = frame.assign(charge=frame.paid * (1 + frame.l_tax))
    found = frame.groupby(keys).agg(
        sum_qty=("l_quantity", "sum"),
        sum_base_price=("l_extendedprice", "sum"),
        sum_disc_price=("paid", "sum"),
        sum_charge=("charge", "sum"),
        avg_qty=("l_quantity", "mean"),
        avg_price=("l_extendedprice", "mean"),
        avg_disc=("l_discount", "mean"),
        count_order=("l_quantity", "count"),
    )
    return listed(found, keys)


def q6(path: str) -> list[Any]:
    """TPC-H's sixth."""
    wanted = [
        ("l_shipdate", ">=", date(1994, 1, 1)),
        ("l_shipdate", "<", date(1995, 1, 1)),
        ("l_discount", ">=", 0.05),
        ("l_discount", "<=", 0.07),
        ("l_quantity", "<", 24),
    ]
    frame = read(path, "discount", "extendedprice", filters=wanted)
    return [[(frame.l_extendedprice * frame.l_discount).sum().compute()]]


def modes(path: str) -> list[Any]:
    """Many groups."""
    keys = ["l_shipmode", "l_shipinstruct", "l_linenumber"]
    frame = read(path, "shipmode", "shipinstruct", "linenumber", "quantity", "extendedprice", "discount", "tax")
    frame = frame.assign(paid=frame.l_extendedprice * (1 - frame.l_discount))
    found = frame.groupby(keys).agg(
        quantity=("l_quantity", "sum"),
        revenue=("paid", "sum"),
        tax=("l_tax", "mean"),
        items=("l_tax", "count"),
    )
    return listed(found, keys)


def late(path: str) -> list[Any]:
    """Columns compared with columns, and texts."""
    chosen = [("l_shipmode", "in", ["MAIL", "SHIP", "AIR"])]
    frame = read(path, "shipmode", "shipdate", "commitdate", "receiptdate", "extendedprice", filters=chosen)
    wanted = (frame.l_commitdate < frame.l_receiptdate) & (frame.l_shipdate < frame.l_commitdate)
    found = frame[wanted].groupby("l_shipmode").agg(items=("l_shipmode", "size"), price=("l_extendedprice", "sum"))
    return listed(found, ["l_shipmode"])


def all(path: str) -> list[Any]:  # noqa: A001 - the query's name
    """Sums and extremes of all rows."""
    frame = read(path, "shipdate", "receiptdate", "quantity", "extendedprice")
    found = frame.map_partitions(extremes, meta=extremes(frame._meta)).compute()
    return [[found["items"].sum(), found.quantity.sum(), found.price.sum(), found["first"].min(), found["last"].max()]]


def extremes(part: pd.DataFrame) -> pd.DataFrame:
    """Return a row for a partition, since dask has no minimum of dates."""
    part = part[part.l_shipdate >= date(1970, 1, 1)]
    cells = {
        "items": [len(part)],
        "quantity": [part.l_quantity.sum()],
        "price": [part.l_extendedprice.sum()],
        "first": [part.l_shipdate.min()],
        "last": [part.l_receiptdate.max()],
    }
    return pd.DataFrame(cells)


def rare(path: str) -> list[Any]:
    """Hardly any row, ordered and cut."""
    wanted = [("l_quantity", "==", 50), ("l_discount", "==", 0.10), ("l_tax", ">=", 0.07), ("l_linenumber", ">=", 5)]
    frame = read(path, "shipmode", "returnflag", "extendedprice", "discount", filters=wanted)
    frame = frame.assign(paid=frame.l_extendedprice * (1 - frame.l_discount))
    found = frame.groupby(["l_shipmode", "l_returnflag"]).agg(items=("paid", "count"), revenue=("paid", "sum"))
    top = found.compute().reset_index().nlargest(5, "revenue")
    return [list(row) for row in top.itertuples(index=False)]
