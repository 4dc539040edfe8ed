"""The expressions of a query, as Spark has analysed it.

Each question to Java is a message to another process and back, and a query has a hundred expressions: Java is asked for
the operators of a whole tree at once, and for the type of those alone whose type matters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, cast


class Expression:
    """An expression, and what it is made of."""

    def __init__(self, operator: str, java: Callable[[], Any]) -> None:
        self.operator = operator
        self.children: list[Expression] = []
        self._java = java

    @cached_property
    def java(self) -> Any:
        """The expression in Java."""
        return self._java()

    @cached_property
    def type(self) -> str:
        """Its type, as Java names it."""
        return self.java.dataType().toString()

    @cached_property
    def decimal(self) -> tuple[int, int] | None:
        """How many digits it has, and how many of them after the point; None if it is no decimal."""
        kind = re.fullmatch(r"DecimalType\((\d+),(\d+)\)", self.type)
        return (int(kind[1]), int(kind[2])) if kind else None

    def __iter__(self) -> Iterator[Expression]:
        """Give it, and all below it."""
        yield self
        for child in self.children:
            yield from child


def expressions(plan: Any) -> Iterator[Expression]:
    """Give all expressions of a plan, with all that they are made of."""
    for node in below(plan):
        for java in each(node.expressions()):
            yield from _tree(java)


def _tree(java: Any) -> Expression:
    """Return an expression with all below it, of which Java lists each before its children."""
    listed = iter(cast("list[dict[str, Any]]", json.loads(java.toJSON())))

    def next_one(reach: Callable[[], Any]) -> Expression:
        one = next(listed)
        made = Expression(re.split(r"[.$]", one["class"].rstrip("$"))[-1], reach)
        for at in range(one["num-children"]):
            made.children.append(next_one(lambda at=at: made.java.children().apply(at)))
        return made

    return next_one(lambda: java)


def below(node: Any) -> Iterator[Any]:
    """Give an operator of a plan, and all below it."""
    yield node
    for child in each(node.children()):
        yield from below(child)


def each(things: Any) -> Iterator[Any]:
    """Give the members of a sequence of Scala."""
    return (things.apply(at) for at in range(things.size()))
