"""Random queries of the shapes of the six named ones, on a table with other names: no query is special.

    bench/query/shapes.py PARQUET [--queries 20] [--seed 1]

DuckDB (that of `examples/engines/build.sh`) copies lineitem with its columns renamed. Each shape gets random queries
with other columns of the same kind, other constants and one conjunct more. Each is asked three times, in turns with the
named one, on one thread; of the three ratios of their bytes per second the median counts. Printed is, for each shape,
the smallest, the median and the largest.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from beside import ENGINES, KNEE

TURNS = 3
NAMES = {
    "l_linenumber": "a",
    "l_quantity": "b",
    "l_extendedprice": "c",
    "l_discount": "d",
    "l_tax": "e",
    "l_returnflag": "f",
    "l_linestatus": "g",
    "l_shipdate": "h",
    "l_commitdate": "i",
    "l_receiptdate": "j",
    "l_shipinstruct": "k",
    "l_shipmode": "m",
}
COPY = f"""
import duckdb, sys
columns = {", ".join(f"{old} AS {new}" for old, new in NAMES.items())!r}
duckdb.sql(f"COPY (SELECT {{columns}} FROM '{{sys.argv[1]}}') TO '{{sys.argv[2]}}' (FORMAT parquet)")
"""


def day() -> str:
    """Return a date inside of the table's years."""
    return f"date '{random.randint(1993, 1997)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}'"


def conjunct(quantity: int = 40) -> str:
    """Return one condition more, which most rows fulfil; one on quantities allows this one."""
    return random.choice(
        [f"b <= {random.randint(quantity, 49)}", f"e >= 0.0{random.randint(1, 2)}", f"c > {random.randint(1000, 9000)}"]
    )


def q1() -> str:
    """Sums of products in few groups, nearly all rows."""
    keys = random.choice(["f, g", "g, f", "f", "g"])
    one, other = random.sample(["d", "e"], 2)
    k = random.randint(1, 3)
    return (
        f"select {keys}, sum(b), sum(c), sum(c * ({k} - {one})), sum(c * ({k} - {one}) * (1 + {other})), avg(b), "
        f"avg(c), avg({one}), count(*) from t where h <= date '1998-0{random.randint(1, 9)}-01' and {conjunct()} "
        f"group by {keys} order by {keys}"
    )


def q6() -> str:
    """One sum of few rows."""
    year, low = random.randint(1993, 1997), random.randint(2, 6)
    column, other = random.choice(["h", "i", "j"]), random.choice(["d", "e"])
    return (
        f"select sum(c * {other}) from t where {column} >= date '{year}-01-01' and {column} < date '{year + 1}-01-01' "
        f"and {other} between 0.0{low} and 0.0{low + 2} and b < {random.randint(20, 30)} and {conjunct()}"
    )


def modes() -> str:
    """Many groups, all rows."""
    keys = ", ".join(random.sample(["m", "k", "a"], 3))
    one, other = random.sample(["d", "e"], 2)
    return (
        f"select {keys}, sum(b), sum(c * ({random.randint(1, 2)} - {one})), avg({other}), count(*) from t "
        f"where {conjunct()} group by {keys} order by {keys}"
    )


def late() -> str:
    """Columns compared with columns, and texts."""
    modes = ", ".join(f"'{mode}'" for mode in random.sample(["MAIL", "SHIP", "AIR", "RAIL", "TRUCK", "FOB"], 3))
    first, second = random.choice([("h", "j"), ("i", "j")])
    return (
        f"select m, count(*), sum({random.choice('bc')}) from t where {first} < {second} and h < i and m in ({modes}) "
        f"and {conjunct()} group by m order by m"
    )


def everything() -> str:
    """Sums and extremes of all rows."""
    return (
        f"select count(*), sum(b), sum(c), min({random.choice('hij')}), max({random.choice('hij')}) from t "
        f"where h >= date '19{random.randint(70, 91)}-01-01' and c > {random.randint(1, 800)}"
    )


def rare() -> str:
    """Hardly any row, ordered and cut."""
    keys = random.choice(["m, f", "m, g", "k, f"])
    quantity = random.randint(40, 49)
    return (
        f"select {keys}, count(*) as items, sum(c * (1 - d)) as revenue from t where b = {quantity} "
        f"and d = 0.0{random.randint(1, 9)} and e >= 0.0{random.randint(6, 8)} and a >= {random.randint(4, 6)} "
        f"and {conjunct(quantity)} group by {keys} order by revenue desc limit 5"
    )


SHAPES: dict[str, Callable[[], str]] = {
    "q1": q1,
    "q6": q6,
    "modes": modes,
    "late": late,
    "all": everything,
    "rare": rare,
}


def rate(words: list[str]) -> float:
    """Return the bytes that a query reads per second, in GB/s: columns of its sums are not read where no row counts."""
    report: dict[str, Any] = json.loads(subprocess.check_output([KNEE, "query", *words, "--json", "--repeat", "20"]))
    scan = next(phase for phase in report["phases"] if phase["name"] == "scan")
    return sum(scan["counters"].values()) / scan["wall_ns"]


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    random.seed(asked.seed)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        renamed, cache = Path(folder) / "t.parquet", f"{folder}/cache"
        subprocess.run([ENGINES / "duckdb/bin/python", "-c", COPY, asked.file, renamed], check=True)
        how = ["--cache", cache, "-n", "1", "-p", "cores-close"]
        print(f"{'':8}{'smallest':>10}{'median':>10}{'largest':>10}   of the named query's bytes per second")
        for name, shape in SHAPES.items():
            found = []
            for _ in range(asked.queries):
                sql = shape()
                named, other = [name, str(asked.file), *how], ["sql", str(renamed), "--sql", sql, *how]
                found.append((statistics.median(rate(other) / rate(named) for _ in range(TURNS)), sql))
            shares = [share for share, _ in found]
            print(f"{name:8}{min(shares):>10.2f}{statistics.median(shares):>10.2f}{max(shares):>10.2f}")
            worst, sql = min(found)
            if worst < 0.8:
                print(f"{'':8}{worst:.2f}: {sql}", flush=True)


if __name__ == "__main__":
    main()
