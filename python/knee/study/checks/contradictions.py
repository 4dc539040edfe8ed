"""What cannot be asked together: contradictions in a study spec, found before anything runs."""

from __future__ import annotations

import tomllib
from pathlib import Path

from knee.store import StudyError
from knee.study.kinds.factors import CHOICES
from knee.study.spec import StudySpec


def refuse_contradictions(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` for things that do not go together."""
    _refuse_about_copies(study_spec)
    _refuse_about_designs(study_spec)
    _refuse_about_commands(study_spec)
    for name in CHOICES:
        if getattr(study_spec, name) and name in study_spec.factors:
            raise StudyError(f"{name}: it is a factor, and given as an option as well", hint="leave one of them out")
    if study_spec.skip and "each" not in (study_spec.bind, *study_spec.factors.get("bind", [])):
        raise StudyError("skip: threads are left out of bind each, which is not asked for", hint="add --bind each")
    if study_spec.events is not None and not study_spec.counters:
        raise StudyError("events: they are events of counters, and none is asked for", hint="add --counters")
    foreign = "workload" in study_spec.program and "command" in (study_spec.baseline or {})
    phase = (study_spec.timed or {}).get("phase")
    if foreign and phase:
        hint = "--phase wall measures the whole run of both"
        raise StudyError(f"a command as baseline has no phase {phase}", hint=hint)


def read_events(study_spec: StudySpec) -> None:
    """Read the study's own events once, so that a file that cannot be read is found before any run.

    What stands in it is for the machine to judge: a record says which counter it made of no use.

    Raises
    ------
    StudyError
        When the file is missing, or is no TOML.
    """
    if study_spec.events is None:
        return
    try:
        tomllib.loads(Path(study_spec.events).read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(f"cannot read the events: {study_spec.events}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "docs/reference/events.md has the form of a table of your own"
        raise StudyError(f"cannot read the events: {study_spec.events}: {error}", hint=hint) from error


def _refuse_about_copies(study_spec: StudySpec) -> None:
    if study_spec.copies and ("workload" in study_spec.program or study_spec.timed):
        raise StudyError("copies are for commands whose run time is measured", hint="leave --copies or the metric out")
    if study_spec.copies and "for" in study_spec.program:
        # The variables of a runtime are set for the threads of the whole run, not for one copy.
        hint = "set its variable to {threads} in [program.env] instead of naming the runtime"
        raise StudyError("copies and for: each copy has one thread, and the runtime would be told more", hint=hint)


def _refuse_about_designs(study_spec: StudySpec) -> None:
    pair, weak = study_spec.pair, study_spec.weak
    levels = study_spec.factors.get(pair or "", [])
    if pair and len(levels) != 2:
        what = f"{pair} has {len(levels)} levels" if levels else f"{pair} is not among its factors"
        raise StudyError(f"pair: {what}: it takes a factor of two", hint="a pair is A B in one block, B A in the next")
    if weak and weak["argument"] in study_spec.factors:
        raise StudyError(f"weak: {weak['argument']} is tied to the threads, and a factor as well", hint="leave one out")
    if weak and study_spec.copies:
        raise StudyError("weak and copies: a copy has the work of one thread in either case", hint="leave one out")
    if study_spec.together and not study_spec.counters:
        raise StudyError("together: counters count in the runs that are timed, and none is asked for")
    if study_spec.workloads and study_spec.baseline:
        raise StudyError("baseline: it stands for one program, and this study has several")
    for level in study_spec.factors.get("workload", []) if study_spec.workloads else ():
        if level not in study_spec.workloads:
            hint = f"it has {', '.join(study_spec.workloads)}"
            raise StudyError(f"bad factor: workload: {level} is none of the program's workloads", hint=hint)


def _refuse_about_commands(study_spec: StudySpec) -> None:
    for key, program in (("program", study_spec.program), ("baseline", study_spec.baseline or {})):
        if "workload" in program and "for" in program:
            raise StudyError(f"{key}: for: a built-in workload is told about its threads anyway")
    if study_spec.skip and "workload" in study_spec.program:
        raise StudyError("skip: threads of a command can be left out, those of a workload cannot")
