"""What Spark makes of a query, which decides the names and types of the answer, and whether knee's is the same."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from knee.cluster.spark.expressions import Expression, below, expressions
from knee.cluster.spark.tables import Table
from knee.store import StudyError

EXACT_SCALE = {
    "Add": max,
    "Subtract": max,
    "Multiply": lambda left, right: left + right,
}
"""Digits after the point of an exact result, by those of its operands."""

EXACT_DIGITS = 15
"""Decimals of so many digits are whole numbers below 2^53 over a power of ten, and so become the nearest double."""

OVERFLOWING = {*EXACT_SCALE, "UnaryMinus"}
"""Operators whose results do not fit in every case."""

TYPES = r"decimal\(\d+,\d+\)|double|float|byte|short|integer|long|date|string"
"""Types of answers that knee gives."""

FRONT = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*", re.DOTALL)
"""What may stand before a statement."""


@dataclass(frozen=True)
class Analysed:
    """A query as Spark understands it."""

    schema: StructType

    @classmethod
    def of(cls, spark: SparkSession, query: str, name: str, table: Table) -> Analysed:
        """Let Spark analyse a query over a table of this name, without running it.

        Raises
        ------
        StudyError
            Where the query reads other tables, and where an exact answer may not be Spark's: since Spark understands
            the text otherwise, rounds on the way, or lets numbers overflow.
        pyspark.errors.AnalysisException
            What Spark finds wrong.
        """
        # A session of its own, so that a view of this name in the user's session stays what it is.
        session = cast("Any", spark)._jsparkSession.cloneSession()
        jvm = cast("Any", spark.sparkContext)._jvm
        empty = session.createDataFrame(jvm.java.util.ArrayList(), cast("Any", table.frame)._jdf.schema())
        empty.createOrReplaceTempView(name)
        found = session.sql(query)
        plan = found.queryExecution().analyzed()
        if _leaves(plan) != _leaves(empty.queryExecution().analyzed()):
            raise StudyError(
                f"the query reads another table than {name}", hint="name the table as in FROM: sql(…, NAME=PATH)"
            )
        _check_text(query)
        if session.conf().get("spark.sql.caseSensitive") == "true":
            raise _otherwise("names differ by case: spark.sql.caseSensitive is true")
        columns = {column.lower() for column in table.frame.columns}
        for expression in expressions(plan):
            _check_name(expression, columns)
            _check_numbers(expression)
        schema = StructType.fromJson(json.loads(found.schema().json()))
        for field in schema.fields:
            if not re.fullmatch(TYPES, cast("str", field.jsonValue()["type"]) if _plain(field) else ""):
                raise _otherwise(f"{field.name} has the type {field.dataType.simpleString()}, which knee does not have")
        return cls(schema)


def is_query(text: str) -> bool:
    """Whether Spark only analyses a text: another statement is a command, which ``SparkSession.sql`` runs at once."""
    return FRONT.sub("", text, count=1)[:6].lower() == "select"


def _check_text(query: str) -> None:
    """Refuse text that Spark reads otherwise."""
    for sign, what in {'"': 'text in "', "\\": "a backslash", "''": "two quotes", "${": "${"}.items():
        if sign in query:
            raise _otherwise(f"{what} means something else there", hint="write names in backticks, and texts in '")


def _check_name(expression: Expression, columns: set[str]) -> None:
    """Refuse names that may be of an output or of a column, and those within columns."""
    if expression.operator == "GetStructField":
        raise _otherwise(f"{expression.java.sql()} lies within a column")
    if expression.operator == "Alias" and (name := expression.java.name()).lower() in columns:
        named = f"{name} is the name of a column and of something else"
        raise _otherwise(named, hint="give what the query returns another name")


def _check_numbers(expression: Expression) -> None:
    """Refuse arithmetic whose results Spark rounds, or lets overflow."""
    operator = expression.operator
    if operator == "Cast":
        _check_cast(expression)
    # An interval that is taken off a date has a minus of its own.
    days = any(one.operator == "ExtractANSIIntervalDays" for one in expression.children)
    if operator not in OVERFLOWING or days:
        return
    if expression.type in ("ByteType", "ShortType", "IntegerType", "LongType"):
        raise _otherwise(f"{expression.java.sql()} may be too large for its type there")
    decimals = [one.decimal for one in (expression, *expression.children)]
    if operator in EXACT_SCALE and None not in decimals:
        own, left, right = (scale for _, scale in cast("list[tuple[int, int]]", decimals))
        if own < EXACT_SCALE[operator](left, right):
            raise _otherwise(f"Spark rounds what {operator.lower()} gives to {own} digits after the point")


def _check_cast(expression: Expression) -> None:
    """Refuse a cast from one decimal type to another that loses digits, as before Spark compares two of them; and one
    to a double that is not exact, which is rounded once there, and twice here.
    """
    (child,) = expression.children
    if child.decimal is not None and child.decimal[0] > EXACT_DIGITS and expression.type == "DoubleType":
        raise _otherwise(f"it makes another double of {child.java.sql()}")
    if child.decimal is None or expression.decimal is None:
        return
    (digits, scale), (kept, after) = child.decimal, expression.decimal
    if after < scale or kept - after < digits - scale:
        raise _otherwise(f"Spark takes digits off {child.java.sql()}")


def _otherwise(why: str, hint: str = "let Spark answer it, or ask knee.cluster.dask.query") -> StudyError:
    return StudyError(f"knee may answer otherwise than Spark: {why}", hint=hint)


def _plain(field: Any) -> bool:
    """Whether the type of a field has a name alone, and compares text by its bytes."""
    collation = getattr(field.dataType, "collation", "UTF8_BINARY")
    return collation == "UTF8_BINARY" and isinstance(field.jsonValue()["type"], str)


def _leaves(plan: Any) -> list[str]:
    """Return the columns of all tables that a plan reads, which Spark has numbered."""
    return [str(node.output()) for node in below(plan) if node.children().size() == 0]
