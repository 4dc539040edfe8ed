"""Names in a study spec that mean nothing: factors without a place in the program, placeholders without a factor."""

from __future__ import annotations

import re

from knee import _binary, terminal
from knee.store import StudyError
from knee.study.kinds.factors import RESERVED
from knee.study.kinds.near import nearest, suggestion
from knee.study.spec import StudySpec

FILLED = ("threads", "cpus")
"""Placeholders that every command may use."""


def refuse_unknown_names(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` for a factor that has no effect, and for a misspelt placeholder."""
    if "workload" in study_spec.program:
        _refuse_arguments(study_spec)
    else:
        _refuse_placeholders(study_spec)


def _refuse_placeholders(study_spec: StudySpec) -> None:
    """Raise for a placeholder that is like a known name. A note names those that may be meant: awk has ``{print}``."""
    weak = [study_spec.weak["argument"]] if study_spec.weak else []
    known = [*FILLED, *(name for name in study_spec.factors if not name.startswith("env:")), *weak]
    program = study_spec.program
    words = [*program["command"], *program.get("env", {}).values()]
    words += [str(level) for levels in study_spec.factors.values() for level in levels]
    words += [text for text in (study_spec.prepare, study_spec.conclude) if text]
    baseline = study_spec.baseline or {}
    words += [*baseline.get("command", ()), *baseline.get("env", {}).values()]
    for word in words:
        for name in re.findall(r"(?<![$\w])\{([A-Za-z_][\w-]*)\}", word):
            if name in known:
                continue
            if near := nearest(name, known):
                where = "" if word == f"{{{name}}}" else f" in {word!r}"
                raise StudyError(f"unknown placeholder '{{{name}}}'{where}", hint=f"did you mean {{{near}}}?")
            if word == f"{{{name}}}":
                terminal.err(f"knee: note: {word} is not a factor, so the program gets it as it is")


def unmentioned(name: str) -> StudyError:
    """Return the error about a factor that a command does not mention."""
    reserved = suggestion(name, RESERVED)
    hint = reserved or f"write {{{name}}} where its level goes, or use env:{name} for a variable"
    return StudyError(f"bad factor: {name}: the command does not mention {{{name}}}", hint=hint)


def _refuse_arguments(study_spec: StudySpec) -> None:
    """Refuse factors that are no argument of the workload."""
    listed = {one["name"]: one["params"] for one in _binary.ask("workloads")["workloads"]}
    workloads = [study_spec.built_in(name) for name in study_spec.workloads] or [str(study_spec.program["workload"])]
    for workload in workloads:
        takes = [param["name"] for param in listed.get(workload, ())]
        for name in study_spec.factors if workload in listed else ():
            if name not in (*RESERVED, "workload", *takes) and not name.startswith("env:"):
                hint = suggestion(name, [*RESERVED, *takes], f"{workload} takes {', '.join(takes)}")
                raise StudyError(f"bad factor: {name}: {workload} has no such argument", hint=hint)
