"""``knee plan``: the runs of a study, without making them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from knee import terminal
from knee.store import StudyError
from knee.study import planning
from knee.study.checks.program import find_program
from knee.study.design.summary import UNKNOWN, summary
from knee.study.options.command_line import Grouped, study_options, study_spec_of
from knee.study.run.pilot import piloted, refuse_made

FORMS = ("[OPTIONS] -- COMMAND...", "[OPTIONS] WORKLOAD [ARGUMENTS]", "[OPTIONS] FILE.toml")


@click.command(name="plan", cls=Grouped, forms=FORMS, context_settings={"allow_interspersed_args": False})
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Make the study's folder and print its path.")
@click.option(
    "--slurm", "for_slurm", is_flag=True, help="With --out: add batch.sh, a script for sbatch that makes the runs."
)
@click.option("--pilot", is_flag=True, help="Make one run now, to estimate how long the study takes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines also to a terminal.")
def plan(out: Path | None, for_slurm: bool, pilot: bool, as_json: bool, **asked: Any) -> int:
    """Print how many runs there are, which levels they have, and how long they take.

    To a pipe or a file: one JSON line per run, in running order, with the summary on standard error.

    With --out, make the folder of the study. In it, on a machine without Python,
    `knee run --stdin --samples samples < plan.jsonl > records.jsonl` makes the runs, and `knee report` reads the
    folder afterwards. Called again, that command replaces what was measured; batch.sh of --slurm continues instead.
    Placements are those of the machine where the plan is made.
    """
    study_spec = study_spec_of(asked)
    if for_slurm and out is None:
        raise StudyError("--slurm adds a script to the folder of a study: there is no --out", hint="add --out FOLDER")
    if as_json and out is not None:
        raise StudyError(
            "--json has no effect beside --out: plan.jsonl in the folder has these lines", hint="leave it out"
        )
    if pilot:
        # Before the folder is made.
        refuse_made(study_spec)
        find_program(study_spec.program)
    folder = planning.planned(study_spec, out, for_slurm=for_slurm) if out is not None else None
    specs = folder.read_plan() if folder else planning.run_specs(study_spec)[1]
    said = summary(study_spec, specs, piloted(study_spec, specs) if pilot else UNKNOWN)
    if folder is not None:
        terminal.out_path(folder.path)
    elif sys.stdout.isatty() and not as_json:
        terminal.out(said)
        return 0
    else:
        terminal.out("\n".join(map(json.dumps, specs)))
    terminal.err(said)
    return 0
