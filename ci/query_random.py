"""Random queries on random small tables: `knee query` beside DuckDB.

    KNEE_BIN=target/release/knee PYTHON_WITH_DUCKDB ci/query_random.py [QUERIES] [SEED]

Each table is written as Parquet by DuckDB, in one of its compressions, and read by knee. Exact numbers must be the same
to the last digit; averages are compared with DuckDB's exact sum over its count, rounded half up, since its own AVG is a
double; doubles to nine digits. Where DuckDB overflows, knee may answer or refuse. DuckDB computes a condition only for
rows that others leave open, and knee for all, so it may also refuse where a part of the condition alone overflows.
Ends with 1 at the first difference and prints what repeats it.
"""

from __future__ import annotations

import csv
import io
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path

import duckdb

KNEE = os.environ["KNEE_BIN"]
WIDE = Context(prec=80, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Column:
    """A column: its type in DuckDB, how its values are written, and where they lie."""

    name: str
    kind: str
    scale: int
    low: int
    high: int
    """Bounds, in units of the last digit; for texts the number of different ones."""

    @property
    def numeric(self) -> bool:
        return self.kind.startswith(("DECIMAL", "INT", "BIGINT", "SMALLINT"))


def columns(draw: random.Random) -> list[Column]:
    wide = draw.choice([10**3, 10**6, 10**11])
    return [
        Column("i", draw.choice(["INTEGER", "BIGINT", "SMALLINT"]), 0, -5, draw.choice([5, 300, 30_000])),
        Column("p", "DECIMAL(15,2)", 2, draw.choice([0, 90_000, -wide]), draw.choice([100_000, 10_494_950])),
        Column("d", draw.choice(["DECIMAL(4,2)", "DECIMAL(15,2)"]), 2, 0, 10),
        Column("q", draw.choice(["DECIMAL(15,2)", "DECIMAL(30,2)"]), 2, 100, 5_000),
        Column("w", "DECIMAL(18,3)", 3, -wide * 1_000, wide * 1_000),
        Column("h", "BIGINT", 0, -(2**62), 2**62),
        Column("a", "DATE", 0, 8_000, 10_600),
        Column("b", "DATE", 0, 8_000, 10_600),
        Column("t", "VARCHAR", 0, 0, draw.choice([1, 3, 7, 40])),
        Column("x", "DOUBLE", 0, -1_000, 1_000),
    ]


def value(column: Column, draw: random.Random) -> str:
    """A value as DuckDB's own text; now and then an extreme one."""
    number = draw.choice([column.low, column.high]) if draw.random() < 0.1 else draw.randint(column.low, column.high)
    if column.kind == "DATE":
        return f"DATE '1970-01-01' + {number}"
    if column.kind == "VARCHAR":
        return f"'{'abcdefg'[number % 7]}{number:02}'"
    if column.kind == "DOUBLE":
        return f"{number / 8}::DOUBLE"
    return f"{Decimal(number).scaleb(-column.scale)}::{column.kind}"


def fill(base: duckdb.DuckDBPyConnection, table: list[Column], file: Path, draw: random.Random) -> None:
    rows = draw.choice([0, 1, 2, 50, 400])
    base.execute("DROP TABLE IF EXISTS t")
    base.execute(f"CREATE TABLE t ({', '.join(f'{column.name} {column.kind}' for column in table)})")
    for begin in range(0, rows, 50):
        lines = (
            "(" + ", ".join(value(column, draw) for column in table) + ")" for _ in range(begin, min(rows, begin + 50))
        )
        base.execute("INSERT INTO t VALUES " + ", ".join(lines))
    if rows and draw.random() < 0.5:
        # Several row groups and pages, and dictionaries that are given up.
        base.execute(f"INSERT INTO t SELECT t.* FROM t, range({draw.choice([3, 40, 200])})")
    compression = draw.choice(["snappy", "zstd", "gzip", "lz4_raw", "uncompressed"])
    group = draw.choice([2_048, 10_000, 122_880])
    base.execute(f"COPY t TO '{file}' (FORMAT parquet, COMPRESSION {compression}, ROW_GROUP_SIZE {group})")


def constant(column: Column, draw: random.Random) -> str:
    number = draw.randint(column.low - 1, column.high + 1)
    if column.kind == "DATE":
        return draw.choice([f"DATE '1970-01-01' + {number}", "DATE '1994-01-01'", "'1996-02-29'", moved(draw)])
    if column.kind == "VARCHAR":
        return draw.choice(["''", "'a00'", "'c02'", "'zz'"])
    digits = Decimal(number).scaleb(-column.scale)
    return draw.choice(
        [f"{digits:f}", f"{digits.quantize(Decimal(1)):f}", f"{digits:f}" + ("5" if column.scale else "")]
    )


def moved(draw: random.Random) -> str:
    """A date that intervals move, often from or to the end of a month."""
    day = draw.choice(["1992-02-29", "1993-12-31", "1995-01-31", "1996-08-30", "1997-03-01"])
    text = draw.choice([f"DATE '{day}'", f"CAST('{day}' AS DATE)", f"'{day}'::DATE"])
    for _ in range(draw.randint(1, 2)):
        count, unit = draw.randint(-14, 14), draw.choice(["day", "week", "month", "year"])
        interval = draw.choice([f"'{count} {unit}s'", f"'{count}' {unit}", f"{abs(count)} {unit}"])
        text = f"{text} {draw.choice('+-')} INTERVAL {interval}"
    return f"({text})" if draw.random() < 0.5 else text


def number(table: list[Column], draw: random.Random, depth: int = 2) -> str:
    """An expression of exact numbers."""
    if depth == 0 or draw.random() < 0.4:
        column = draw.choice([one for one in table if one.numeric and one.name != "h"])
        return column.name if draw.random() < 0.8 else draw.choice(["1", "2.5", "0.01", "100"])
    one, other = number(table, draw, depth - 1), number(table, draw, depth - 1)
    return f"({one} {draw.choice('+-**')} {other})"


def condition(table: list[Column], draw: random.Random, computed: list[str], depth: int = 2) -> str:
    """A condition; its parts on what is computed are added to a list."""
    if depth and draw.random() < 0.5:
        parts = [condition(table, draw, computed, depth - 1) for _ in range(draw.randint(1, 3))]
        joined = f" {draw.choice(['AND', 'AND', 'OR'])} ".join(f"({part})" for part in parts)
        return f"NOT ({joined})" if draw.random() < 0.2 else joined
    if draw.random() < 0.3:
        computed.append(of_numbers(table, draw))
        return computed[-1]
    column = draw.choice(table)
    against = constant(column, draw)
    inverted = draw.choice(["", "", "NOT "])
    match draw.randint(0, 4):
        case 0:
            return f"{column.name} {inverted}BETWEEN {against} AND {constant(column, draw)}"
        case 1:
            listed = ", ".join(constant(column, draw) for _ in range(draw.randint(1, 6)))
            return f"{column.name} {inverted}IN ({listed})"
        case 2:
            return draw.choice(["a < b", "b <= a", "a <> b", "p > w", "i = d", "q >= i", "x < p", "d <> x", "a = b"])
        case _:
            return f"{column.name} {draw.choice(['<', '<=', '>', '>=', '=', '<>'])} {against}"


def of_numbers(table: list[Column], draw: random.Random) -> str:
    """A condition on what is computed."""
    inverted = draw.choice(["", "", "NOT "])
    match draw.randint(0, 2):
        case 0:
            return f"{inverted}{number(table, draw)} {draw.choice(['<', '>=', '=', '<>'])} {number(table, draw)}"
        case 1:
            low, high = sorted(draw.randint(-300, 300_000) for _ in range(2))
            return f"{number(table, draw)} {inverted}BETWEEN {low / 8} AND {number(table, draw, 1)} + {high}"
        case _:
            column = draw.choice([one for one in table if one.numeric])
            against = constant(column, draw)
            return f"{inverted}-{column.name} {draw.choice(['<', '<=', '>', '>='])} - ({against})"


@dataclass(frozen=True)
class Query:
    """A query: for knee, and what to ask DuckDB so that exact averages can be computed."""

    sql: str
    asked: str
    averages: list[bool]
    computed: list[str]
    """Parts of its condition on what is computed."""


def query(table: list[Column], draw: random.Random) -> Query:
    keys = draw.choice([[], [], ["i"], ["d"], ["q"], ["a"], ["t"], ["d", "t"], ["t", "i"], ["q", "d"]])
    outputs, averages, ordered = [], [], []
    asked: list[str] = []
    for at, (output, own, exact) in enumerate([(key, key, False) for key in keys] + aggregates(table, draw)):
        alias = draw.choice(["", f" AS o{at}", f" o{at}", f' AS "O {at}"'])
        outputs.append(output + alias)
        asked.append(own if exact else output + alias)
        averages.append(exact)
        # DuckDB's averages and sums of doubles are rounded, so that others may come first there.
        if not exact and "x" not in output:
            ordered.append(alias.removeprefix(" AS").strip() or output)
    names, rest = ordered[: len(keys)], ordered[len(keys) :]
    computed: list[str] = []
    where = f" WHERE {condition(table, draw, computed)}" if draw.random() < 0.8 else ""
    named = enumerate(zip(keys, names, strict=True), 1)
    group = ", ".join(draw.choice([key, name, f"t.{key}", str(at)]) for at, (key, name) in named)
    group = f" GROUP BY {draw.choice([group, group, 'ALL'])}" if keys else ""
    # Behind all keys no two rows are left that may change places.
    first = draw.sample(rest, draw.randint(0, len(rest)))
    order = [*first, *draw.sample(names, len(names))]
    order = [one + draw.choice(["", " ASC", " DESC", " DESC NULLS FIRST", " NULLS LAST"]) for one in order]
    order = f" ORDER BY {', '.join(order)}" if keys else ""
    limit = f" LIMIT {draw.randint(0, 5)}" if draw.random() < 0.2 else ""
    rest = f" FROM t{where}{group}{order}{limit}"
    return Query(f"SELECT {', '.join(outputs)}{rest}", f"SELECT {', '.join(asked)}{rest}", averages, computed)


def aggregates(table: list[Column], draw: random.Random) -> list[tuple[str, str, bool]]:
    """Aggregates; what to ask DuckDB for each, and whether that is a sum and a count."""
    made: list[tuple[str, str, bool]] = []
    for _ in range(draw.randint(1, 4)):
        function = draw.choice(["sum", "sum", "avg", "min", "max", "count"])
        other = draw.choice(["a", "t", "x", "h"]) if function in ("min", "max") else draw.choice(["h", "x"])
        argument = number(table, draw) if draw.random() < 0.7 else other
        argument = "*" if function == "count" and draw.random() < 0.7 else argument
        exact = function == "avg" and argument != "x"
        output = f"{function}({argument})"
        made.append((output, f"sum({argument}), count(*)" if exact else output, exact))
    return made


def expected(rows: list[tuple[object, ...]], averages: list[bool]) -> list[list[object]]:
    answer: list[list[object]] = []
    for row in rows:
        cells, line = iter(row), []
        for average in averages:
            cell = next(cells)
            line.append(averaged(cell, next(cells)) if average else cell)
        answer.append(line)
    return answer


def averaged(total: object, count: object) -> Decimal | None:
    if total is None:
        return None
    total = Decimal(total) if isinstance(total, int) else total
    assert isinstance(total, Decimal)
    assert isinstance(count, int)
    scale = -int(total.as_tuple().exponent) + 4
    return WIDE.quantize(WIDE.divide(total, Decimal(count)), Decimal(1).scaleb(-scale))


def same(own: str, other: object) -> bool:
    if other is None:
        return own == ""
    if isinstance(other, float):
        return own != "" and abs(float(own) - other) <= 1e-9 * max(1.0, abs(other))
    if isinstance(other, Decimal):
        return own == f"{other:f}" or (own.lstrip("-").strip("0.") == "" and other == 0)
    return own == str(other)


def asked_knee(file: Path, sql: str, encoding: str, isa: str) -> subprocess.CompletedProcess[str]:
    words = [KNEE, "query", "sql", str(file), "--sql", sql, "--format", "csv", "--encoding", encoding, "--isa", isa]
    return subprocess.run([*words, "-n", "2"], capture_output=True, text=True, check=False)


def main() -> int:
    queries, seed = (int(word) for word in (sys.argv[1:] + ["5000", "1"][len(sys.argv) - 1 :])[:2])
    has = [isa for isa in ("portable", "avx2", "avx512") if " " + isa.replace("avx512", "avx512bw") in " " + flags()]
    has = ["portable", *[isa for isa in has if isa != "portable"]]
    draw = random.Random(seed)
    base = duckdb.connect(config={"threads": 1})
    counts = {"same": 0, "refused by both": 0, "only DuckDB overflows": 0, "with too many groups": 0}
    counts["refused since a part of the condition overflows"] = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "t.parquet"
        table: list[Column] = []
        for at in range(queries):
            if at % 20 == 0:
                table = columns(draw)
                fill(base, table, file, draw)
            asked = query(table, draw)
            ran = asked_knee(file, asked.sql, draw.choice(["plain", "narrow", "split"]), draw.choice(has))
            try:
                # Asked for no rows, DuckDB computes none, and would not see an overflow.
                if asked.asked.endswith(" LIMIT 0"):
                    base.execute(asked.asked.removesuffix(" LIMIT 0")).fetchall()
                rows = base.execute(asked.asked).fetchall()
            except duckdb.Error as error:
                if "verflow" not in str(error) and "Out of Range" not in str(error):
                    return failed(at, seed, asked.sql, f"DuckDB: {error}")
                if ran.returncode not in (0, 2):
                    return failed(at, seed, asked.sql, ran.stderr)
                counts["only DuckDB overflows" if ran.returncode == 0 else "refused by both"] += 1
                continue
            if ran.returncode == 2 and "GROUP BY" in ran.stderr and "groups" in ran.stderr:
                counts["with too many groups"] += 1
                continue
            if ran.returncode == 2 and "needs more than 128 bits" in ran.stderr and overflows(base, asked.computed):
                counts["refused since a part of the condition overflows"] += 1
                continue
            lines = [line or [""] for line in csv.reader(io.StringIO(ran.stdout))][1:]
            wanted = expected(rows, asked.averages)
            equal = len(lines) == len(wanted) and all(
                len(own) == len(other) and all(map(same, own, other)) for own, other in zip(lines, wanted, strict=True)
            )
            if ran.returncode != 0 or not equal:
                return failed(at, seed, asked.sql, f"{' '.join(ran.args)}\n{ran.stderr}{lines}\nnot {wanted}")
            counts["same"] += 1
    print(f"{queries} queries from seed {seed}: {', '.join(f'{count} {what}' for what, count in counts.items())}")
    return 0


def overflows(base: duckdb.DuckDBPyConnection, conditions: list[str]) -> bool:
    """Whether one of these conditions overflows in DuckDB where it is computed for all rows."""
    for one in conditions:
        try:
            base.execute(f"SELECT count(*) FROM t WHERE {one}").fetchall()
        except duckdb.Error as error:
            if "verflow" in str(error) or "Out of Range" in str(error):
                return True
    return False


def flags() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line for line in lines if line.startswith("flags")), "")


def failed(at: int, seed: int, sql: str, what: str) -> int:
    print(f"query {at} from seed {seed}: {sql}\n{what}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
