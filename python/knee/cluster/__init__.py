"""Queries and counts of patterns on a Dask or Spark cluster: descriptors travel, rows never.

``knee.cluster.spark.sql`` and ``knee.cluster.dask.query`` answer SQL over Parquet files; ``count`` and ``motifs`` count
patterns on either. The cluster gives each worker parts of the question, and a worker answers a part by a process of
the binary, which reads its rows itself. For other engines there are ``run_part`` and ``merge``.
"""

from knee.cluster.archive import archive
from knee.cluster.counts import count, motifs
from knee.cluster.local import run_part
from knee.cluster.parts import Parts, merge

__all__ = ["Parts", "archive", "count", "merge", "motifs", "run_part"]
