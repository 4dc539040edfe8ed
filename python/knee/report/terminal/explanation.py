"""An explanation in the terminal: the loss, its parts, the causes with their signs, and the checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich import box
from rich.padding import Padding
from rich.table import Table

from knee.explain.causes.cause import Finding
from knee.explain.evidence.means import Mean
from knee.explain.ledger.checks import Check
from knee.explain.ledger.explanation import Explanation
from knee.explain.ledger.ledger import BOUNDS
from knee.explain.ledger.placements import Placements
from knee.explain.ledger.predictions import predictions
from knee.explain.phases.phases import Phase
from knee.explain.scaling.series import Series
from knee.explain.tried import Tried
from knee.explain.verdict.why import UNSURE, advice, of_levels, share_of, speedup_without, without
from knee.stats.intervals import Interval
from knee.terminal.console import Console, Text


def to_json(one: Explanation, series: Series, tried: Sequence[Tried]) -> dict[str, Any]:
    """Return an explanation as plain data: also the speedup without each cause, and the remedies that were tried."""
    mine = _of(one, series, tried)
    return {
        **one.to_json(),
        "speedup_without": {
            finding.cause: asdict(would)
            for finding in one.findings
            if (would := speedup_without(finding, series)) is not None
        },
        "tried": [each.to_json() for each in mine],
        "predictions": [asdict(each) for each in predictions(one.findings, mine)],
    }


def _of(one: Explanation, series: Series, tried: Sequence[Tried]) -> list[Tried]:
    """Return the remedies that were tried on what an explanation is about."""
    return [each for each in of_levels(tried, series.levels) if each.tried_at(one.threads)]


def show(
    name: str,
    explained: Sequence[Explanation],
    series: Sequence[Series],
    tried: Sequence[Tried] = (),
    phases: Sequence[Phase] = (),
) -> None:
    """Print explanations, at most as wide as the terminal; then what remedies gained against what causes predict."""
    console = Console()
    by_name = {one.name: one for one in series}
    for number, one in enumerate(explained):
        if number:
            console.print()
        title = name if len(by_name) == 1 else f"{name}, {one.series}"
        console.print(Text(f"{title}: {headline(one)}", style="bold"))
        console.table(_parts(one))
        if one.factors:
            console.print(Text(f"CPU time over that of {one.ledger.base}: {_factors(one)}."))
        if own := [each for each in phases if (each.series, each.threads) == (one.series, one.threads)]:
            console.table(_phases(own, one.ledger.base))
        if one.placements:
            _placements(console, one.placements)
        for finding in one.findings:
            _finding(console, finding, one, by_name[one.series])
        if one.why:
            console.print(Text(f"No cause is named: {one.why}."))
        if one.left_out_said:
            console.print(Text(f"{one.left_out_said}."))
        for line in one.failed:
            console.print(Text(f"Not answered: {line}"))
        mine = _of(one, by_name[one.series], tried)
        for each in mine:
            console.print(Text(f"Tried: {_gain(each)}"))
        if (many := sum(each.rejected is None for each in mine)) > 1:
            console.print(Text(f"Answers allow for all {many} (Holm); intervals are for single remedies."))
        _checks(console, [*one.checks, *predictions(one.findings, mine)])


def _gain(tried: Tried) -> str:
    if tried.rejected is not None:
        return f"{tried.remedy}: rejected: {tried.rejected}"
    if np.isnan(tried.gain.estimate):
        return f"{tried.remedy}: no block has a good run with it and a good one without"
    return f"{tried.remedy}: {_ratio(tried.gain.estimate, tried.gain.interval)} as fast: {tried.answer}"


def _checks(console: Console, checks: Sequence[Check]) -> None:
    for check in checks:
        if check.ok is not None:
            console.print(Text(f"{check.answer}: {check.says}."))


def headline(one: Explanation) -> str:
    """Return the loss as a sentence: how much longer than with perfect scaling."""
    than = f"{one.threads} threads take {_times(one.ledger.loss)} as long as with perfect scaling"
    return than if one.ledger.base == 1 else f"{than} from {one.ledger.base} threads"


def _times(log: Mean) -> str:
    value, low, high = map(float, np.exp((log.value, log.interval.low, log.interval.high)))
    return _ratio(value, Interval(low, high))


def _ratio(value: float, ends: Interval) -> str:
    return f"{value:.2f}x (one run)" if np.isnan(ends.low) else f"{value:.2f}x [{ends.low:.2f}, {ends.high:.2f}]"


def _parts(one: Explanation) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("part of the loss", overflow="fold")
    table.add_column("ln", justify="right", no_wrap=True)
    table.add_column("90 % interval", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    book = one.ledger
    parts = sorted(((each.name, book.value(each.name)) for each in book.entries), key=lambda part: -abs(part[1].value))
    rows = [part for part in parts if abs(part[1].value) >= 0.0005]
    for name, mean in [*rows, ("= loss", book.loss), ("of these unexplained", one.unexplained)]:
        ends = "at most" if name in BOUNDS else _ends(mean)
        said = "" if name in BOUNDS or mean.interval.excludes(0) else "may be 0"
        table.add_row(name, f"{mean.value:+.3f}", ends, _share(mean, book.loss), said)
    return table


def _share(part: Mean, loss: Mean) -> str:
    """Return a part's share of the loss; of a loss that may be 0 there is none."""
    known = loss.value > 0 and not loss.interval.low <= 0 and part.value == part.value
    return f"{round(100 * part.value / loss.value)} %" if known else "-"


