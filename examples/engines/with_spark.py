"""Spark in this machine alone (local[n]), a cached frame. Usage: with_spark.py q1|q6 THREADS [--runs N] [--kind K].

Needs Java 17. `--kind double` stores decimals as doubles, which Spark multiplies much faster.
"""

import os
import sys

from hot import COLUMNS, DECIMALS, TABLE, asked, measure, region
from pyspark.sql import SparkSession
from pyspark.sql.functions import col

wanted = asked(elsewhere=True)
os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}  # nothing leaves this machine
options = {
    "spark.driver.memory": "4g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": str(wanted.threads),  # 200 are for a cluster
}
builder = SparkSession.builder.master(f"local[{wanted.threads}]").appName("knee").config(map=options)
with builder.getOrCreate() as spark:
    with region("load"):
        lineitem = spark.read.parquet(str(TABLE)).select(*COLUMNS)
        if wanted.kind == "double":
            lineitem = lineitem.withColumns({name: col(name).cast("double") for name in DECIMALS})
        lineitem.cache().count()
        lineitem.createOrReplaceTempView("lineitem")
    measure(wanted, lambda: spark.sql(wanted.sql).collect())
