"""DuckDB: a table in its memory, exact. Usage: with_duckdb.py q1|q6 THREADS [--runs N]."""

import duckdb
from hot import COLUMNS, TABLE, asked, measure, region

wanted = asked()
base = duckdb.connect(config={"threads": wanted.threads})
with region("load"):
    base.execute(f"CREATE TABLE lineitem AS SELECT {', '.join(COLUMNS)} FROM read_parquet(?)", [str(TABLE)])  # noqa: S608
measure(wanted, lambda: base.execute(wanted.sql).fetchall())
