"""``knee study``: plan, measure, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from knee import _binary, terminal
from knee.store import (
    Contents,
    Folder,
    Record,
    RunSpec,
    StudyError,
    all_runs,
    design_block,
    is_trial,
    runs,
)
from knee.study import planning
from knee.study.design.duration import WORTH
from knee.study.design.summary import twin_placements
from knee.study.options.command_line import Grouped, study_options, study_spec_of, values_given
from knee.study.run import execute, progress, trials
from knee.study.run.elsewhere import refuse_elsewhere
from knee.study.run.pilot import duration
from knee.study.run.quiet import Waiting, say_load, say_quota
from knee.study.run.repeat import repeat
from knee.study.run.same_program import find_programs, say_changed
from knee.study.run.signals import Stopped
from knee.study.run.trust import RESUME
from knee.study.run.trust import check as check_trust
from knee.verbs import EXIT_STOPPED, say
from knee.verbs.between import questions

ON_RESUME = {"wait_quiet_s", "rerun_disturbed"}
"""Options that a resumed study may be given: they do not change the plan."""


FORMS = (
    "[OPTIONS] -- COMMAND...",
    "[OPTIONS] WORKLOAD [ARGUMENTS]",
    "[OPTIONS] FILE.toml",
    "--resume FOLDER [--wait-quiet [TIME]] [--rerun-disturbed] [--trust]",
)


@click.command(cls=Grouped, forms=FORMS, context_settings={"allow_interspersed_args": False})
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study.  [default: knee-studies/NAME-DATE]")
@click.option("--resume", type=click.Path(path_type=Path, readable=False), help="Continue the study in this folder.")
@click.option("--trust", is_flag=True, help="With --resume: run the commands of a study that you did not plan.")
@click.option(
    "--pilot/--no-pilot",
    default=None,
    help="Make one run first, to estimate how long the study takes.  [default: with 3 blocks or more]",
)
@click.option("--report/--no-report", default=True, help="Write report.html at the end.  [default: --report]")
def study(out: Path | None, resume: Path | None, trust: bool, pilot: bool | None, report: bool, **asked: Any) -> int:
    """Make the runs in random order, keep them in a folder, write a report.

    In a command {threads} becomes the thread count and {cpus} the list of cpus. Options stand before the -- of a
    command, and before or after a workload or a study file.

    Exit status: 0 done, 1 some runs were rejected, 2 it is not possible, 130 it was stopped; --resume continues.
    """
    if resume is not None:
        given = values_given(asked)
        if out is not None or asked["words"] or pilot is True or not given.keys() <= ON_RESUME:
            message = "--resume continues a study as planned: no program and no other options can be given"
            raise StudyError(message, hint="only --wait-quiet, --rerun-disturbed and --trust go with --resume")
        # Read and check all of it before anything is changed.
        folder = Contents.read(resume).folder
        left = execute.remaining(folder)
        if left or (folder.read_measure() | given).get("rerun_disturbed"):
            check_trust(folder, trusted=trust)
            _check_libraries(folder)
            find_programs(folder, left)
            refuse_elsewhere(folder, _binary.ask("machine"), RESUME)
            _binary.hang_up()
            say_changed(folder)
    elif trust:
        raise StudyError("--trust goes with --resume", hint="a new study runs the commands that you give")
    else:
        given, folder = dict[str, Any](), planning.planned(study_spec_of(asked), out)
    piloted = None if resume or pilot is False else _tell_duration(folder, even_if_short=pilot is True)
    return _measure(folder, report, folder.read_measure() | given, piloted)


def _check_libraries(folder: Folder) -> None:
    """Refuse to go on where a library is gone that runs load which are left."""
    if (library := trials.lost_library(folder)) is not None:
        message = f"cannot resume: {folder.path}: {library} is gone, which some of its runs load"
        raise StudyError(message, hint="put it back; if the study was moved, move it back")


def _tell_duration(folder: Folder, *, even_if_short: bool) -> execute.Piloted | None:
    """Return the function that prints the duration after a pilot run; None for a study too short for a pilot run."""
    plan, design = folder.read_plan(), folder.read_study_spec().get("design", {})
    if not even_if_short and len({spec["block"] for spec in plan}) < WORTH:
        return None

    def tell(spec: RunSpec, record: Record, run_s: float) -> None:
        terminal.err(f"knee: duration: {duration(plan, design, spec, record, run_s)}")

    return tell


def _measure(folder: Folder, report: bool, how: dict[str, Any], piloted: execute.Piloted | None) -> int:
    waiting = Waiting(folder, how["wait_quiet_s"]) if "wait_quiet_s" in how else None
    before = waiting.before if waiting else None
    try:
        if execute.remaining(folder):
            say_quota(folder)
            for line in twin_placements(folder.read_plan()):
                terminal.err(f"knee: {line}")
        if waiting is None and execute.remaining(folder):
            say_load()
        _run(folder, before, piloted)
        # At most as many repeats as --blocks: a machine may stay busy.
        planned = len({design_block(spec) for spec in folder.read_plan() if not is_trial(spec)})
        left = min(planned, folder.read_study_spec().get("design", {}).get("blocks", planned))
        while how.get("rerun_disturbed") and (many := _repeat(folder, left, waiting)):
            left -= many
            _run(folder, before)
    except (Stopped, KeyboardInterrupt):
        left, total = len(execute.remaining(folder)), len(execute.due(folder))
        say(f"stopped: {total - left} of {total} runs are done", f"knee study --resume {folder.quoted}")
        return EXIT_STOPPED
    from knee.verbs.report import conclude

    return conclude(folder, ["json", *(["html"] if report else [])])


def _run(folder: Folder, before: execute.Before | None, piloted: execute.Piloted | None = None) -> None:
    with progress.shown(execute.due(folder), len(execute.remaining(folder))) as tell:
        execute.run(folder, tell, _rule(folder), before, piloted, questions.asks(folder))


def _repeat(folder: Folder, most: int, waiting: Waiting | None = None) -> int:
    """Plan repeats of at most ``most`` disturbed blocks; return how many were planned.

    Whether a run was disturbed depends on other programs only, never on its time or exit status.
    """
    from knee.explain import stopping
    from knee.explain.disturbance import disturbance

    budget_s = folder.read_study_spec().get("design", {}).get("budget_s")
    own = [run for run in all_runs(folder) if not is_trial(run.spec)]
    if budget_s is not None and stopping.enough(own, {"budget_s": budget_s}):
        return 0
    timed = [run for run in runs(folder) if run.role not in ("counting", "remedy") and not run.replaced]
    allowed = len(folder.read_machine()["allowed"]["cpus"])
    blocks = sorted({run.spec["block"] for run in timed if disturbance(run, allowed)})
    if not blocks:
        return 0
    if waiting and most:
        waiting.before(max(spec["block"] for spec in folder.read_plan()) + 1, "no block will be repeated now")
        most = 0 if waiting.over else most
    # With a budget, one block at a time.
    many = repeat(folder, blocks, most if budget_s is None else min(1, most))
    said = f"{len(blocks)} of {len({run.spec['block'] for run in timed})} blocks were disturbed"
    what = f"repeating {'one' if many == 1 else many} of them" if many else "no more will be repeated now"
    terminal.err(f"knee: {said}: {what}")
    return many


def _rule(folder: Folder) -> execute.Enough:
    """Return the study's stopping rule. It imports numpy between two blocks, when nothing is measured."""
    declared = folder.read_study_spec().get("design", {})
    if not {"width", "budget_s", "at_least_s"} & declared.keys():
        return lambda: None

    def enough() -> str | None:
        from knee.explain import stopping

        return stopping.enough(runs(folder), declared)

    return enough
