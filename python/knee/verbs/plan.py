"""``knee plan``: the runs that a study would make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from knee.store import StudyError
from knee.study import planning
from knee.study.design.plan import summary
from knee.study.options.command_line import Grouped, study_options, study_spec_of


@click.command(name="plan", cls=Grouped, context_settings={"allow_interspersed_args": False})
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Make the study's folder instead of printing the plan.")
@click.option(
    "--slurm", "for_slurm", is_flag=True, help="With --out: add batch.sh, a script for sbatch that makes the runs."
)
def plan(out: Path | None, for_slurm: bool, **asked: Any) -> int:
    """One JSON line for each run, in running order; how many there are, to stderr.

    With --out the folder of the study is made. Inside it, on a machine without Python,
    `knee run --stdin --samples samples < plan.jsonl > records.jsonl` makes the runs; `knee report` reads the folder
    afterwards. Placements are those of the machine where the plan is made.
    """
    if out is not None:
        click.echo(str(planning.planned(study_spec_of(asked), out, for_slurm=for_slurm).path))
        return 0
    if for_slurm:
        raise StudyError("--slurm adds a script to a study's folder: there is no --out")
    study_spec = study_spec_of(asked)
    specs = planning.run_specs(study_spec)[1]
    for spec in specs:
        click.echo(json.dumps(spec))
    click.echo(summary(study_spec, specs), err=True)
    return 0
