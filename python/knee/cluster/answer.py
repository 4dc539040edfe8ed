"""The answer to a query, with its types and every digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from importlib import import_module
from typing import Any, cast

from knee.store import StudyError

Value = int | Decimal | float | date | str | None


@dataclass(frozen=True)
class Column:
    """A column of an answer."""

    name: str
    type: str
    """``integer``, ``decimal``, ``date``, ``double`` or ``text``."""
    scale: int | None = None
    """Digits of a decimal after the point."""


@dataclass(frozen=True)
class Average:
    """The average of exact numbers."""

    sum: Decimal
    count: int
    rounded: Decimal
    """With four digits more than the numbers have."""

    def to_scale(self, scale: int) -> Decimal:
        """Return it with so many digits after the point, rounded half away from zero."""
        sign, digits, exponent = self.sum.as_tuple()
        over, under = 10**scale * int("".join(map(str, digits))), self.count * 10 ** -int(exponent)
        quotient, rest = divmod(over, under)
        whole = quotient + (2 * rest >= under)
        return Decimal((sign, tuple(map(int, str(whole))), -scale))


@dataclass(frozen=True, repr=False)
class Answer:
    """The rows of an answer, in order."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Value | Average, ...], ...]
    """Rows, with averages of exact numbers as sums and counts."""

    @classmethod
    def of(cls, merged: dict[str, Any]) -> Answer:
        """Return the answer that ``knee query --merge --json`` prints."""
        columns = tuple(Column(**column) for column in merged["columns"])
        readers = [READERS[column.type] for column in columns]
        rows = ((_cell(cell, read) for cell, read in zip(row, readers, strict=True)) for row in merged["rows"])
        return cls(columns, tuple(tuple(row) for row in rows))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def rows(self) -> list[tuple[Value, ...]]:
        """Rows of whole numbers, decimals, floats, dates and text; None where an aggregate is over no rows."""
        return [tuple(cell.rounded if isinstance(cell, Average) else cell for cell in row) for row in self.cells]

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame`` of these rows. Decimals stay exact, as objects."""
        pandas = import_module("pandas")
        return pandas.DataFrame(self.rows, columns=self.names)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        lines = [self.names, *([str(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)


def _cell(cell: Any, read: Callable[[str], Value]) -> Value | Average:
    if cell is None:
        return None
    if isinstance(cell, dict):
        average = cast("dict[str, Any]", cell)
        return Average(Decimal(average["sum"]), average["count"], Decimal(average["rounded"]))
    return read(cell)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        hint = "ask `knee query` for it, which prints any year"
        raise StudyError(f"{text} is a date that Python does not have (years 1 to 9999)", hint=hint) from None


READERS: dict[str, Callable[[str], Value]] = {
    "integer": int,
    "decimal": Decimal,
    "date": _date,
    "double": float,
    "text": str,
}
"""How the text of each type is read."""
