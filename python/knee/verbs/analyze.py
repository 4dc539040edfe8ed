"""``knee analyze``: the factorial analysis of a study."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from knee.store import Contents, StudyError


def _percent(_context: click.Context, _option: click.Parameter, text: str) -> float:
    """Read ``5%`` or ``0.05``."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise click.BadParameter(f"{text!r} is no share like 5% or 0.05")
    return value


@click.command(context_settings={"max_content_width": 80})
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
    callback=_percent,
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
def analyze(folder: Path, factors: str | None, as_json: bool, **asked: Any) -> int:
    """Say which factors make a study's times what they are, by how much, and how sure that is.

    For instance `knee analyze STUDY --response cpu --contrast runtime=near-runtime=random`.
    """
    study = Contents.read(folder)
    # Only now are numpy and its kin imported: help and errors of the folder do not wait for them.
    from knee.explain import factorial
    from knee.explain.factorial_design import Asked
    from knee.report import factorial_terminal

    chosen = tuple(name.strip() for name in factors.split(",")) if factors else ()
    if not study.runs:
        raise StudyError(f"nothing to analyze: {folder}: it has no records", hint=f"knee study --resume {folder}")
    found = factorial.analyze(study.runs, Asked(factors=chosen, **asked))
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=1, allow_nan=False))
    else:
        factorial_terminal.show(study.name, found)
    return 0
