"""A factorial analysis in the terminal: tables of variation, effects and comparisons, then sentences that sum it up."""

from __future__ import annotations

from rich import box
from rich.table import Table as Drawn

from knee.explain.factorial.analysis import FactorialAnalysis
from knee.explain.verdict.words import counted
from knee.report.tables.conclusions import conclusions
from knee.report.tables.factorial import Table, head, parts
from knee.terminal.console import Console, Text

MOST = 24
"""Rows of a table; --json has all."""


def show(name: str, analysis: FactorialAnalysis) -> None:
    """Print the analysis, at most as wide as the terminal."""
    console = Console()
    console.print(Text("\n".join(head(name, analysis))))
    for part in parts(analysis):
        for table in part.tables:
            console.table(_drawn(table))
            if (more := len(table.rows) - MOST) > 0:
                console.print(Text(f"{counted(more, 'more row')}: --json."))
        if part.says:
            console.print(Text("\n".join(part.says)))
    console.print(Text("\n".join(["", *conclusions(analysis)]), style="bold"))


def _drawn(table: Table) -> Drawn:
    """Return the first rows of a table, for a terminal."""
    drawn = Drawn(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=table.title,
        title_justify="left",
        title_style="bold",
    )
    for number, name in enumerate(table.columns):
        words = number < table.words
        drawn.add_column(name, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    for row in table.rows[:MOST]:
        drawn.add_row(*row)
    return drawn
