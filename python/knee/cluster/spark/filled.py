"""An exact answer as a data frame of Spark."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StructType,
)

from knee.cluster.answer import Answer, Average, Value
from knee.store import StudyError

BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


def filled(spark: SparkSession, answer: Answer, schema: StructType) -> DataFrame:
    """Return an answer with the names and types of a schema.

    Raises
    ------
    StudyError
        Where a value does not fit into its type.
    """
    if len(schema.fields) != len(answer.columns):
        raise StudyError(f"Spark's answer has {len(schema.fields)} columns, and knee's {len(answer.columns)}")
    rows = [
        tuple(_value(cell, field.dataType, field.name) for cell, field in zip(row, schema.fields, strict=True))
        for row in answer.cells
    ]
    if int(spark.version.partition(".")[0]) < 4:
        # It cannot make a frame from an Arrow table.
        return spark.createDataFrame(rows, schema)
    from pyspark.sql.pandas.types import to_arrow_schema

    arrow = to_arrow_schema(schema)
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(arrow.types)]
    return spark.createDataFrame(cast("Any", pa.Table.from_arrays(columns, schema=arrow)), schema)


def _value(cell: Value | Average, kind: DataType, name: str) -> Any:
    if cell is None:
        return None
    if isinstance(kind, DecimalType):
        return _decimal(cell, kind, name)
    if isinstance(kind, DoubleType | FloatType):
        # Spark adds doubles row by row, so that its last digits depend on their order.
        return float(cell.sum) / cell.count if isinstance(cell, Average) else float(cast("float", cell))
    if bits := cast("dict[type, int]", BITS).get(type(kind)):
        if not isinstance(cell, int) or not -(1 << bits - 1) <= cell < 1 << bits - 1:
            raise _does_not_fit(cell, kind, name)
        return cell
    if isinstance(cell, date | str):
        return cell
    raise _does_not_fit(cell, kind, name)


def _decimal(cell: Value | Average, kind: DecimalType, name: str) -> Decimal:
    if isinstance(cell, Average):
        exact = cell.to_scale(kind.scale)
    elif isinstance(cell, int | Decimal):
        sign, digits, exponent = Decimal(cell).as_tuple()
        more = kind.scale + int(exponent)
        if more < 0:
            raise _does_not_fit(cell, kind, name)
        exact = Decimal((sign, digits + (0,) * more, -kind.scale))
    else:
        raise _does_not_fit(cell, kind, name)
    if len(exact.as_tuple().digits) > kind.precision:
        raise _does_not_fit(cell, kind, name)
    return exact


def _does_not_fit(cell: Value | Average, kind: DataType, name: str) -> StudyError:
    value = cell.rounded if isinstance(cell, Average) else cell
    return StudyError(
        f"{name} is {value}, which Spark's type for it, {kind.simpleString()}, cannot hold",
        hint="ask knee query, or knee.cluster.dask.query, which keep every digit",
    )
