"""Prints tables and styled text with rich: escaped, and with all columns even on a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.console
import rich.text
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table

from knee.store import shown

FOLDED = 12
"""Least width of a column of names, in cells of the terminal; longer names are folded."""

WIDE = 10_000
"""A width at which every table fits, in cells of the terminal."""


class Text(rich.text.Text):
    """Styled text whose control characters are escaped before rich measures and folds it."""

    def __init__(self, words: str, style: str = "") -> None:
        super().__init__(shown(words), style=style)


class Console(rich.console.Console):
    """A console that prints names literally: it escapes control characters and does not interpret rich's markup."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> rich.text.Text:
        """Return a string, such as the cell of a table, as text with control characters escaped."""
        return super().render_str(shown(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Escape also what is neither a string nor our :class:`Text`; rich calls this for every part."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=shown(segment.text))

    def table(self, table: Table) -> None:
        """Print a table; if the terminal is too narrow for it, print each row as a list of its columns."""
        # rich would leave out the columns that do not fit.
        if least_width(self, table) <= self.width:
            self.print(table)
            return
        if table.title:
            self.print(Text(str(table.title), style="bold"))
        heads = [str(column.header) for column in table.columns]
        for row in zip(*(column.cells for column in table.columns), strict=True):
            lines = Table.grid(padding=(0, 2, 0, 0))
            lines.add_column(overflow="fold")
            lines.add_column(overflow="fold")
            for head, cell in zip(heads, row, strict=True):
                lines.add_row(head, cell)
            self.print(lines)
            self.print()


def least_width(console: rich.console.Console, table: Table) -> int:
    """Return the width of a table whose names are folded."""
    options = console.options.update(width=WIDE)

    def width(column: Column) -> int:
        return max(console.measure(cell, options=options).maximum for cell in (column.header, *column.cells))

    foldable = [width(column) for column in table.columns if not column.no_wrap]
    return console.measure(table, options=options).maximum - sum(max(0, one - FOLDED) for one in foldable)
