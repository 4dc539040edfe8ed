"""Adds trials of remedies to the plan of a study, and notes the machine before and after them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import (
    VARIABLES,
    FactChange,
    Folder,
    Noted,
    RunSpec,
    StudyError,
    Trials,
    is_trial,
    read_trials,
    role_of,
    write_trials,
    write_whole,
)
from knee.study.design.trials import trials
from knee.study.kinds.remedies import AS_IS
from knee.study.remedies.remedy import Remedy
from knee.study.run import trust
from knee.study.run.execute import due, locked, remaining


def unfinished(folder: Folder) -> dict[str, str] | None:
    """Return the levels of the run that interrupted trials are of, with its threads; None if no trial is left to run.

    Raises
    ------
    StudyError
        When runs of the study itself are left: remedies are tried on a study that is complete.
    """
    left = remaining(folder)
    if any(not is_trial(spec) for spec in left):
        total = len(due(folder))
        made = f"{total - len(left)} of {total} runs are made"
        message = f"cannot try remedies: {folder.path}: the study is not complete ({made})"
        raise StudyError(message, hint=f"knee study --resume {folder.quoted}")
    return {name: str(level) for name, level in left[0]["cell"].items()} if left else None


def lost_library(folder: Folder) -> str | None:
    """Return a library that runs load which are left, if it is gone: without it they would change nothing."""
    for spec in remaining(folder):
        loaded = str(spec["program"].get("env", {}).get("LD_PRELOAD", "")).partition(":")[0]
        if (is_trial(spec) or role_of(spec) == "intervention") and loaded.startswith("/") and not Path(loaded).exists():
            return loaded
    return None


def add(folder: Folder, as_is: RunSpec, remedies: Sequence[Remedy], blocks: int, facts: Mapping[str, Any]) -> None:
    """Add trials to the plan; only when all of it has run, so that a study that is killed meanwhile can resume.

    Raises
    ------
    StudyError
        When another process runs the study, a remedy is another one than before, or the binary rejects a changed run
        spec.
    """
    study_spec = folder.read_study_spec()
    added = trials(folder.read_plan(), as_is, remedies, blocks, study_spec.get("design", {}).get("seed", 1))
    _refuse_changed(folder, added, {one["name"] for one in study_spec.get("remedy", [])})
    _binary.validate(added)
    with locked(folder):
        if unfinished(folder) is not None:
            hint = f"knee try {folder.quoted}"
            raise StudyError(f"another process has added trials: {folder.path}", hint=hint)
        known = {one.name: one for one in read_trials(folder).remedies}
        known |= {one.name: Noted(one.name, one.treats, one.does, one.note or "") for one in remedies}
        write_trials(folder, Trials(tuple(known.values()), _words(facts)))
        plan = [*folder.read_plan(), *added]
        trust.note(folder, plan)
        write_whole(folder.plan, "".join(json.dumps(spec) + "\n" for spec in plan))


def _refuse_changed(folder: Folder, added: Sequence[RunSpec], own: Collection[str]) -> None:
    """Raise :class:`StudyError` where a remedy was tried as another one: both would count as one."""

    def what(spec: RunSpec) -> dict[str, Any]:
        # What is tried as it is has the user's own variables.
        return _what(spec, moved=spec.get("test") not in (*own, AS_IS))

    new = {(spec.get("test"), str(spec["cell"])): what(spec) for spec in added}
    for spec in filter(is_trial, folder.read_plan()):
        name = spec.get("test")
        if new.get((name, str(spec["cell"])), before := what(spec)) != before:
            message = f"cannot try {name!r}: it does something else than when it was tried before"
            hint = "give it another name in study.toml: both would count as one remedy"
            if name not in own:
                hint = "set variables and quotas as they were then, choose others with --only, or make a new study"
            raise StudyError(message, hint=hint)


WHEN = ("id", "block", "sampler_cpu")
"""Fields of a trial that do not say what is run."""


def _what(spec: RunSpec, *, moved: bool) -> dict[str, Any]:
    """Return what a trial runs.

    A remedy of knee is the same one where its libraries and modules were ``moved`` with the study or with knee, and
    where the memory, of which a limit is half, differs from boot to boot.
    """
    env = dict(spec["program"].get("env", {}))
    if moved:
        env.pop("GOMEMLIMIT", None)
        for name, most in (("LD_PRELOAD", None), ("PYTHONPATH", 1)):
            if name in env:
                env[name] = [Path(path).name for path in str(env[name]).split(":")[:most]]
    return {
        **{name: value for name, value in spec.items() if name not in WHEN},
        "program": spec["program"] | {"env": env},
    }


def note_after(folder: Folder, facts: Mapping[str, Any]) -> Trials:
    """Note which facts of the machine differ from those before the trials; return all notes."""
    before, now = read_trials(folder), _words(facts)
    # An earlier version did not know of variables.
    unknown = {VARIABLES} if VARIABLES not in before.facts else set[str]()
    names = sorted({*before.facts, *now} - unknown)
    absent = "absent"
    changed = [FactChange(name, before.facts.get(name, absent), now.get(name, absent)) for name in names]
    found = Trials(before.remedies, before.facts, tuple(one for one in changed if one.before != one.after))
    write_trials(folder, found)
    return found


def _words(facts: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else f"unavailable: {value.get('unavailable')}"
        for name, value in facts.items()
    }
