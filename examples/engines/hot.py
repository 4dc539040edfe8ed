"""What all engines share: the table, two queries of TPC-H, the measured part of a run, and the check of the answer.

A script loads the columns into its engine's own table, and hands a function that asks once to `measure`. That asks once
to warm up, then `runs` times inside the region `scan`, whose time is what a study compares.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER.parent / "build/engines"

# Engines live in environments without knee. Its regions need the standard library alone, so they are taken from here.
sys.path.append(str(FOLDER.parent.parent / "python"))

from knee.regions import listener, region  # noqa: E402

TABLE = BUILD / "lineitem.parquet"

TEXTS = ("l_returnflag", "l_linestatus")
DECIMALS = ("l_quantity", "l_extendedprice", "l_discount", "l_tax")
COLUMNS = (*TEXTS, *DECIMALS, "l_shipdate")
"""What the two queries read. Nothing else is loaded."""

# Dates and bounds are written as values: `0.06 - 0.01` is a float in ClickHouse, and then Q6 is silently wrong.
SQL = {
    "q1": """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
        sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
        sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, avg(l_quantity) AS avg_qty,
        avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
        FROM lineitem WHERE l_shipdate <= date '1998-09-02'
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "q6": """SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem
        WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01'
        AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
}

Value = str | int | float | Decimal
Rows = Sequence[Sequence[Value]]


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    query: str
    threads: int
    runs: int
    kind: str
    """How decimals are stored, where an engine offers both: `decimal` or `double`."""

    @property
    def sql(self) -> str:
        """The text of the query."""
        return SQL[self.query]


def asked(*, elsewhere: bool = False) -> Asked:
    """Read the command line. `elsewhere` says that a process below this one computes: regions then count it, too."""
    if elsewhere:
        listener.process_time_ns = tree_ns
    parser = argparse.ArgumentParser(description=f"{Path(sys.argv[0]).stem}: TPC-H Q1 or Q6, hot in memory")
    parser.add_argument("query", choices=list(SQL))
    parser.add_argument("threads", type=int)
    parser.add_argument("--runs", type=int, default=10, help="how often it is asked in the measured part [default: 10]")
    parser.add_argument(
        "--kind", choices=["decimal", "double"], default="decimal", help="Spark: how numbers are stored"
    )
    return Asked(**vars(parser.parse_args()))


def measure(asked: Asked, ask: Callable[[], Rows]) -> None:
    """Ask once to warm up, then `runs` times in the region, check each answer, and print the last."""
    answers = [ask()]
    with region("scan"):
        answers += [ask() for _ in range(asked.runs)]
    for answer in answers:
        if wrong := difference(asked.query, answer):
            sys.exit(f"{Path(sys.argv[0]).name}: wrong answer: {asked.query}: {wrong}")
    for row in answers[-1]:
        print(*row, sep=",")


def difference(query: str, answer: Rows) -> str | None:
    """Return the first difference between an answer and what knee answers; None where there is none."""
    with (BUILD / f"{query}.csv").open() as file:
        names, *expected = csv.reader(file)
    if len(answer) != len(expected):
        return f"{len(answer)} rows instead of {len(expected)}"
    for number, (row, right) in enumerate(zip(answer, expected, strict=True), 1):
        for name, value, wanted in zip(names, row, right, strict=True):
            if not same(name, value, wanted):
                return f"{name} in row {number} is {value} instead of {wanted}"
    return None


def same(name: str, value: Value, wanted: str) -> bool:
    """Whether a value is right: exact numbers to the last digit, doubles to 1e-9, averages to knee's six digits."""
    if name in TEXTS:
        return value == wanted
    right = Decimal(wanted)
    if name.startswith("avg"):
        near = Decimal("1e-6")
    else:
        near = abs(right) * Decimal("1e-9") if isinstance(value, float) else Decimal(0)
    return abs(Decimal(value) - right) <= near


def tree_ns() -> int:
    """Return the CPU time of this process and of all below it, in nanoseconds."""
    todo, total = [os.getpid()], 0
    while todo:
        process = todo.pop()
        with suppress(OSError):  # it has just ended
            # The clock of another process, as clock_getcpuclockid(3) names it.
            total += time.clock_gettime_ns(~process << 3 | 2)
            for children in Path(f"/proc/{process}/task").glob("*/children"):
                todo += map(int, children.read_text().split())
    return total
