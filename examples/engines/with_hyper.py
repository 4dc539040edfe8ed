"""Hyper: a table of its own, which stays in memory, exact. Usage: with_hyper.py q1|q6 THREADS [--runs N].

No parameter changes how many threads Hyper uses for a query. It takes the cpus that it is allowed to use, so that
`knee run -n` or `taskset` sets their number, and THREADS has to agree.
"""

import os
import sys
import tempfile

from hot import COLUMNS, TABLE, asked, measure, region
from tableauhyperapi import Connection, CreateMode, HyperProcess, Telemetry, escape_string_literal

wanted = asked(elsewhere=True)
if (cpus := len(os.sched_getaffinity(0))) != wanted.threads:
    sys.exit(f"with_hyper.py: {wanted.threads} threads on {cpus} cpus: Hyper uses all cpus it may\n\n"
             f"hint: knee run -n {wanted.threads} -p cores-close -- …")  # fmt: skip

with (
    tempfile.TemporaryDirectory() as folder,
    HyperProcess(Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters={"log_config": ""}) as hyper,
    Connection(hyper.endpoint, f"{folder}/lineitem.hyper", CreateMode.CREATE) as base,
):
    with region("load"):
        source = f"external({escape_string_literal(str(TABLE))}, FORMAT => 'parquet')"
        base.execute_command(f"CREATE TABLE lineitem AS (SELECT {', '.join(COLUMNS)} FROM {source})")  # noqa: S608
    measure(wanted, lambda: base.execute_list_query(wanted.sql))
