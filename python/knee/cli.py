"""The Python verbs on the command line: ``study``, ``plan`` and ``report``."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import sys
from datetime import date
from pathlib import Path
from typing import Any

import click

from knee import _binary
from knee.store import Folder, Spec, StudyError
from knee.study import design, plan, progress, question, run
from knee.study.question import Question

EXIT_GATE, EXIT_USAGE, EXIT_STOPPED = 1, 2, 130
WORDS = {"ignore_unknown_options": False, "allow_interspersed_args": False, "max_content_width": 80}


def main() -> int:
    """Run a verb; say an error in two lines; return the exit status."""
    try:
        return int(verbs.main(prog_name="knee", standalone_mode=False) or 0)
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.ClickException as error:
        return _say(error.format_message(), "`knee study --help` shows how")
    except StudyError as error:
        return _say(str(error), error.hint)
    except OSError as error:
        return _say(f"{error.filename or 'input or output'}: {error.strerror or error}", None)
    except (KeyboardInterrupt, click.Abort):
        return EXIT_STOPPED


def _say(message: str, hint: str | None) -> int:
    click.echo(f"knee: {message}", err=True)
    if hint:
        click.echo(f"\nhint: {hint}", err=True)
    return EXIT_USAGE


@click.group(no_args_is_help=True)
def verbs() -> None:
    """Find the knee of your speedup curve, know why it bends, move it."""


def _asking(command: Any) -> Any:
    """Options that say what a study asks; ``study`` and ``plan`` share them."""
    for option in reversed(
        [
            click.argument("words", nargs=-1, type=click.UNPROCESSED),
            click.option(
                "--factor",
                "factors",
                multiple=True,
                metavar="NAME=a,b",
                help="Vary threads, placement, memory, an argument, {NAME} in a command, or env:NAME."
                " Levels that hold commas: NAME=0,1;2,3.",
            ),
            click.option(
                "--blocks", type=click.IntRange(2, 1000), help="Launches of each cell, in random blocks.  [default: 5]"
            ),
            click.option("--seed", type=click.IntRange(0), help="Seed of the order.  [default: 1]"),
            click.option("--phase", metavar="NAME", help="Measure this phase of a workload; `wall` for the whole run."),
            click.option(
                "--metric",
                metavar="REGEX",
                help="Measure a time that the program prints: group 1 of this, with --unit.",
            ),
            click.option(
                "--unit",
                type=click.Choice(["s", "ms", "us", "ns"]),
                default="s",
                help="Unit of --metric.  [default: s]",
            ),
            click.option("--check", metavar="REGEX", help="Standard output must match this."),
            click.option(
                "--baseline",
                metavar="WORDS",
                help="A best serial version: a command, or a workload with its arguments.",
            ),
            click.option(
                "--copies",
                is_flag=True,
                help="Also run one-thread copies side by side, to tell the program from the machine.",
            ),
            click.option(
                "--timeout", type=click.FloatRange(0.001, 1e8), help="Seconds until a run is stopped.  [default: 600]"
            ),
            click.option(
                "--sample-ms", type=click.IntRange(0, 60000), help="Period of the sampler, 0 for none.  [default: 10]"
            ),
            click.option("--name", help="What the study is called."),
        ]
    ):
        command = option(command)
    return command


@verbs.command(context_settings=WORDS)
@_asking
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study.  [default: knee-studies/NAME]")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with the study in this folder.")
@click.option("--report/--no-report", default=True, help="Write report.html at the end.")
def study(out: Path | None, resume: Path | None, report: bool, **asked: Any) -> int:
    r"""Measure a program over thread counts and placements, and say where it bends.

    \b
    knee study [OPTIONS] -- COMMAND...          {threads} becomes the count
    knee study [OPTIONS] WORKLOAD [ARGUMENTS]   see `knee workloads`
    knee study [OPTIONS] FILE.toml
    knee study --resume FOLDER
    """
    if resume is not None:
        if asked["words"]:
            raise StudyError("--resume goes on with a study as it was planned: it takes no words")
        folder = Folder(resume)
        folder.check()
    else:
        folder = _planned(out, asked)
    return _measure(folder, report)


def _planned(out: Path | None, asked: dict[str, Any]) -> Folder:
    what = _question(asked)
    for program in (what.program, what.baseline or {}):
        _find_program(program)
    machine, specs = _specs(what)
    return run.create(out or _unused(what.name), what.to_toml(), json.dumps(machine, indent=1) + "\n", specs)


def _find_program(program: dict[str, Any]) -> None:
    """Find a program that is missing before a hundred runs do."""
    name = str(program.get("command", ["{"])[0])
    path = str(Path(program.get("directory", ".")) / name) if "/" in name else name
    if "{" not in name and shutil.which(path) is None:
        raise StudyError(f"cannot run {name}: no such program", hint="give its path, or build it first")


def _measure(folder: Folder, report: bool) -> int:
    try:
        with progress.shown(folder.read_plan(), len(run.remaining(folder))) as tell:
            run.run(folder, tell)
    except (run.Stopped, KeyboardInterrupt):
        left, total = len(run.remaining(folder)), len(folder.read_plan())
        _say(
            f"stopped: {total - left} of {total} runs are kept", f"knee study --resume {shlex.quote(str(folder.path))}"
        )
        return EXIT_STOPPED
    return _conclude(folder, ["json", *(["html"] if report else [])])


def _conclude(folder: Folder, forms: list[str]) -> int:
    """Analyse and report. Only now, with all measuring over, are numpy and its kin imported."""
    from knee.opened import OpenedStudy
    from knee.report import terminal
    from knee.report.export import export

    opened = OpenedStudy.read(folder.path)
    files = [file for form in forms for file in export(opened, form)]
    terminal.show(opened.analysis)
    for file in files:
        click.echo(str(file))
    return EXIT_GATE if opened.analysis.bad and len(opened.analysis.bad) == opened.analysis.made else 0


@verbs.command(name="plan", context_settings=WORDS)
@_asking
@click.option("--out", type=click.Path(path_type=Path), help="Make the study's folder instead of printing the plan.")
def plan_verb(out: Path | None, **asked: Any) -> int:
    """Print the runs that a study would make, one JSON line each, in running order.

    With --out the folder of the study is made. Inside it, on a machine without Python,
    `knee run --stdin --samples samples < plan.jsonl > records.jsonl` makes the runs; `knee report` reads the folder
    afterwards. Placements are those of the machine where the plan is made.
    """
    if out is not None:
        _planned(out, asked)
        return 0
    for spec in _specs(_question(asked))[1]:
        click.echo(json.dumps(spec))
    return 0


@verbs.command(context_settings={"max_content_width": 80})
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--format", "forms", default="html", help="Any of html, svg, png, pdf, json, with commas.  [default: html]"
)
def report(folder: Path, forms: str) -> int:
    """Write the report of a study anew."""
    asked = forms.split(",")
    for form in asked:
        if form not in ("html", "svg", "png", "pdf", "json"):
            raise StudyError(f"unknown format: {form!r}", hint="html, svg, png, pdf or json")
    return _conclude(Folder(folder), asked)


def _specs(what: Question) -> tuple[dict[str, Any], list[Spec]]:
    machine: dict[str, Any] = _binary.ask("machine", "--json")
    orders = design.placements(what)
    cells = design.cells(what, machine, orders)
    specs = plan.specs(what, cells, orders, machine)
    _binary.validate(specs)
    return machine, specs


def _question(asked: dict[str, Any]) -> Question:
    words: list[str] = list(asked["words"])
    if not words:
        raise StudyError("nothing to study: give a command after --, a workload, or a study file")
    base = _from_words(words)
    factors = dict(base.factors) | dict(question.factor(text) for text in asked["factors"])
    given = {key: asked[key] for key in ("blocks", "seed", "sample_ms", "name") if asked[key] is not None}
    if asked["timeout"] is not None:
        given["timeout_s"] = asked["timeout"]
    if asked["check"]:
        given["check"] = {"stdout": _pattern(asked["check"], "--check")}
    if asked["baseline"]:
        given["baseline"] = _serial(shlex.split(asked["baseline"]))
    if asked["phase"] and asked["metric"]:
        raise StudyError("--phase and --metric: a study measures one thing")
    if asked["metric"]:
        given["metric"] = {"regex": _pattern(asked["metric"], "--metric"), "unit": asked["unit"]}
    elif asked["phase"]:
        given["metric"] = {"phase": asked["phase"]}
    if asked["copies"]:
        given["copies"] = True
    what = _with_phase(dataclasses.replace(base, factors=factors, **given))
    _warn_if_deaf(what)
    return what


def _with_phase(what: Question) -> Question:
    """Complete a study file's workload: all its arguments, and its own phase where nothing else is measured."""
    if what.metric == {"phase": "wall"}:
        return dataclasses.replace(what, metric=None)
    if "workload" not in what.program or what.metric is not None:
        return what
    # A factor may be what gives an argument its value; any of its levels will do here.
    first = {name: str(levels[0]) for name, levels in what.factors.items() if name not in question.RESERVED}
    args: dict[str, str] = what.program.get("args", {}) | first
    words = [word for name, value in args.items() for word in (f"--{name}", value)]
    resolved = _binary.ask("workloads", "--resolve", str(what.program["workload"]), *words)
    return dataclasses.replace(what, metric={"phase": resolved["phase"]})


