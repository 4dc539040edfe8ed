"""Speedups over time in the terminal: one row for each study, series and thread count, then what changed last."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knee.explain.comparison.history import History


def show(history: History) -> None:
    """Print the history, at most as wide as the terminal."""
    console, table = Console(), Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("date", "study", "series"):
        table.add_column(name, overflow="fold")
    for name in ("threads", "base s", "speedup", "90 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for one in history.points:
        ends = one.interval
        table.add_row(
            one.date[:10],
            one.study,
            one.series,
            str(one.threads),
            f"{one.base_s:.4g}",
            f"{one.speedup:.2f}",
            "-" if ends.low != ends.low else f"{ends.low:.2f}-{ends.high:.2f}",
            "-" if one.change == "first" else one.change,
        )
    console.print(table)
    for note in history.notes:
        console.print(Text(f"{note}."))
    spread = f"{100 * history.session_spread:g} %"
    console.print(Text(f"Changes allow for a difference of sessions of {spread} (--session-spread)."))
    console.print(Text(history.sentence, style="bold"))
