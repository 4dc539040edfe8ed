"""Polars: a frame in memory, asked lazily. Usage: with_polars.py q1|q6 THREADS [--runs N].

Decimals are stored as Float64: products of Polars' decimals keep two digits, which gives other sums.
"""

import os
from datetime import date

from hot import COLUMNS, DECIMALS, TABLE, TEXTS, Rows, asked, measure, region

wanted = asked()
os.environ["POLARS_MAX_THREADS"] = str(wanted.threads)  # read once, at the import
import polars as pl  # noqa: E402

with region("load"):
    lineitem = pl.scan_parquet(TABLE).select(COLUMNS).cast(dict.fromkeys(DECIMALS, pl.Float64)).collect()

price, discount, shipped = pl.col("l_extendedprice"), pl.col("l_discount"), pl.col("l_shipdate")
discounted = price * (1 - discount)


def q1() -> Rows:
    """Return prices by flag and status."""
    sums = {
        "sum_qty": pl.sum("l_quantity"),
        "sum_base_price": price.sum(),
        "sum_disc_price": discounted.sum(),
        "sum_charge": (discounted * (1 + pl.col("l_tax"))).sum(),
        "avg_qty": pl.mean("l_quantity"),
        "avg_price": price.mean(),
        "avg_disc": discount.mean(),
        "count_order": pl.len(),
    }
    delivered = lineitem.lazy().filter(shipped <= date(1998, 9, 2))
    return delivered.group_by(TEXTS).agg(**sums).sort(TEXTS).collect().rows()


def q6() -> Rows:
    """Return the revenue of small orders with a discount."""
    year = (shipped >= date(1994, 1, 1)) & (shipped < date(1995, 1, 1))
    few = lineitem.lazy().filter(year & discount.is_between(0.05, 0.07) & (pl.col("l_quantity") < 24))
    return few.select((price * discount).sum()).collect().rows()


measure(wanted, {"q1": q1, "q6": q6}[wanted.query])
