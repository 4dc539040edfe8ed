"""Contradictions: options that cannot go together."""

from __future__ import annotations

from knee import _binary
from knee.store import StudyError
from knee.study.kinds.factors import CHOICES, RESERVED
from knee.study.kinds.near import suggestion
from knee.study.spec import StudySpec

EARLIEST = 13
"""Blocks after which narrow intervals may end a study at the earliest, as :mod:`knee.explain.stopping` has it."""


def refuse_contradictions(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` for options that cannot go together."""
    _refuse_about_copies(study_spec)
    _refuse_about_designs(study_spec)
    _refuse_about_commands(study_spec)
    for name in CHOICES:
        if getattr(study_spec, name) and name in study_spec.factors:
            raise StudyError(f"{name} is both a factor and an option", hint="leave one of them out")
    if study_spec.skip and "each" not in (study_spec.bind, *study_spec.factors.get("bind", [])):
        raise StudyError("skip has no effect without bind each", hint="add --bind each")
    if study_spec.width is not None and study_spec.most_blocks <= EARLIEST:
        message = f"width has no effect: a study has {EARLIEST} blocks before it may end, and this one has no more"
        raise StudyError(message, hint="add --blocks 40, or leave --width out")
    if study_spec.events is not None and not study_spec.counters:
        raise StudyError("events has no effect without counters", hint="add --counters")
    foreign = "workload" in study_spec.program and "command" in (study_spec.baseline or {})
    phase = (study_spec.timed or {}).get("phase")
    if foreign and phase:
        hint = "--phase wall measures the whole run of both"
        raise StudyError(f"the baseline is a command, so it has no phase {phase}", hint=hint)


def _refuse_about_copies(study_spec: StudySpec) -> None:
    named = [study_spec.built_in(name) for name in study_spec.workloads] or [study_spec.program.get("workload")]
    if study_spec.copies and (probes := _binary.probes().intersection(named)):
        message = f"copies: {min(probes)} is a probe, which pins each thread to a cpu of its own"
        raise StudyError(message, hint="leave out --copies, or study a program")
    if study_spec.copies and study_spec.timed and "workload" not in study_spec.program:
        message = "copies: only where the run time of a command is measured"
        raise StudyError(message, hint="leave out --copies, or the phase or metric")
    if study_spec.copies and "for" in study_spec.program:
        # The variables of a runtime are set for the threads of the whole run, not for one copy.
        hint = "set the runtime's variable to {threads} in [program.env] instead"
        raise StudyError("copies and for cannot be combined: each copy has one thread", hint=hint)


def _refuse_about_designs(study_spec: StudySpec) -> None:
    pair = study_spec.pair
    levels = study_spec.factors.get(pair or "", [])
    if pair and not levels:
        hint = suggestion(pair, study_spec.factors, f"add --factor {pair}=A,B")
        raise StudyError(f"pair: {pair} is not a factor of this study", hint=hint)
    if pair and len(levels) != 2:
        raise StudyError(f"pair: {pair} has {len(levels)} levels", hint="a pair is a factor with two levels")
    for name in study_spec.inputs:
        if name not in study_spec.factors:
            hint = suggestion(name, study_spec.factors, f"add --factor {name}=A,B")
            raise StudyError(f"inputs: {name} is not a factor of this study", hint=hint)
        if name in ("threads", pair):
            hint = f"leave it out of inputs{'' if name == 'threads' else ', or of pair'}"
            raise StudyError(f"inputs: {name} is compared by this study, so it cannot be other work", hint=hint)
    _refuse_about_weak(study_spec)
    if study_spec.together and not study_spec.counters:
        raise StudyError("together has no effect without counters", hint="add --counters")
    if study_spec.workloads and study_spec.baseline:
        raise StudyError("baseline: only for a study of one program; this one has several", hint="leave it out")
    for level in study_spec.factors.get("workload", []) if study_spec.workloads else ():
        if level not in study_spec.workloads:
            hint = suggestion(str(level), study_spec.workloads, f"it has {', '.join(study_spec.workloads)}")
            raise StudyError(f"bad factor: workload: the program has no workload {level}", hint=hint)


def _refuse_about_weak(study_spec: StudySpec) -> None:
    weak = study_spec.weak
    if not weak:
        return
    if weak["argument"] in (*RESERVED, "cpus", "workload") or weak["argument"].startswith("env:"):
        message = (
            f"weak: {weak['argument']} is set by knee, but weak names the argument that says how much work there is"
        )
        raise StudyError(message, hint="--weak n=1000, and {n} in the command")
    if weak["argument"] in study_spec.factors:
        raise StudyError(
            f"weak: {weak['argument']} grows with the threads, so it cannot be a factor", hint="leave one out"
        )
    if study_spec.copies:
        raise StudyError("weak and copies cannot be combined: a copy has the work of one thread", hint="leave one out")
    if study_spec.explain is not None:
        message = "explain and weak cannot be combined: its questions compare runs of the same work"
        raise StudyError(message, hint="leave one out")


def _refuse_about_commands(study_spec: StudySpec) -> None:
    for key, program in (("program", study_spec.program), ("baseline", study_spec.baseline or {})):
        if "workload" in program and "for" in program:
            message = f"{key}: for is not needed: a built-in workload knows its threads"
            raise StudyError(message, hint="leave --for out")
    if study_spec.census_ms is not None and "workload" in study_spec.program:
        raise StudyError("census_ms works for commands only, not for workloads", hint="leave --census-ms out")
    if study_spec.skip and "workload" in study_spec.program:
        raise StudyError("skip works for commands only, not for workloads", hint="leave --skip out")
