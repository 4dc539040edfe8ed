"""Which Parquet files a table of Spark is."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DateType

from knee.cluster.parts import Parts, plain
from knee.cluster.spark.footer import schema_of
from knee.store import StudyError

CHOOSING = (
    "pathglobfilter",
    "recursivefilelookup",
    "modifiedbefore",
    "modifiedafter",
    "ignorecorruptfiles",
    "datetimerebasemode",
)
"""Options of Spark's reader that choose among files, or change what is in them."""

REBASING = "spark.sql.parquet.datetimeRebaseModeInRead"
"""The setting that reads dates by another calendar, of files that do not say which one they have."""


@dataclass(frozen=True)
class Table:
    """Parquet files that Spark and knee read alike."""

    path: str
    frame: DataFrame
    """What Spark reads."""

    @classmethod
    def of(cls, spark: SparkSession, data: str | PathLike[str] | DataFrame) -> Table:
        """Return the table of a path or of a data frame.

        Raises
        ------
        StudyError
            Why knee cannot read what Spark reads.
        """
        if isinstance(data, DataFrame):
            table = cls(_path_of(data), data)
            if data.schema != _read(spark, table.path).schema:
                raise _refused("its schema is not that of its files")
        else:
            path = plain(os.fspath(data))
            if not Path(path).exists():
                raise StudyError(f"{path} is not there", hint="this machine and all workers have to see it")
            table = cls(path, _read(spark, path))
            _path_of(table.frame)
        if str(spark.conf.get(REBASING)).upper() == "LEGACY" and any(
            isinstance(one.dataType, DateType) for one in table.frame.schema
        ):
            raise _refused(f"{REBASING} is LEGACY, which moves dates of an old calendar")
        for field in table.frame.schema.fields:
            if getattr(field.dataType, "collation", "UTF8_BINARY") != "UTF8_BINARY":
                raise _refused(f"{field.name} does not compare text by its bytes")
        return table

    def check(self, parts: Parts) -> None:
        """Refuse parts of files that Spark does not read: a frame may know fewer, as one that was made earlier, and
        folders may have lists of what counts.

        Raises
        ------
        StudyError
            Which file it is.
        """
        own = {os.path.realpath(unquote(urlsplit(file).path)) for file in self.frame.inputFiles()}
        if gone := sorted(file for file in own if not Path(file).exists()):
            raise _refused(f"{gone[0]} is gone, which the frame reads")
        for line in parts.lines:
            for file in json.loads(line).get("files", ()):
                if os.path.realpath(file["path"]) not in own:
                    raise _refused(f"Spark does not read {Path(file['path']).name}, and knee would")


def _read(spark: SparkSession, path: str) -> DataFrame:
    schema = schema_of(spark, path)
    reader = spark.read if schema is None else spark.read.schema(schema)
    # Without "file:", Spark looks into the cluster's own file system.
    return reader.parquet("file:" + re.sub(r"([\\*?\[\]{}])", r"\\\1", path))


def _path_of(frame: DataFrame) -> str:
    """Return the one file or folder that a frame reads, if it does nothing else."""
    plan = cast("Any", frame)._jdf.queryExecution().analyzed()
    while class_of(plan) == "SubqueryAlias":
        plan = plan.child()
    if class_of(plan) != "LogicalRelation":
        raise _refused(f"its plan has the operator {class_of(plan)} above its files")
    relation = plan.relation()
    if class_of(relation) != "HadoopFsRelation" or class_of(relation.fileFormat()) != "ParquetFileFormat":
        raise _refused("it reads something else")
    roots = relation.location().rootPaths()
    if roots.size() != 1:
        raise _refused(f"it reads {roots.size()} paths")
    if relation.partitionSchema().length() > 0:
        raise _refused("some of its columns are in the names of folders, not in its files")
    options = relation.options()
    for name in CHOOSING:
        if options.contains(name):
            raise _refused(f"its option {name} changes what is read")
    root = roots.apply(0).toUri()
    path = plain(root.getPath() if root.getScheme() in (None, "file") else root.toString())
    if Path(path).is_dir():
        _same_files(frame)
    return path


def _same_files(frame: DataFrame) -> None:
    """Refuse a folder of which Spark reads files that knee leaves out."""
    for file in frame.inputFiles():
        name = Path(urlsplit(file).path)
        if name.suffix != ".parquet" or name.name.startswith((".", "_")):
            raise _refused(f"Spark reads {name.name}, too, and knee reads *.parquet that are not hidden")


def _refused(why: str) -> StudyError:
    return StudyError(
        f"this frame is not just a read of Parquet files: {why}",
        hint="put conditions and expressions into the query, and give the path of the files",
    )


def class_of(thing: Any) -> str:
    """Return the name of the class of what Java holds."""
    return thing.getClass().getSimpleName()
