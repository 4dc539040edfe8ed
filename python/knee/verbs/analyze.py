"""``knee analyze``: which factors explain a result of a study."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from knee import terminal
from knee.store import Contents, StudyError
from knee.study.kinds.text import smallest_effect


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--response",
    metavar="NAME",
    help="What to explain: wall, cpu, speedup, work-inflation, a phase, a counter.  [default: what the study measures]",
)
@click.option("--factors", metavar="A,B", help="Factors in the model.  [default: all that vary]")
@click.option(
    "--order", type=click.IntRange(1), metavar="N", help="Most factors in one interaction.  [default: no limit]"
)
@click.option(
    "--block/--no-block", default=True, help="Include blocks in the model, or leave them out.  [default: --block]"
)
@click.option(
    "--transform",
    type=click.Choice(["auto", "none", "log", "sqrt", "inverse"]),
    default="auto",
    metavar="SCALE",
    help="Scale of the response: none, log, sqrt, inverse, or auto for the recommended one.  [default: auto]",
)
@click.option(
    "--smallest-effect",
    "smallest",
    default="5%",
    metavar="SHARE",
    help="Smallest difference between levels that matters.  [default: 5%]",
)
@click.option(
    "--contrast",
    "contrasts",
    multiple=True,
    metavar="A=a1-A=a2",
    help="Compare two levels, or two cells: A=a1,B=b1-A=a2,B=b1. Repeatable.",
)
@click.option(
    "--within",
    metavar="A",
    help="Also analyse each level of this factor alone.  [default: workload, input, or the factor that explains most]",
)
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def analyze(folder: Path, factors: str | None, smallest: str, as_json: bool, **asked: Any) -> int:
    """Print the share of the variation that each factor explains, and ratios of levels with their intervals.

    \b
    Examples:
      knee analyze knee-studies/mine
      knee analyze knee-studies/mine --response cpu --factors threads,runtime
      knee analyze knee-studies/mine --contrast runtime=near-runtime=random
    """  # noqa: D301 -- click looks for the character itself
    least = smallest_effect(smallest)
    study = Contents.read(folder)
    # Imported late: help, and errors about the folder, do not wait for numpy.
    from knee.explain.factorial import analysis as factorial
    from knee.explain.factorial.design import Asked
    from knee.report.terminal import factorial as factorial_terminal

    chosen = tuple(name.strip() for name in factors.split(",")) if factors else ()
    if not study.runs:
        hint = f"knee study --resume {shlex.quote(str(folder))}"
        raise StudyError(f"nothing to analyze: {folder}: it has no runs yet", hint=hint)
    options = Asked(factors=chosen, smallest=least, **asked)
    found = factorial.analyze(study.runs, options, len(study.machine["allowed"]["cpus"]))
    if as_json:
        terminal.out(json.dumps(found.to_json(), indent=1, allow_nan=False))
    else:
        factorial_terminal.show(study.name, found)
    return 0
