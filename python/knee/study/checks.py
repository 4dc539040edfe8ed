"""What cannot be asked together: contradictions in a question, found before anything runs."""

from __future__ import annotations

from knee.store import StudyError
from knee.study.question import CHOICES, Question


def refuse_contradictions(question: Question) -> None:
    """Raise :class:`StudyError` for things that do not go together."""
    _refuse_about_copies(question)
    _refuse_about_commands(question)
    for name in CHOICES:
        if getattr(question, name) and name in question.factors:
            raise StudyError(f"{name}: it is a factor, and given as an option as well", hint="leave one of them out")
    if question.skip and "each" not in (question.bind, *question.factors.get("bind", [])):
        raise StudyError("skip: threads are left out of bind each, which is not asked for", hint="add --bind each")
    foreign = "workload" in question.program and "command" in (question.baseline or {})
    if foreign and "phase" in (question.metric or {}):
        hint = "--phase wall measures the whole run of both"
        raise StudyError(f"a command as baseline has no phase {(question.metric or {})['phase']}", hint=hint)


def _refuse_about_copies(question: Question) -> None:
    if question.copies and ("workload" in question.program or question.metric):
        raise StudyError("copies are for commands whose run time is measured", hint="leave --copies or the metric out")
    if question.copies and "for" in question.program:
        # The variables of a runtime are set for the threads of the whole run, not for one copy.
        hint = "set its variable to {threads} in [program.env] instead of naming the runtime"
        raise StudyError("copies and for: each copy has one thread, and the runtime would be told more", hint=hint)


def _refuse_about_commands(question: Question) -> None:
    for key, program in (("program", question.program), ("baseline", question.baseline or {})):
        if "workload" in program and "for" in program:
            raise StudyError(f"{key}: for: a built-in workload is told about its threads anyway")
    if question.skip and "workload" in question.program:
        raise StudyError("skip: threads of a command can be left out, those of a workload cannot")
