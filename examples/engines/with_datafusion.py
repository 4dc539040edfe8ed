"""DataFusion: batches in memory, exact. Usage: with_datafusion.py q1|q6 THREADS [--runs N]."""

from datafusion import SessionConfig, SessionContext
from hot import COLUMNS, TABLE, Rows, asked, measure, region

wanted = asked()
context = SessionContext(SessionConfig().with_target_partitions(wanted.threads))
with region("load"):
    parts = context.read_parquet(TABLE).select(*COLUMNS).collect_partitioned()
    context.register_record_batches("lineitem", parts)


def ask() -> Rows:
    """Return the rows of the answer."""
    batches = context.sql(wanted.sql).collect()
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


measure(wanted, ask)
