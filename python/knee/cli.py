"""The Python verbs on the command line: ``study``, ``plan`` and ``report``, and those of ``verbs``."""

from __future__ import annotations

import json
import shlex
import shutil
import textwrap
from datetime import date
from pathlib import Path
from typing import Any

import click

from knee import __version__, _binary
from knee.store import Contents, Folder, RunSpec, StudyError, runs
from knee.study.checks import read_events
from knee.study.design import hold, plan
from knee.study.design.cells import cells_of, placements_of
from knee.study.options.command_line import Grouped, study_options, study_spec_of
from knee.study.run import execute, progress, slurm
from knee.study.run.create import create
from knee.study.spec import StudySpec
from knee.verbs.analyze import analyze
from knee.verbs.compare import compare
from knee.verbs.selftest import selftest

EXIT_GATE, EXIT_USAGE, EXIT_STOPPED = 1, 2, 130
WORDS = {"ignore_unknown_options": False, "allow_interspersed_args": False, "max_content_width": 80}


def main() -> int:
    """Run a verb; say an error in two lines; return the exit status."""
    try:
        return int(verbs.main(prog_name="knee", standalone_mode=False) or 0)
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        return _say(error.format_message(), f"`{context.command_path if context else 'knee'} --help` shows how")
    except StudyError as error:
        return _say(str(error), error.hint)
    except OSError as error:
        return _say(f"{error.filename or 'input or output'}: {error.strerror or error}", None)
    except (KeyboardInterrupt, click.Abort):
        return EXIT_STOPPED


def _say(message: str, hint: str | None) -> int:
    click.echo(f"knee: {message}", err=True)
    if hint:
        click.echo(f"\n{_lines(f'hint: {hint}')}", err=True)
    return EXIT_USAGE


