"""A comparison in the terminal: a row for each cell, notes on both sides, the verdict."""

from __future__ import annotations

from rich import box
from rich.table import Table

from knee.explain.comparison.report import Report
from knee.terminal.console import Console, Text


def show(report: Report) -> None:
    """Print a comparison, at most as wide as the terminal."""
    console = Console()
    console.print(Text(f"A: {report.a}\nB: {report.b}"))
    console.table(_table(report))
    for letter, only in (("A", report.only_a), ("B", report.only_b)):
        if only:
            console.print(Text(f"Only in {letter}, so not compared: {'; '.join(only)}."))
    for note in report.notes:
        console.print(Text(f"{note[0].upper()}{note[1:]}."))
    console.print(Text(report.sentence, style="bold"))


def _table(report: Report) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("cell", overflow="fold")
    for name in ("A s", "B s", "B / A", "90 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for one in report.cells:
        ends = one.comparison.interval
        table.add_row(
            one.name,
            _number(one.a_s, "{:.4g}"),
            _number(one.b_s, "{:.4g}"),
            _number(one.comparison.estimate, "{:.3f}"),
            "-" if ends.low != ends.low else f"{ends.low:.3f}-{ends.high:.3f}",
            "no good run" if one.name in report.lost else one.verdict,
        )
    return table


def _number(value: float, form: str) -> str:
    return "-" if value != value else form.format(value)
