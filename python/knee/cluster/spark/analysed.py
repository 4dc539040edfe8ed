"""What Spark makes of a query, which decides the names and types of the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from knee.cluster.spark.tables import Table
from knee.store import StudyError

EXACT_SCALE = {
    "Add": max,
    "Subtract": max,
    "Multiply": lambda left, right: left + right,
}
"""Digits after the point of an exact result, by those of its operands."""


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
            Where the query reads other tables, and where Spark rounds on the way, so that the exact answer is not its.
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
        for left, operator, right, kind in _arithmetic(plan):
            if kind < EXACT_SCALE[operator](left, right):
                raise StudyError(
                    f"Spark rounds what {operator.lower()} gives to {kind} digits after the point, and knee does not",
                    hint="let Spark answer it, or cast to fewer digits where the data allows it",
                )
        return cls(StructType.fromJson(json.loads(found.schema().json())))


def _leaves(plan: Any) -> list[str]:
    """Return the columns of all tables that a plan reads, which Spark has numbered."""
    return [str(node.output()) for node in _below(plan) if node.children().size() == 0]


def _arithmetic(plan: Any) -> Iterator[tuple[int, str, int, int]]:
    """Give the scales of the operands of all arithmetic with decimals in a plan, the operator, and the result's."""
    for node in _below(plan):
        for expression in _each(node.expressions()):
            for one in _below(expression):
                operator = one.getClass().getSimpleName()
                if operator in EXACT_SCALE and (kind := _scale(one)) is not None:
                    left, right = (_scale(operand) for operand in _each(one.children()))
                    if left is not None and right is not None:
                        yield left, operator, right, kind


def _scale(expression: Any) -> int | None:
    kind = re.fullmatch(r"DecimalType\(\d+,(\d+)\)", expression.dataType().toString())
    return int(kind[1]) if kind else None


def _below(node: Any) -> Iterator[Any]:
    yield node
    for child in _each(node.children()):
        yield from _below(child)


def _each(things: Any) -> Iterator[Any]:
    """Give the members of a sequence of Scala."""
    return (things.apply(at) for at in range(things.size()))