def _lines(text: str) -> str:
    """Break what is a long list; a command in a hint stays whole, to be copied."""
    broken = textwrap.wrap(text, 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(broken) if len(text) > 150 else text


@click.group(no_args_is_help=True)
def verbs() -> None:
    """Find the knee of your speedup curve, know why it bends, move it."""


@verbs.command(cls=Grouped, context_settings=WORDS)
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study.  [default: knee-studies/NAME]")
@click.option("--resume", type=click.Path(path_type=Path, readable=False), help="Go on with the study in this folder.")
@click.option("--report/--no-report", default=True, help="Write report.html at the end.")
def study(out: Path | None, resume: Path | None, report: bool, **asked: Any) -> int:
    """Measure a program over thread counts and placements, and say where it bends.

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
        folder = _planned(out, asked)
    return _measure(folder, report)


def _planned(out: Path | None, asked: dict[str, Any], *, for_slurm: bool = False) -> Folder:
    study_spec = study_spec_of(asked)
    # What is built or set up first need not be there yet.
    if study_spec.build is None and study_spec.setup is None:
        for program in (study_spec.program, study_spec.baseline or {}):
            _find_program(program)
    machine, specs = _specs(study_spec)
    read_events(study_spec)
    batch = slurm.script(study_spec, specs) if for_slurm else None
    return create(
        out or _unused(study_spec.name), _asked(study_spec), json.dumps(machine, indent=1) + "\n", specs, batch
    )


def _asked(study_spec: StudySpec) -> str:
    """Return the study file, with the version of knee that plans it."""
    return f"knee = {json.dumps(__version__)}\n{study_spec.to_toml()}"


def _find_program(program: dict[str, Any]) -> None:
    """Find a program that is missing before a hundred runs do."""
    name = str(program.get("command", ["{"])[0])
    path = str(Path(program.get("directory", ".")) / name) if "/" in name else name
    if "{" not in name and shutil.which(path) is None:
        raise StudyError(
            f"cannot run {name}: no such program, or not executable", hint="give its path, or build it first"
        )


def _measure(folder: Folder, report: bool) -> int:
    try:
        with progress.shown(folder.read_plan(), len(execute.remaining(folder))) as tell:
            execute.run(folder, tell, _rule(folder))
    except (execute.Stopped, KeyboardInterrupt):
        left, total = len(execute.remaining(folder)), len(folder.read_plan())
        _say(
            f"stopped: {total - left} of {total} runs are kept", f"knee study --resume {shlex.quote(str(folder.path))}"
        )
        return EXIT_STOPPED
    return _conclude(folder, ["json", *(["html"] if report else [])])


def _rule(folder: Folder) -> execute.Enough:
    """Return the study's stopping rule. What it needs is imported between two blocks, when nothing is measured."""
    declared = folder.read_study_spec().get("design", {})
    if "width" not in declared and "budget_s" not in declared:
        return lambda: None

    def enough() -> str | None:
        from knee.explain import stopping

        return stopping.enough(runs(folder), declared)

    return enough


def _conclude(folder: Folder, forms: list[str], *, anonymise: bool = False) -> int:
    """Analyse and report. Only now, with all measuring over, are numpy and its kin imported."""
    from knee.opened import Study
    from knee.report.export import export
    from knee.report.terminal import study as terminal

    if anonymise:
        from knee.report.anonymous import anonymous

        folder.check()
        with anonymous(folder) as opened:
            files = [file for form in forms for file in export(opened, form, folder.path, "-anonymous")]
            terminal.show(opened.analysis)
    else:
        opened = Study.read(folder.path)
        files = [file for form in forms for file in export(opened, form)]
        terminal.show(opened.analysis)
    for file in files:
        click.echo(str(file))
    return EXIT_GATE if opened.analysis.bad and len(opened.analysis.bad) == opened.analysis.made else 0


@verbs.command(name="plan", cls=Grouped, context_settings=WORDS)
@study_options
@click.option("--out", type=click.Path(path_type=Path), help="Make the study's folder instead of printing the plan.")
@click.option(
    "--slurm", "for_slurm", is_flag=True, help="With --out: add batch.sh, a script for sbatch that makes the runs."
)
def plan_verb(out: Path | None, for_slurm: bool, **asked: Any) -> int:
    """Print the runs that a study would make, one JSON line each, in running order; how many there are, to stderr.

    With --out the folder of the study is made. Inside it, on a machine without Python,
    `knee run --stdin --samples samples < plan.jsonl > records.jsonl` makes the runs; `knee report` reads the folder
    afterwards. Placements are those of the machine where the plan is made.
    """
    if out is not None:
        click.echo(str(_planned(out, asked, for_slurm=for_slurm).path))
        return 0
    if for_slurm:
        raise StudyError("--slurm adds a script to a study's folder: there is no --out")
    study_spec = study_spec_of(asked)
    specs = _specs(study_spec)[1]
    for spec in specs:
        click.echo(json.dumps(spec))
    click.echo(plan.summary(study_spec, specs), err=True)
    return 0


@verbs.command(context_settings={"max_content_width": 80})
@click.argument("folder", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--format", "forms", default="html", help="Any of html, svg, png, pdf, json, with commas.  [default: html]"
)
@click.option(
    "--anonymise",
    is_flag=True,
    help="Without names of people, hosts and folders, and times of day, for a blind review: report-anonymous.html, ...",
)
def report(folder: Path, forms: str, anonymise: bool) -> int:
    """Write the report of a study anew."""
    asked = forms.split(",")
    for form in asked:
        if form not in ("html", "svg", "png", "pdf", "json"):
            raise StudyError(f"unknown format: {form!r}", hint="html, svg, png, pdf or json")
    return _conclude(Folder(folder), asked, anonymise=anonymise)


verbs.add_command(analyze)
verbs.add_command(compare)
verbs.add_command(selftest)


def _specs(study_spec: StudySpec) -> tuple[dict[str, Any], list[RunSpec]]:
    machine = hold.machine(study_spec.hold)
    placements = placements_of(study_spec)
    cells = cells_of(study_spec, machine, placements)
    specs = plan.run_specs(study_spec, cells, placements, machine)
    _binary.validate(specs)
    return machine, specs


def _unused(name: str) -> Path:
    """Return a folder under knee-studies that does not exist yet."""
    base = Path("knee-studies") / f"{slurm.plain(name)}-{date.today().isoformat()}"
    tries = [base, *(base.with_name(f"{base.name}-{number}") for number in range(2, 1000))]
    return next(path for path in tries if not path.exists())
