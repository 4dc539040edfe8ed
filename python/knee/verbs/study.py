"""``knee study``: plan, measure, report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click

from knee.store import Contents, Folder, StudyError, all_runs, design_block, runs
from knee.study import planning
from knee.study.options.command_line import Grouped, study_options, study_spec_of, values_given
from knee.study.run import execute, progress
from knee.study.run.quiet import Waiting, say_load
from knee.study.run.repeat import repeat
from knee.verbs import EXIT_STOPPED, say

ON_RESUME = {"wait_quiet_s", "rerun_disturbed"}
"""Options that do not change what was planned, so that a study which goes on may be given them."""


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
    knee study --resume FOLDER [--wait-quiet [TIME]] [--rerun-disturbed]
    """  # noqa: D301 -- click looks for the character itself
    if resume is not None:
        given = values_given(asked)
        if out is not None or asked["words"] or not given.keys() <= ON_RESUME:
            message = "--resume goes on with a study as it was planned: it takes no words and no other options"
            raise StudyError(
                message, hint="only --wait-quiet and --rerun-disturbed, which change nothing that was planned"
            )
        # All of it, before anything is locked, set up, cut or written.
        folder = Contents.read(resume).folder
    else:
        given, folder = dict[str, Any](), planning.planned(study_spec_of(asked), out)
    return _measure(folder, report, folder.read_measure() | given)


def _measure(folder: Folder, report: bool, how: dict[str, Any]) -> int:
    waiting = Waiting(folder, how["wait_quiet_s"]) if "wait_quiet_s" in how else None
    before = waiting.before if waiting else None
    try:
        if waiting is None and execute.remaining(folder):
            say_load()
        _run(folder, before)
        # Each time it is asked for, no more than the design has blocks: a machine may stay busy.
        left = len({design_block(spec) for spec in folder.read_plan()})
        while how.get("rerun_disturbed") and (many := _repeat(folder, left, waiting)):
            left -= many
            _run(folder, before)
    except (execute.Stopped, KeyboardInterrupt):
        left, total = len(execute.remaining(folder)), len(folder.read_plan())
        say(f"stopped: {total - left} of {total} runs are kept", f"knee study --resume {shlex.quote(str(folder.path))}")
        return EXIT_STOPPED
    from knee.verbs.report import conclude

    return conclude(folder, ["json", *(["html"] if report else [])])


def _run(folder: Folder, before: execute.Before | None) -> None:
    with progress.shown(folder.read_plan(), len(execute.remaining(folder))) as tell:
        execute.run(folder, tell, _rule(folder), before)


def _repeat(folder: Folder, most: int, waiting: Waiting | None = None) -> int:
    """Plan to repeat the blocks that others disturbed, at most so many; returns how many will be.

    A run is disturbed by what others did while it ran, whatever it took and however it ended.
    """
    from knee.explain import stopping
    from knee.explain.disturbance import disturbance

    budget_s = folder.read_study_spec().get("design", {}).get("budget_s")
    if budget_s is not None and stopping.enough(all_runs(folder), {"budget_s": budget_s}):
        return 0
    timed = [run for run in runs(folder) if run.role != "counting" and not run.replaced]
    blocks = sorted({run.spec["block"] for run in timed if disturbance(run)})
    if not blocks:
        return 0
    if waiting and most:
        waiting.before(max(spec["block"] for spec in folder.read_plan()) + 1, "no block is repeated")
        most = 0 if waiting.over else most
    # Of a budget one block after the other is spent.
    many = repeat(folder, blocks, most if budget_s is None else min(1, most))
    said = f"{len(blocks)} of {len({run.spec['block'] for run in timed})} blocks were disturbed"
    what = f"repeating {'one' if many == 1 else many} of them" if many else "no more are repeated now"
    click.echo(f"knee: {said}: {what}", err=True)
    return many


def _rule(folder: Folder) -> execute.Enough:
    """Return the study's stopping rule. What it needs is imported between two blocks, when nothing is measured."""
    declared = folder.read_study_spec().get("design", {})
    if "width" not in declared and "budget_s" not in declared:
        return lambda: None

    def enough() -> str | None:
        from knee.explain import stopping

        return stopping.enough(runs(folder), declared)

    return enough
