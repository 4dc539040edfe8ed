"""The six queries of `knee query` in dask.dataframe, from a Parquet file with doubles for decimals.

Only the columns that a query needs are read, by Arrow's reader; texts and dates stay in Arrow's memory.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import dask
import dask.dataframe as dd


def rows(query: str, path: str) -> list[Any]:
    """Return a query's rows."""
    return globals()[query](path)


def read(path: str, *columns: str) -> Any:
    """Return columns of lineitem, by their names without `l_`."""
    return dd.read_parquet(path, columns=[f"l_{name}" for name in columns])


def listed(frame: Any, keys: list[str]) -> list[Any]:
    """Return groups as rows, ordered by their keys."""
    return [list(row) for row in frame.compute().reset_index().sort_values(keys).itertuples(index=False)]


def q1(path: str) -> list[Any]:
    """TPC-H's first."""
    keys = ["l_returnflag", "l_linestatus"]
    frame = read(path, "returnflag", "linestatus", "shipdate", "quantity", "extendedprice", "discount", "tax")
    frame = frame[frame.l_shipdate <= date(1998, 9, 2)]
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
    frame = read(path, "shipdate", "discount", "quantity", "extendedprice")
    wanted = (
        (frame.l_shipdate >= date(1994, 1, 1))
        & (frame.l_shipdate < date(1995, 1, 1))
        & frame.l_discount.between(0.05, 0.07)
        & (frame.l_quantity < 24)
    )
    frame = frame[wanted]
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
    frame = read(path, "shipmode", "shipdate", "commitdate", "receiptdate", "extendedprice")
    wanted = (
        (frame.l_commitdate < frame.l_receiptdate)
        & (frame.l_shipdate < frame.l_commitdate)
        & frame.l_shipmode.isin(["MAIL", "SHIP", "AIR"])
    )
    found = frame[wanted].groupby("l_shipmode").agg(items=("l_shipmode", "size"), price=("l_extendedprice", "sum"))
    return listed(found, ["l_shipmode"])


def all(path: str) -> list[Any]:  # noqa: A001 - the query's name
    """Sums and extremes of all rows."""
    frame = read(path, "shipdate", "receiptdate", "quantity", "extendedprice")
    frame = frame[frame.l_shipdate >= date(1970, 1, 1)]
    parts = (
        frame.l_quantity.count(),
        frame.l_quantity.sum(),
        frame.l_extendedprice.sum(),
        frame.l_shipdate.min(),
        frame.l_receiptdate.max(),
    )
    return [list(dask.compute(*parts))]


def rare(path: str) -> list[Any]:
    """Hardly any row, ordered and cut."""
    frame = read(path, "shipmode", "returnflag", "linenumber", "quantity", "extendedprice", "discount", "tax")
    wanted = (
        (frame.l_quantity == 50) & (frame.l_discount == 0.10) & (frame.l_tax >= 0.07) & (frame.l_linenumber >= 5)
    )
    frame = frame[wanted]
    frame = frame.assign(paid=frame.l_extendedprice * (1 - frame.l_discount))
    found = frame.groupby(["l_shipmode", "l_returnflag"]).agg(items=("paid", "count"), revenue=("paid", "sum"))
    top = found.compute().reset_index().nlargest(5, "revenue")
    return [list(row) for row in top.itertuples(index=False)]
