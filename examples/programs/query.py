"""A query in DuckDB over a generated table: pairs of rows of one team with nearly the same key.

Usage: python query.py make ROWS.csv TABLE.duckdb   store the table
       python query.py TABLE.duckdb THREADS         print the answer
"""

import sys

import duckdb

TABLE = """CREATE TABLE sale AS
SELECT * FROM read_csv(?, header = false, columns = {'key': 'BIGINT', 'team': 'VARCHAR', 'amount': 'BIGINT'})"""

QUERY = """SELECT count(*), sum(abs(a.amount - b.amount))
FROM sale a JOIN sale b ON a.team = b.team AND a.key // 100000 = b.key // 100000 AND a.key < b.key"""


def main() -> None:
    """Make the table, or ask it."""
    if sys.argv[1] == "make":
        with duckdb.connect(sys.argv[3]) as base:
            base.execute(TABLE, [sys.argv[2]])
        return
    with duckdb.connect(sys.argv[1], read_only=True, config={"threads": int(sys.argv[2])}) as base:
        print(*base.execute(QUERY).fetchone())


if __name__ == "__main__":
    main()
