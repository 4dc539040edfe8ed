"""``knee try``: run the remedies that apply beside the program as it is, and say what each gained."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from knee import _binary, terminal
from knee.store import SCHEMA, Contents, Folder, StudyError, finite, is_trial, read_trials, runs
from knee.study.design.duration import words
from knee.study.design.trials import affordable, block_s, chosen
from knee.study.kinds.near import suggestion
from knee.study.kinds.text import seconds
from knee.study.options.command_line import Completed
from knee.study.remedies import all_remedies
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.situation import Situation, situation
from knee.study.run import execute, progress, trials
from knee.study.run.compiler import compiled
from knee.study.run.elsewhere import refuse_elsewhere
from knee.study.run.quiet import Waiting, say_load
from knee.study.run.same_program import find_programs
from knee.study.run.signals import Stopped
from knee.study.run.trust import TRY, check
from knee.verbs import EXIT_STOPPED, say

BLOCKS = 5
"""Runs of each remedy, unless another number is asked for."""


@click.command(name="try", cls=Completed)
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option("--list", "only_list", is_flag=True, help="List the remedies, and why some do not apply. Runs nothing.")
@click.option("--only", multiple=True, metavar="NAME", help="Try only this remedy. Repeatable.")
@click.option(
    "--blocks",
    type=click.IntRange(2, 1000),
    metavar="N",
    help="Runs of each remedy, one per block.  [default: 5]",
)
@click.option("--budget", metavar="TIME", help="Plan at most this much measuring: 90s, 10m, 2h.")
@click.option(
    "--at", "levels", multiple=True, metavar="FACTOR=LEVEL", help="Of several series, improve this one. Repeatable."
)
@click.option(
    "--wait-quiet",
    is_flag=False,
    flag_value="10m",
    metavar="[TIME]",
    help="Before each block, wait until other programs use less than 5 % of the cpus, at most TIME in total."
    "  [default: as in the study; without TIME: 10m]",
)
@click.option("--trust", is_flag=True, help="Run the commands of a study that you did not plan.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def try_(
    folder: Path,
    only_list: bool,
    only: tuple[str, ...],
    blocks: int | None,
    budget: str | None,
    levels: tuple[str, ...],
    wait_quiet: str | None,
    trust: bool,
    as_json: bool,
) -> int:
    """Run remedies on the program of a study: fewer threads, another allocator, other waiting, a larger heap, ...

    Remedies are tried at the largest thread count that has a cpu for each thread, beside runs of the program as it is,
    in blocks of random order, with the study's own check and commands. A remedy is rejected if a run fails, or prints
    something else where the study compares outputs. The runs are added to the study's folder; a try that was
    interrupted is continued first.

    Nothing is changed on the machine that does not end with a run. What needs root is listed with its command.

    Exit status: 0 done, 2 it is not possible, 130 it was stopped; knee try STUDY continues.

    \b
    Examples:
      knee try knee-studies/mine --list
      knee try knee-studies/mine
      knee try knee-studies/mine --only 'passive waiting' --blocks 10
      knee try knee-studies/mine --budget 10m
    """  # noqa: D301 -- click looks for the character itself
    limit_s = None if budget is None else seconds(budget, "--budget")
    wait_s = None if wait_quiet is None else seconds(wait_quiet, "--wait-quiet")
    study = Contents.read(folder).folder
    if only_list:
        given = {"--only": only, "--blocks": blocks, "--budget": budget, "--wait-quiet": wait_quiet, "--trust": trust}
        if option := next((option for option, value in given.items() if value), None):
            raise StudyError(f"{option} has no effect beside --list", hint="knee try STUDY --list")
        with TemporaryDirectory(prefix="knee-") as libraries:
            here = _situation(study, _levels(levels), Path(libraries))
            _print_list(here, _found(here), as_json=as_json)
        return 0
    unfinished = trials.unfinished(study)
    wanted_levels = _levels(levels) if unfinished is None else unfinished
    here = _situation(study, wanted_levels, study.path.absolute())
    found = _found(here)
    if unfinished is not None:
        others = {name for name, level in _levels(levels).items() if unfinished.get(name) != level}
        given = {"--only": only, "--at": others, "--blocks": blocks, "--budget": budget}
        if options := [option for option, value in given.items() if value]:
            hint = f"knee try {study.quoted} continues them"
            raise StudyError(f"{options[0]}: trials that were interrupted are left to run", hint=hint)
        check(study, trusted=trust, doing=TRY)
        find_programs(study, [here.as_is])
        if library := trials.lost_library(study):
            hint = "move the study back, or make a new one"
            raise StudyError(f"cannot continue the trials: {library} is gone, which they load", hint=hint)
        terminal.err("knee: continuing the trials that were interrupted")
    else:
        wanted = _fitting(study, here, _wanted(found, only), blocks or BLOCKS, limit_s)
        check(study, trusted=trust, doing=TRY)
        find_programs(study, [here.as_is])
        trials.add(study, here.as_is, wanted[0], wanted[1], here.machine["facts"])
    if not _run(study, wait_s or study.read_measure().get("wait_quiet_s")):
        return EXIT_STOPPED
    trials.note_after(study, _machine()["facts"])
    return _conclude(study, here, found, as_json=as_json)


def _levels(texts: Sequence[str]) -> dict[str, str]:
    parted = [text.partition("=") for text in texts]
    for name, equals, level in parted:
        if not (name and equals and level):
            raise StudyError(f"--at: {name + equals + level!r} is not FACTOR=LEVEL", hint="--at placement=cores-close")
    return {name: level for name, _, level in parted}


def _found(here: Situation) -> list[Remedy]:
    found = all_remedies(here)
    _refuse_doubles(found)
    return found


def _situation(study: Folder, levels: dict[str, str], libraries: Path) -> Situation:
    """Return what remedies may know; libraries that they compile are put into a folder."""
    machine = _machine()
    refuse_elsewhere(study, machine, TRY)
    plan, allowed = study.read_plan(), len(machine["allowed"]["cpus"])
    as_is, fewer = chosen(plan, study.read_study_spec(), allowed, levels)
    return situation(study, as_is, fewer, machine, os.environ, lambda source, name: compiled(source, libraries / name))


def _machine() -> dict[str, Any]:
    machine = _binary.ask("machine")
    _binary.hang_up()
    return machine


def _refuse_doubles(found: Sequence[Remedy]) -> None:
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise StudyError(f"two remedies are called {name!r}", hint="give the one in study.toml another name")


def _wanted(found: Sequence[Remedy], only: Sequence[str]) -> list[Remedy]:
    """Return the remedies to try.

    Raises
    ------
    StudyError
        When one that is asked for does not apply or does not exist, or when none applies.
    """
    known = {one.name: one for one in found}
    for name in only:
        if name not in known:
            hint = suggestion(name, known, "knee try STUDY --list names them")
            raise StudyError(f"--only: unknown remedy {name!r}", hint=hint)
        if not known[name].applies:
            raise StudyError(f"--only: {name}: {_reason(known[name])}", hint="knee try STUDY --list")
    wanted = [one for one in found if one.applies and (not only or one.name in only)]
    if not wanted:
        raise StudyError("no remedy applies here", hint="knee try STUDY --list says why; [[remedy]] in a study file")
    return wanted


def _reason(remedy: Remedy) -> str:
    return f"needs root: {remedy.root}" if remedy.root is not None else str(remedy.why_not)


def _fitting(
    study: Folder, here: Situation, wanted: list[Remedy], blocks: int, limit_s: float | None
) -> tuple[list[Remedy], int]:
    """Return the remedies and the number of blocks that fit into the time; say how long they take."""
    run_s = _run_s(study, here)
    chosen_ones = wanted
    if limit_s is not None:
        chosen_ones, blocks = affordable(_most_likely_first(study, wanted), here.as_is, run_s, limit_s, blocks)
    if not chosen_ones:
        few = f"--budget: {words(limit_s or 0)} is too little: one run takes {words(run_s)}"
        raise StudyError(few, hint="give a larger --budget, or one remedy with --only NAME")
    total_s = blocks * block_s(chosen_ones, here.as_is, run_s)
    many = len(chosen_ones)
    _say(f"{many} remed{'y' if many == 1 else 'ies'}, {blocks} blocks, about {words(total_s)}")
    if left := [one.name for one in wanted if one not in chosen_ones]:
        _say(f"too little time for: {', '.join(left)}")
    return chosen_ones, blocks


def _most_likely_first(study: Folder, wanted: list[Remedy]) -> list[Remedy]:
    """Return the remedies with those first that treat a cause that the study names, or leaves possible."""
    from knee.opened import Study

    findings = Study.read(study.path).analysis.findings
    causes = {cause for one in findings for cause in (one.cause, *one.left)}
    return sorted(wanted, key=lambda remedy: causes.isdisjoint(remedy.treats))


def _say(text: str) -> None:
    terminal.err(f"knee: {text}")


def _run_s(study: Folder, here: Situation) -> float:
    """Return the median time of the runs of the cell, with what is done around them left out."""
    own = [run for run in runs(study) if run.cell == here.as_is["cell"] and run.role == "measure"]
    times = sorted(run.record["wall_ns"] / 1e9 for run in own if run.bad is None)
    if not times:
        reason = next((run.bad for run in own if run.bad), "there is none")
        threads = here.as_is["threads"]
        hint = f"knee report {study.quoted} says which runs were rejected; --at threads=N takes another count"
        raise StudyError(f"cannot try remedies: no good run with {threads} threads: {reason}", hint=hint)
    return times[len(times) // 2]


def _run(study: Folder, wait_s: float | None) -> bool:
    """Make the trials, each block after a wait of ``wait_s`` seconds at most; return False if the user stopped them."""
    waiting = Waiting(study, wait_s) if wait_s is not None else None
    if waiting is None:
        say_load()
    left = execute.remaining(study)
    try:
        with progress.shown([spec for spec in study.read_plan() if is_trial(spec)], len(left)) as tell:
            execute.run(study, tell, before=waiting.before if waiting else None)
    except (Stopped, KeyboardInterrupt):
        done = len(left) - len(execute.remaining(study))
        say(f"stopped: {done} of {len(left)} runs are done", f"knee try {study.quoted} continues")
        return False
    return True


def _conclude(study: Folder, here: Situation, found: Sequence[Remedy], *, as_json: bool) -> int:
    """Print what each remedy gained; rebuild the reports that exist. numpy is imported only here."""
    from knee.opened import Study
    from knee.report.export import export, made
    from knee.report.terminal import tried as tried_terminal

    opened, noted = Study.read(study.path), read_trials(study)
    every = opened.analysis.tried
    # Trials that were interrupted may be those of another cell.
    mine = [one for one in every if one.cell == here.as_is["cell"]] or every
    for form in made(study.path):
        export(opened, form)
    if as_json:
        answer = {
            "schema": SCHEMA,
            "cell": here.as_is["cell"],
            "threads": here.as_is["threads"],
            "tried": [one.to_json() for one in mine],
            "not_tried": [_plain(one) for one in found if not one.applies],
            "facts_changed": [asdict(one) for one in noted.changed or ()],
        }
        terminal.out(json.dumps(finite(answer), indent=1, allow_nan=False))
    else:
        tried_terminal.show(opened.name, here.as_is["threads"], mine, noted.changed)
    return 0


def _plain(one: Remedy) -> dict[str, Any]:
    """Return what JSON says of a remedy: all but the changed run spec."""
    kept = ("name", "treats", "does", "why_not", "root", "note")
    return {name: value for name, value in asdict(one).items() if name in kept}


def _print_list(here: Situation, found: Sequence[Remedy], *, as_json: bool) -> None:
    if as_json:
        listed = [_plain(one) for one in found]
        terminal.out(json.dumps({"schema": SCHEMA, "threads": here.as_is["threads"], "remedies": listed}, indent=1))
        return
    from knee.report.terminal import tried as tried_terminal

    tried_terminal.show_list(
        here.as_is["threads"],
        [(one.name, one.does, one.note or "") for one in found if one.applies],
        [(one.name, str(one.why_not)) for one in found if one.why_not is not None],
        [(one.name, one.root) for one in found if one.root is not None and one.why_not is None],
    )
