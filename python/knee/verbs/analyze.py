"""``knee analyze``: the factorial analysis of a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from knee.store import Contents, StudyError
from knee.study.kinds.text import smallest_effect


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--response",
    metavar="NAME",
    help="wall, cpu, speedup, work-inflation, a phase or a counter.  [default: what the study measures]",
)
@click.option("--factors", metavar="A,B", help="Factors of the model.  [default: all that vary]")
@click.option("--order", type=click.IntRange(1), help="Most factors in an interaction.  [default: all]")
@click.option("--block/--no-block", default=True, help="Have blocks in the model.  [default: block]")
@click.option(
    "--transform",
    type=click.Choice(["auto", "none", "log", "sqrt", "inverse"]),
    default="auto",
    help="Scale of the model; auto takes the recommended one.  [default: auto]",
)
@click.option(
    "--smallest-effect",
    "smallest",
    default="5%",
    metavar="SHARE",
    help="Ratios of levels nearer to 1 than this do not matter.  [default: 5%]",
)
@click.option(
    "--contrast",
    "contrasts",
    multiple=True,
    metavar="A=a1-A=a2",
    help="Compare levels, or cells: A=a1,B=b1-A=a2,B=b1. May be repeated.",
)
@click.option(
    "--within",
    metavar="A",
    help="Also look inside each level of this factor.  [default: workload, else what explains most]",
)
@click.option("--json", "as_json", is_flag=True, help="Print every number as JSON.")
def analyze(folder: Path, factors: str | None, smallest: str, as_json: bool, **asked: Any) -> int:
    """Print effects, their shares of the variation, and contrasts, each with its interval.

    For instance `knee analyze STUDY --response cpu --contrast runtime=near-runtime=random`.
    """
    least = smallest_effect(smallest)
    study = Contents.read(folder)
    # Only now are numpy and its kin imported: help and errors of the folder do not wait for them.
    from knee.explain.factorial import analysis as factorial
    from knee.explain.factorial.design import Asked
    from knee.report.terminal import factorial as factorial_terminal

    chosen = tuple(name.strip() for name in factors.split(",")) if factors else ()
    if not study.runs:
        raise StudyError(f"nothing to analyze: {folder}: it has no records", hint=f"knee study --resume {folder}")
    found = factorial.analyze(study.runs, Asked(factors=chosen, smallest=least, **asked))
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=1, allow_nan=False))
    else:
        factorial_terminal.show(study.name, found)
    return 0
