"""A short report in Markdown, for a pull request: verdict, table, figure, conditions."""

from __future__ import annotations

import re

from knee import __version__
from knee.explain.analysis import Analysis
from knee.explain.verdict.form import Line
from knee.explain.verdict.words import counted
from knee.opened import Study
from knee.report.first_screen import first_screen
from knee.report.tables.facts import with_ends
from knee.stats.intervals import Interval
from knee.store import shown

SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&])")
"""Characters that Markdown, or HTML inside it, may read as its own."""

COMMAND = ": knee "
"""Begins the command at the end of a line."""

MOST_ROWS = 24
"""Rows of a table; a pull request is skimmed, and analysis.json has the rest."""


def markdown(study: Study, figure: str | None) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    study
        The study.
    figure
        Path of the picture of the speedup, relative to the file; None without a picture.
    """
    first, analysis = first_screen(study), study.analysis
    parts = [f"### {escaped(first.headline)}"]
    if first.warnings:
        parts.append("\n".join(f"> ⚠ {escaped(text)}  " for text in first.warnings))
    parts += [_list(first.lines), _table(analysis), _claims(analysis)]
    if figure:
        parts.append(f"![Speedup over threads]({figure})")
    about = [*first.about, Line("knee", __version__)]
    parts.append(f"<details><summary>Conditions</summary>\n\n{_list(about, code='command')}\n\n</details>")
    return shown("\n\n".join(part for part in parts if part) + "\n")


def _claims(analysis: Analysis) -> str:
    """Return the claims with their answers, folded: there may be many; nothing without any."""
    if not analysis.claims:
        return ""
    cells = [
        (one.answer, escaped(one.says), with_ends(one.value, one.interval, small=True), escaped(one.why))
        for one in analysis.claims
    ]
    rows = [f"| {' | '.join(row)} |" for row in cells]
    table = "\n".join(["| answer | claim | measured | why |", "|---|---|---|---|", *rows])
    return f"<details><summary>{counted(len(rows), 'claim')}</summary>\n\n{table}\n\n</details>"


def escaped(text: str) -> str:
    """Return text in one line, escaped for Markdown."""
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _list(lines: list[Line], code: str = "") -> str:
    shown = [(line.label, _code(line.text) if line.label == code else _with_command(line.text)) for line in lines]
    return "\n".join(f"- {label}: {text}" for label, text in shown)


def _with_command(text: str) -> str:
    """Return a line with the command at its end as code, so that it can be copied."""
    said, before, command = text.partition(COMMAND)
    return f"{escaped(said)}: {_code(f'knee {command}')}" if before else escaped(text)


def _code(text: str) -> str:
    """Return a code span, fenced by more backticks than it contains."""
    longest = max((len(found) for found in re.findall("`+", text)), default=0)
    fence, room = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{room}{' '.join(text.split())}{room}{fence}"


def _table(analysis: Analysis) -> str:
    """Return a row for each series and thread count; nothing if there is only one count."""
    rows = [
        f"| {escaped(one.name)} | {point.threads} | {point.mean_s:.4g} | {point.speedup.estimate:.2f} "
        f"| {_ends(point.speedup.interval)} | {100 * point.efficiency:.0f} % |"
        for one in analysis.series
        if len(one.curve.points) > 1
        for point in one.curve.points
    ]
    if not rows:
        return ""
    head = ["| series | threads | time, s | speedup | 90 % interval | efficiency |", "|---|--:|--:|--:|--:|--:|"]
    more = len(rows) - MOST_ROWS
    left = [f"\n{counted(more, 'more row')} {'is' if more == 1 else 'are'} in analysis.json."] if more > 0 else []
    return "\n".join([*head, *rows[:MOST_ROWS], *left])


def _ends(interval: Interval) -> str:
    return "–" if interval.low != interval.low else f"{interval.low:.2f} to {interval.high:.2f}"
