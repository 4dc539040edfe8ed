"""What a study asks, from the words and options of the command line."""

from __future__ import annotations

import dataclasses
import re
import shlex
from typing import Any

import click

from knee import _binary
from knee.asking.options import asking
from knee.asking.words import from_words, serial
from knee.store import StudyError
from knee.study import question
from knee.study.question import Question

__all__ = ["asking", "question_of"]


def question_of(asked: dict[str, Any]) -> Question:
    """Return the question that options and words ask together."""
    words: list[str] = list(asked["words"])
    if not words:
        raise StudyError("nothing to study: give a command after --, a workload, or a study file")
    base = from_words(words)
    factors = dict(base.factors) | dict(question.factor(text) for text in asked["factors"])
    given = _as_given(asked) | _measured(asked)
    if asked["runtime"]:
        given["program"] = base.program | {"for": asked["runtime"]}
    if asked["baseline"]:
        given["baseline"] = serial(shlex.split(asked["baseline"]))
    what = _with_phase(dataclasses.replace(base, factors=factors, **given))
    _warn_if_deaf(what)
    return what


def _as_given(asked: dict[str, Any]) -> dict[str, Any]:
    """Options that are parts of the question as they are, and lists."""
    plain = ("blocks", "seed", "name", "bind", "sample_ms", "census_ms", "warmup", "cache", *question.STEPS)
    given = {key: asked[key] for key in plain if asked[key] is not None}
    if asked["timeout"] is not None:
        given["timeout_s"] = asked["timeout"]
    for flag in ("copies", "same_output"):
        given |= {flag: True} if asked[flag] else {}
    if asked["skip"] is not None:
        given["skip"] = question.threads_skipped(asked["skip"], "--skip")
    if asked["hold"] is not None:
        names = [name for name in asked["hold"].split(",") if name]
        given["hold"] = [] if names == ["none"] else names
    return given


def _measured(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the metric and the check."""
    if asked["unit"] and not asked["metric"]:
        raise StudyError("--unit says what --metric is in: there is no --metric")
    if asked["phase"] and asked["metric"]:
        raise StudyError("--phase and --metric: a study measures one thing")
    given: dict[str, Any] = {"check": {"stdout": _pattern(asked["check"], "--check")}} if asked["check"] else {}
    if asked["metric"]:
        given["metric"] = {"regex": _grouped(asked["metric"]), "unit": asked["unit"] or "s"}
    elif asked["phase"]:
        given["metric"] = {"phase": asked["phase"]}
    return given


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


def _warn_if_deaf(what: Question) -> None:
    """Say so when the thread count reaches the program neither by word nor by variable."""
    program = what.program
    told = [*program.get("command", ["{threads}"]), *program.get("env", {}).values()]
    told += [str(level) for levels in what.factors.values() for level in levels]
    if "for" in program:
        return
    if not any("{threads}" in word or "{cpus}" in word for word in told):
        click.echo("knee: note: neither the command nor a variable mentions {threads}: the program", err=True)
        click.echo("      is not told how many threads to use, only which cpus it may use", err=True)
