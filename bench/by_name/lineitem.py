"""TPC-H's Q1 and Q6 in DuckDB over a made-up lineitem: right types and value ranges, not TPC-H's own rows.

Usage: python lineitem.py make ROWS TABLE      store the table
       python lineitem.py q1|q6 TABLE THREADS  ask it ten times, print the last answer
"""

import sys

import duckdb

TABLE = """CREATE TABLE lineitem AS SELECT
    (1 + hash(n) % 50)::DECIMAL(15,2) AS l_quantity,
    (900 + hash(n + 1) % 104000)::DECIMAL(15,2) AS l_extendedprice,
    (hash(n + 2) % 11 / 100.0)::DECIMAL(15,2) AS l_discount,
    (hash(n + 3) % 9 / 100.0)::DECIMAL(15,2) AS l_tax,
    substr('ANR', 1 + (hash(n + 4) % 3)::INTEGER, 1) AS l_returnflag,
    substr('FO', 1 + (hash(n + 5) % 2)::INTEGER, 1) AS l_linestatus,
    DATE '1992-01-02' + (hash(n + 6) % 2526)::INTEGER AS l_shipdate
FROM range(?) AS rows(n)"""

QUERIES = {
    "q1": """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
    sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
    avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
    FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL 90 DAY GROUP BY ALL ORDER BY ALL""",
    "q6": """SELECT sum(l_extendedprice * l_discount) FROM lineitem WHERE l_shipdate >= DATE '1994-01-01'
    AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
}

ROUNDS = 10


def main() -> None:
    """Make the table, or ask it."""
    if sys.argv[1] == "make":
        with duckdb.connect(sys.argv[3]) as base:
            base.execute(TABLE, [int(sys.argv[2])])
        return
    with duckdb.connect(sys.argv[2], read_only=True, config={"threads": int(sys.argv[3])}) as base:
        answers = [base.execute(QUERIES[sys.argv[1]]).fetchall() for _ in range(ROUNDS)]
    print(answers[-1])


if __name__ == "__main__":
    main()
