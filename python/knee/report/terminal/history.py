"""Speedups over time in the terminal: a table for each series and thread count, then what changed last."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from knee.explain.comparison.history import History, Past
from knee.terminal.console import Console, Text


def show(history: History) -> None:
    """Print the history, at most as wide as the terminal."""
    console = Console()
    for name, points in history.lines.items():
        console.print(Text(name))
        console.table(_table(points))
    if sum(one.change != "first" for one in history.points) > 1:
        console.print(Text("Changes allow for how many there are (Holm); intervals are for single speedups."))
    for note in history.notes:
        console.print(Text(f"{note}."))
    spread = f"{100 * history.session_spread:g} %"
    console.print(Text(f"Changes allow for a difference of {spread} between sessions (--session-spread)."))
    console.print(Text(history.sentence, style="bold"))


def _table(points: Sequence[Past]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("date", no_wrap=True)
    table.add_column("study", overflow="fold")
    for name in ("base s", "speedup", "90 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for one in points:
        ends = one.interval
        table.add_row(
            one.date[:10],
            one.study,
            f"{one.base_s:.4g}",
            f"{one.speedup:.2f}",
            "-" if ends.low != ends.low else f"{ends.low:.2f}-{ends.high:.2f}",
            "-" if one.change == "first" else one.change,
        )
    return table
