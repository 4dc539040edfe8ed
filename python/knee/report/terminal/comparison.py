"""A comparison in the terminal: a row for each cell, notes on both sides, the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table

from knee.explain.comparison.parts import LOSS, Losses
from knee.explain.comparison.report import Report
from knee.explain.ledger.rows import TINY
from knee.terminal.console import Console, Text

FEW = 3
"""Series whose losses are printed; the JSON has all of them."""


def show(report: Report) -> None:
    """Print a comparison, at most as wide as the terminal."""
    console = Console()
    console.print(Text(f"A: {report.a}\nB: {report.b}"))
    console.table(_table(report))
    for letter, only in (("A", report.only_a), ("B", report.only_b)):
        if only:
            console.print(Text(f"Only in {letter}, so not compared: {'; '.join(only)}."))
    if len(report.judged) > 1:
        console.print(
            Text(f"Verdicts allow for all {len(report.judged)} cells (Holm); intervals are for single cells.")
        )
    for note in report.notes:
        console.print(Text(f"{note[0].upper()}{note[1:]}."))
    for one in shown_losses(report.losses):
        console.table(_losses(one))
        console.print(Text(one.sentence))
    console.print(Text(report.sentence, style="bold"))


def shown_losses(losses: Sequence[Losses]) -> list[Losses]:
    """Return the losses that are printed: all of a few series, of many those in which a part has moved."""
    moved = [one for one in losses if any(part.answer in ("less", "more") for part in one.parts)]
    return list(losses) if len(losses) <= FEW else moved[:FEW]


def _losses(losses: Losses) -> Table:
    """Return a row for each part of the loss."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"loss, {losses.threads} threads", overflow="fold")
    for name in ("A ln", "B ln", "B - A", "90 % interval"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("in B", no_wrap=True)
    for part in losses.parts:
        if max(abs(part.a), abs(part.b)) < TINY:
            continue
        ends = "-" if part.low != part.low else f"{part.low:+.3f} to {part.high:+.3f}"
        name = f"= {part.name}" if part.name == LOSS else part.name
        table.add_row(name, f"{part.a:+.3f}", f"{part.b:+.3f}", f"{part.difference:+.3f}", ends, part.answer)
    return table


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