def _pattern(text: str, where: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise StudyError(f"{where}: {text!r} is no regular expression: {error}") from error
    return text


def _from_words(words: list[str]) -> Question:
    # click swallows `--`, so the raw words are asked whether it stood before ours.
    raw = sys.argv[1:]
    behind = raw[raw.index("--") + 1 :] if "--" in raw else None
    if behind == words:
        program: dict[str, Any] = {"command": words, "directory": str(Path.cwd())}
        return Question(name=Path(words[0]).name, program=program)
    if "/" in words[0] or words[0].endswith(".toml"):
        if len(words) > 1:
            raise StudyError(f"one word too many: {words[1]!r}", hint="options stand before the study file")
        return question.from_file(Path(words[0]))
    program, phase = _program(words)
    title = " ".join(Path(w).name if "/" in w else w for w in words if not w.startswith("--"))
    return Question(name=title, program=program, metric={"phase": phase} if phase else None)


def _program(words: list[str]) -> tuple[dict[str, Any], str | None]:
    """Resolve a workload; return it with the phase that is the work itself."""
    resolved = _binary.ask("workloads", "--resolve", *words)
    args: dict[str, str] = resolved["args"]
    return {"workload": resolved["workload"], "args": args, "directory": str(Path.cwd())}, resolved["phase"]


def _serial(words: list[str]) -> dict[str, Any]:
    """Return the baseline: a workload when one has that name, else a command."""
    listed = {workload["name"] for workload in _binary.ask("workloads", "--json")["workloads"]}
    if words and words[0] in listed:
        return _program(words)[0]
    if not words:
        raise StudyError("--baseline: it names nothing")
    return {"command": words, "directory": str(Path.cwd())}


def _warn_if_deaf(what: Question) -> None:
    """Say so when the thread count reaches the program neither by word nor by variable."""
    program = what.program
    told = [*program.get("command", ["{threads}"]), *program.get("env", {}).values()]
    told += [str(level) for levels in what.factors.values() for level in levels]
    if not any("{threads}" in word or "{cpus}" in word for word in told):
        click.echo("knee: note: neither the command nor a variable mentions {threads}: the program", err=True)
        click.echo("      is not told how many threads to use, only which cpus it may use", err=True)


def _unused(name: str) -> Path:
    """Return a folder under knee-studies that does not exist yet."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "study"
    base = Path("knee-studies") / f"{plain}-{date.today().isoformat()}"
    tries = [base, *(base.with_name(f"{base.name}-{number}") for number in range(2, 1000))]
    return next(path for path in tries if not path.exists())
