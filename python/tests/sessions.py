"""What tests of Spark share: sessions, and how answers compare with those of Spark itself."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

import knee.cluster

MASTER = "local-cluster[2,1,1024]"
"""Two executors on this machine, with a core and 1024 MB each."""

HOME = Path(pyspark.__file__).parent

REFUSE = """import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("knee", "numpy", "pandas", "pyarrow"):
            raise ImportError(f"{name} is not installed here")
sys.meta_path.insert(0, Refuse())
"""
"""A module of the interpreter's start, with which it has neither knee nor any package that this needs."""

QUIET = {"spark.ui.enabled": "false", "spark.log.level": "OFF"}


@contextmanager
def environment() -> Generator[pytest.MonkeyPatch]:
    """Set what Spark reads from the environment while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(HOME))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        yield patch


@contextmanager
def session(master: str, settings: dict[str, str] | None = None) -> Generator[SparkSession]:
    """Start a session, which ends with the block."""
    usual = {
        "spark.driver.memory": "1g",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    spark = SparkSession.builder.master(master).config(map=QUIET | usual | (settings or {})).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def frame_of(found: DataFrame | knee.cluster.Parts) -> DataFrame:
    """Return an answer as the frame that it is."""
    assert isinstance(found, DataFrame)
    return found


def own(spark: SparkSession, query: str, table: Path) -> DataFrame:
    """Return Spark's own answer."""
    spark.read.parquet(str(table)).createOrReplaceTempView("lineitem")
    return spark.sql(query)


def assert_same(found: DataFrame | knee.cluster.Parts, expected: DataFrame) -> None:
    """Assert that an answer has the schema and the rows of another one."""
    frame = frame_of(found)
    assert frame.schema == expected.schema
    assert [tuple(row) for row in frame.collect()] == [tuple(row) for row in expected.collect()]
