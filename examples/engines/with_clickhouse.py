"""ClickHouse in this process (chdb): its Memory engine, exact. Usage: with_clickhouse.py q1|q6 THREADS [--runs N]."""

import csv

from chdb.session import Session
from hot import COLUMNS, TABLE, Rows, asked, measure, region

wanted = asked()
base = Session()
with region("load"):
    columns = ", ".join(COLUMNS)
    base.query(f"CREATE TABLE lineitem ENGINE = Memory AS SELECT {columns} FROM file('{TABLE}', Parquet)")  # noqa: S608 - names of ours


def ask() -> Rows:
    """Return the rows of the answer, as text: so decimals keep their digits."""
    text = str(base.query(f"{wanted.sql} SETTINGS max_threads = {wanted.threads}", "CSV"))
    return list(csv.reader(text.splitlines()))


measure(wanted, ask)
