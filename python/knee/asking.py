"""What a study asks, from the words and options of the command line."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from knee import _binary
from knee.store import StudyError
from knee.study import question
from knee.study.question import Question


def asking(command: Any) -> Any:
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


def question_of(asked: dict[str, Any]) -> Question:
    """Return the question that options and words ask together."""
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
    if asked["unit"] and not asked["metric"]:
        raise StudyError("--unit says what --metric is in: there is no --metric")
    if asked["phase"] and asked["metric"]:
        raise StudyError("--phase and --metric: a study measures one thing")
    if asked["metric"]:
        given["metric"] = {"regex": _grouped(asked["metric"]), "unit": asked["unit"] or "s"}
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


def _grouped(text: str) -> str:
    if re.compile(_pattern(text, "--metric")).groups < 1:
        raise StudyError(f"--metric: {text!r} has no group", hint="put the number in brackets: 'took ([0-9.]+) s'")
    return text


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
        return Question(name=_title(words), program=program)
    if "/" in words[0] or words[0].endswith(".toml"):
        if len(words) > 1:
            raise StudyError(
                f"one word too many: {words[1]!r}", hint="a program stands behind --, and options before the study file"
            )
        return question.from_file(Path(words[0]))
    program, phase = _program(words)
    title = " ".join(Path(w).name if "/" in w else w for w in words if not w.startswith("--"))
    return Question(name=title, program=program, metric={"phase": phase} if phase else None)


def _title(words: list[str]) -> str:
    """Name a program by its own file, a script by the script's."""
    interpreted = re.fullmatch(r"(python|node|ruby|perl|bash|sh)[0-9.]*", Path(words[0]).name)
    script = interpreted and len(words) > 1 and not words[1].startswith("-")
    return Path(words[1] if script else words[0]).name


def _program(words: list[str]) -> tuple[dict[str, Any], str | None]:
    """Resolve a workload; return it with the phase that is the work itself."""
    try:
        resolved = _binary.ask("workloads", "--resolve", *words)
    except StudyError as error:
        raise StudyError(str(error), hint=error.hint or "options of the study stand before the workload") from error
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
