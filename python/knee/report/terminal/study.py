"""A study in the terminal: a table for each series, notes, then the verdict."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from rich import box
from rich.table import Table

from knee.explain.analysis import Analysis
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary, knee_words, law_words
from knee.explain.verdict.form import FOLDER, Verdict
from knee.explain.verdict.words import counted
from knee.report.tables.counters import sentence
from knee.report.tables.design import repeated_words
from knee.report.tables.facts import baseline_lines, times_as_long, with_ends
from knee.stats.intervals import Interval
from knee.terminal.console import Console, Text


def show(analysis: Analysis, folder: str) -> None:
    """Print the analysis, at most as wide as the terminal. ``folder`` is the study's, for commands to copy."""
    console = Console()
    for series in analysis.series:
        if len(series.curve.points) > 1:
            console.print(Text(series.name))
            console.table(_table(series))
            if len(series.fitting) < len(series.curve.points):
                console.print(Text(f"* more threads than the {counted(series.cpus, 'cpu')}: no part of the verdict\n"))
            _scaling(console, analysis.summaries[series.name])
    for line in (*baseline_lines(analysis), *_copies(analysis)):
        console.print(Text(line))
    if analysis.counters.asked:
        console.print(Text(sentence(analysis.counters)))
    if analysis.repeated:
        said = repeated_words(analysis.repeated)
        console.print(Text(f"{said[0].upper()}{said[1:]}."))
    for change in analysis.changed:
        console.print(Text(f"{change.sentence(analysis.made)}; such runs count, and the report marks them."))
    if analysis.drift.found:
        console.print(Text(f"Times drifted by {100 * (analysis.drift.change - 1):+.1f} % over the study."))
    for claim in analysis.claims:
        number = f" ({with_ends(claim.value, claim.interval, small=True)})" if claim.value == claim.value else ""
        console.print(Text(f"{claim.answer}: {claim.says}{number}"))
    _verdict(console, analysis.verdict, folder)


def _copies(analysis: Analysis) -> Iterator[str]:
    for series in analysis.series:
        for number, ratio in series.copies.items():
            if times := times_as_long(ratio):
                yield f"{series.name}: {number} one-thread copies side by side take {times} as long as one."


def _verdict(console: Console, verdict: Verdict, folder: str) -> None:
    """Print the headline, then its lines, wrapped with a hanging indent."""
    console.print(Text(verdict.headline, style="bold"))
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    for line in verdict.lines:
        lines.add_row(Text(f"  {line.label}"), Text(line.text.replace(FOLDER, shlex.quote(folder))))
    console.print(lines)


def _scaling(console: Console, summary: ScalingSummary) -> None:
    """Print law and knee if there are enough thread counts."""
    if summary.law.fits:
        console.print(Text(f"knee: {knee_words(summary)}"))
        console.print(Text(f"law: {law_words(summary)}\n"))


def _table(series: Series) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("threads", "time s", "speedup", "90 % interval", "efficiency", "cpus busy"):
        table.add_column(name, justify="right", no_wrap=True, min_width=8)
    for point in series.curve.points:
        table.add_row(
            f"{point.threads}" if point.threads <= series.cpus else f"{point.threads} *",
            f"{point.mean_s:.4g}",
            f"{point.speedup.estimate:.2f}",
            _ends(point.speedup.interval),
            f"{100 * point.efficiency:.0f} %",
            "-" if point.busy != point.busy else f"{point.busy:.2f}",
        )
    return table


def _ends(interval: Interval) -> str:
    return "-" if interval.low != interval.low else f"{interval.low:.2f}-{interval.high:.2f}"
