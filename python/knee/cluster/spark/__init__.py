"""Queries on a Spark cluster.

::

    from pyspark.sql import SparkSession
    import knee.cluster.spark

    spark = SparkSession.builder.getOrCreate()
    knee.cluster.spark.sql(spark, "select sum(l_tax) from lineitem", lineitem="/data/lineitem.parquet").show()
"""

from importlib.util import find_spec

if find_spec("pyspark") is None:
    raise ImportError('knee.cluster.spark needs pyspark: pip install "knee[spark]"')

from knee.cluster.spark.queries import sql

__all__ = ["sql"]
