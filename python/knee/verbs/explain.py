"""``knee explain``: where the time of a study's threads went, why, and what would move the knee."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from knee import terminal
from knee.store import Folder, StudyError, finite

if TYPE_CHECKING:
    from knee.opened import Study


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--threads", "-n", type=click.IntRange(2), metavar="N", help="Thread count.  [default: those asked about]"
)
@click.option(
    "--series", metavar="NAME", help="Series, as `knee report` names it.  [default: those asked about, else all]"
)
@click.option("--all", "every", is_flag=True, help="Every thread count.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def explain(folder: Path, threads: int | None, series: str | None, every: bool, as_json: bool) -> int:
    """Print why a study's program does not scale perfectly: the loss in parts that add up, and causes with their signs.

    Studies made with `knee study --explain` have runs that tell causes apart; others show where the time went.

    \b
    Examples:
      knee explain knee-studies/mine
      knee explain knee-studies/mine --threads 8
    """  # noqa: D301 -- click looks for the character itself
    # First, since imports take a second.
    Folder(folder).check()
    from knee.explain.ledger.choice import chosen
    from knee.opened import Study
    from knee.report.terminal import explanation

    opened = Study.read(folder)
    found = chosen(opened.analysis.ledgers, threads, series, every=every)
    if not found:
        counts = sorted({one.threads for ledgers in opened.analysis.ledgers.values() for one in ledgers})
        if not counts:
            raise _nothing(opened)
        names = ", ".join(opened.analysis.ledgers)
        asked = [f"series {series!r}"] * (series is not None) + [f"{threads} threads"] * (threads is not None)
        message = f"cannot explain: {folder}: it has no runs of {' with '.join(asked)} to explain"
        raise StudyError(message, hint=f"thread counts: {', '.join(map(str, counts))}; series: {names}")
    if as_json:
        by_name = {one.name: one for one in opened.analysis.series}
        told = [explanation.to_json(one, by_name[one.series], opened.analysis.tried) for one in found]
        terminal.out(json.dumps(finite(told), indent=1, allow_nan=False))
    else:
        phases = [one for known in opened.analysis.phases.values() for one in known]
        explanation.show(opened.name, found, opened.analysis.series, opened.analysis.tried, phases)
    return 0


def _nothing(opened: Study) -> StudyError:
    """Return why no thread count can be explained."""
    good = [run for run in opened.runs if run.bad is None]
    if good and all(run.cpu_s is None for run in good):
        said = "cannot explain a time that the program prints: its CPU time is not known"
        return StudyError(said, hint="mark that part of the program as a phase, and measure it: knee study --phase")
    return StudyError("nothing to explain: no two thread counts have good runs", hint="knee study --threads 1,2,4")
