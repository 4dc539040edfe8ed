"""The schema of Parquet files, as Spark reads it, without a job of the cluster.

Spark reads the schema of files in a job of one task, some 90 ms, before anything else can be analysed. The driver reads
the same footer with Spark's own functions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

MERGED = "spark.sql.parquet.mergeSchema"
"""Where it is set, Spark reads the footers of all files."""

SUMMARIES = ("_metadata", "_common_metadata")
"""Files with the schema of all others."""


def schema_of(spark: SparkSession, path: str) -> StructType | None:
    """Return the schema of a file, or of a folder of files; None where Spark has to find out by itself.

    That is where it would read several footers or names of folders, and where it cannot read the one.
    """
    if str(spark.conf.get(MERGED, "false")).lower() != "false":
        return None
    try:
        file = _first(Path(path))
        return None if file is None else _read(spark, file)
    except (Py4JError, TypeError, OSError):
        # A damaged or forbidden file, or a Spark whose functions are others: it says what is wrong, or reads it.
        return None


def _first(path: Path) -> Path | None:
    """Return the file whose footer Spark reads: the first by name; None where it would look further."""
    if path.is_file():
        return path
    files = sorted(one for one in path.iterdir() if not one.name.startswith((".", "_"))) if path.is_dir() else []
    plain = all(one.is_file() for one in files) and not any((path / name).exists() for name in SUMMARIES)
    return files[0] if files and plain else None


def _read(spark: SparkSession, file: Path) -> StructType:
    jvm, session = cast("Any", spark.sparkContext)._jvm, cast("Any", spark)._jsparkSession
    apache = jvm.org.apache
    parquet, of_spark = apache.parquet.hadoop, apache.spark.sql.execution.datasources.parquet
    state = session.sessionState()
    settings = state.newHadoopConf()
    place = apache.hadoop.fs.Path(jvm.java.io.File(str(file)).toURI())
    # To read what is known of hundreds of row groups would take tens of milliseconds.
    brief = apache.parquet.format.converter.ParquetMetadataConverter.SKIP_ROW_GROUPS
    options = apache.parquet.HadoopReadOptions.builder(settings).withMetadataFilter(brief).build()
    reader = parquet.ParquetFileReader.open(parquet.util.HadoopInputFile.fromPath(place, settings), options)
    try:
        footer = parquet.Footer(place, reader.getFooter())
    finally:
        reader.close()
    found = of_spark.ParquetFileFormat.readSchemaFromFooter(
        footer, of_spark.ParquetToSparkSchemaConverter(state.conf())
    )
    return StructType.fromJson(json.loads(found.json()))
