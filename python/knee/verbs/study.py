"""``knee study``: plan, measure, report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from knee.store import Contents, Folder, StudyError, runs
from knee.study import planning
from knee.study.options.command_line import Grouped, study_options, study_spec_of
from knee.study.run import execute, progress
from knee.verbs import EXIT_STOPPED, say


@click.command(cls=Grouped, context_settings={"allow_interspersed_args": False})
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study.  [default: knee-studies/NAME]")
@click.option("--resume", type=click.Path(path_type=Path, readable=False), help="Go on with the study in this folder.")
@click.option("--report/--no-report", default=True, help="Write report.html at the end.")
def study(out: Path | None, resume: Path | None, report: bool, **asked: Any) -> int:
    """Make the runs in a random order, keep them in a folder, and write a report.

    \b
    knee study [OPTIONS] -- COMMAND...          {threads} becomes the count
    knee study [OPTIONS] WORKLOAD [ARGUMENTS]   see `knee workloads`
    knee study [OPTIONS] FILE.toml
    knee study --resume FOLDER
    """  # noqa: D301 -- click looks for the character itself
    if resume is not None:
        # 0 is asked for, and equal to False.
        if out is not None or any(value not in (None, ()) and value is not False for value in asked.values()):
            raise StudyError("--resume goes on with a study as it was planned: it takes no words and no other options")
        # All of it, before anything is locked, set up, cut or written.
        folder = Contents.read(resume).folder
    else:
        folder = planning.planned(study_spec_of(asked), out)
    return _measure(folder, report)


def _measure(folder: Folder, report: bool) -> int:
    try:
        with progress.shown(folder.read_plan(), len(execute.remaining(folder))) as tell:
            execute.run(folder, tell, _rule(folder))
    except (execute.Stopped, KeyboardInterrupt):
        left, total = len(execute.remaining(folder)), len(folder.read_plan())
        say(f"stopped: {total - left} of {total} runs are kept", f"knee study --resume {shlex.quote(str(folder.path))}")
        return EXIT_STOPPED
    from knee.verbs.report import conclude

    return conclude(folder, ["json", *(["html"] if report else [])])


def _rule(folder: Folder) -> execute.Enough:
    """Return the study's stopping rule. What it needs is imported between two blocks, when nothing is measured."""
    declared = folder.read_study_spec().get("design", {})
    if "width" not in declared and "budget_s" not in declared:
        return lambda: None

    def enough() -> str | None:
        from knee.explain import stopping

        return stopping.enough(runs(folder), declared)

    return enough
