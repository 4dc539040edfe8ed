"""What a study asks, from the words and options of the command line."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

import click

from knee import _binary
from knee.asking.options import asking
from knee.asking.words import from_words, of_workloads, serial
from knee.store import StudyError
from knee.study import reading, spec
from knee.study.spec import StudySpec

__all__ = ["asking", "study_spec_of"]

PLAIN = ("blocks", "seed", "name", "pair", "bind", "sample_ms", "census_ms", "warmup", "cache")
"""Options that are parts of the study spec as they are."""


def study_spec_of(asked: dict[str, Any]) -> StudySpec:
    """Return the study spec that options and words ask together."""
    words: list[str] = list(asked["words"])
    varied = dict(reading.factor(text) for text in asked["factors"])
    if not words and "workload" not in varied:
        raise StudyError("nothing to study: give a command after --, a workload, or a study file")
    base = from_words(words) if words else of_workloads(varied["workload"])
    factors = dict(base.factors) | varied
    given = _as_given(asked) | _measured(asked)
    if asked["runtime"]:
        given["program"] = base.program | {"for": asked["runtime"]}
    if asked["baseline"]:
        given["baseline"] = serial(shlex.split(asked["baseline"]))
    study_spec = _with_phase(dataclasses.replace(base, factors=factors, **given))
    _warn_if_deaf(study_spec)
    return study_spec


def _as_given(asked: dict[str, Any]) -> dict[str, Any]:
    """Options that are parts of the study spec as they are, and lists."""
    given = {key: asked[key] for key in (*PLAIN, *spec.STEPS) if asked[key] is not None}
    if asked["timeout"] is not None:
        given["timeout_s"] = asked["timeout"]
    for flag in ("copies", "same_output", "together"):
        given |= {flag: True} if asked[flag] else {}
    if asked["skip"] is not None:
        given["skip"] = reading.threads_skipped(asked["skip"], "--skip")
    if asked["exclude"]:
        given["exclude"] = [reading.levels(text, "--exclude") for text in asked["exclude"]]
    if asked["weak"] is not None:
        given["weak"] = reading.weak(asked["weak"], "--weak")
    if asked["budget"] is not None:
        given["budget_s"] = reading.seconds(asked["budget"], "--budget")
    if asked["width"] is not None:
        given["width"] = reading.share(asked["width"], "--width")
    if asked["counters"] is not None:
        given["counters"] = reading.counter_names(asked["counters"], "--counters")
    if asked["responses"] is not None:
        given["responses"] = reading.counter_names(asked["responses"], "--responses")
    if asked["events"] is not None:
        given["events"] = str(Path(asked["events"]).resolve())
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
    given: dict[str, Any] = {"check": {"stdout": reading.pattern(asked["check"], "--check")}} if asked["check"] else {}
    if asked["metric"]:
        given["metric"] = {"regex": reading.grouped(asked["metric"], "--metric"), "unit": asked["unit"] or "s"}
    elif asked["phase"]:
        given["metric"] = {"phase": asked["phase"]}
    return given


def _with_phase(study_spec: StudySpec) -> StudySpec:
    """Complete a study file's workload: all its arguments, and its own phase where nothing else is measured."""
    if "workload" not in study_spec.program or study_spec.metric is not None:
        return study_spec
    common: dict[str, str] = study_spec.program.get("args", {})
    if study_spec.workloads:
        phases = {name: _phase(name, common | own, study_spec) for name, own in study_spec.workloads.items()}
        return dataclasses.replace(study_spec, phases=phases)
    return dataclasses.replace(
        study_spec, metric={"phase": _phase(str(study_spec.program["workload"]), common, study_spec)}
    )


def _phase(workload: str, args: dict[str, str], study_spec: StudySpec) -> str:
    """Ask which phase of a workload is its work. Any level of a factor that is an argument will do."""
    others = ("workload", *spec.RESERVED)
    first = {name: str(levels[0]) for name, levels in study_spec.factors.items() if name not in others}
    grown = {study_spec.weak["argument"]: str(study_spec.weak["one_thread"])} if study_spec.weak else {}
    words = [word for name, value in (args | first | grown).items() for word in (f"--{name}", value)]
    return str(_binary.ask("workloads", "--resolve", workload, *words)["phase"])


def _warn_if_deaf(study_spec: StudySpec) -> None:
    """Say so when the thread count reaches the program neither by word nor by variable."""
    program = study_spec.program
    told = [*program.get("command", ["{threads}"]), *program.get("env", {}).values()]
    told += [str(level) for levels in study_spec.factors.values() for level in levels]
    if "for" in program:
        return
    if not any("{threads}" in word or "{cpus}" in word for word in told):
        click.echo("knee: note: neither the command nor a variable mentions {threads}: the program", err=True)
        click.echo("      is not told how many threads to use, only which cpus it may use", err=True)