def _ends(mean: Mean) -> str:
    """Return an interval; of a part that a single run tells, there is none."""
    ends = mean.interval
    return "one run" if np.isnan(ends.low) else f"{ends.low:+.3f} to {ends.high:+.3f}"


def _factors(one: Explanation) -> str:
    """Return the factors of the CPU time that grew."""
    return " times ".join(f"{_times(mean)} by {name}" for name, mean in one.factors)


def _phases(phases: Sequence[Phase], base: int) -> Table:
    """Return a row for each phase: its share of the time, its speedup, and its part of the loss."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("phase", overflow="fold")
    for name in (f"% on {base}", f"% on {phases[0].threads}", "speedup", "interval", "ln"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in phases:
        ends = one.speedup.interval
        table.add_row(
            one.name,
            f"{100 * one.base_share.value:.0f}",
            f"{100 * one.share.value:.0f}",
            "-" if one.speedup.estimate != one.speedup.estimate else f"{one.speedup.estimate:.2f}x",
            "-" if ends.low != ends.low else f"{ends.low:.2f}-{ends.high:.2f}",
            "-" if one.part.value != one.part.value else f"{one.part.value:+.3f}",
            one.answer,
        )
    return table


def _placements(console: Console, placements: Placements) -> None:
    """Print what each factor of the placement costs, and which act on each other."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"{placements.threads} threads placed on", overflow="fold")
    for name in ("ln of time", "90 % interval", "in any order"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in placements.effects:
        table.add_row(
            one.factor,
            f"{one.share.value:+.3f}",
            _ends(one.share),
            f"{one.low_order:+.3f} to {one.high_order:+.3f}",
        )
    console.table(table)
    for line in placements.sentences:
        console.print(Text(f"{line[0].upper()}{line[1:]}."))


def _finding(console: Console, finding: Finding, one: Explanation, series: Series) -> None:
    names = " or ".join(finding.names) + (", not told apart here" if finding.left else "")
    console.print(Text(f"Why: {names}{share_of(finding, one)}", style="bold"))
    lines = [finding.says, *finding.signs]
    if finding.may_be_nothing:
        lines.append(UNSURE)
    if moves := advice(finding):
        lines.append(f"to move it: {moves}")
    if gain := without(finding, series):
        lines.append(f"without it, {gain}")
    lines.append(f"to {'decide' if finding.left else 'refute it'}: {finding.refute}")
    for line in filter(None, lines):
        console.print(Padding(Text(line), (0, 0, 0, 2), expand=False))
