"""Asks before it resumes a study that this user did not plan, or tries remedies on it: both run commands of its folder.

The owner of a folder proves nothing: files unpacked from an archive belong to the user who unpacked them. So for every
study that a user plans, knee writes a fingerprint of its runs into a file of that user (``XDG_STATE_HOME``), outside
the study's folder. A mark in the folder, signed with the user's key, would work too, but a key must be kept secret, and
a list need not. The fingerprint covers what is run, not where the folder is: knee does not ask after the folder was
moved or copied, claims were added to study.toml, or disturbed blocks were repeated. It does ask after
remedies were added.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from knee import terminal
from knee.store import Folder, RunSpec, StudyError, opened_to_write, role_of

STEPS = ("build", "setup", "cleanup")
"""Commands that a study runs once. The others (prepare, the program, conclude) are in the plan, for each run."""

WHEN = ("id", "block", "repeats")
"""Fields of a run spec that say when it is run, not what."""

MOST_SHOWN = 12


@dataclass(frozen=True)
class Doing:
    """What a user asked for that runs commands of a folder: for errors, for questions, and how to ask for it."""

    infinitive: str
    participle: str
    done: str
    command: str


RESUME = Doing("resume", "Resuming it", "resumed", "knee study --resume")
TRY = Doing("try remedies", "Trying remedies", "tried", "knee try")


def note(folder: Folder, plan: Sequence[RunSpec] | None = None) -> None:
    """Note that this user has planned the commands of a study, or trusts them; those of ``plan``, where one is to be
    written next: a study that is killed between the two would not be this user's any more.
    """
    fingerprint = _fingerprint(folder, folder.read_plan() if plan is None else plan)
    if _is_known(fingerprint):
        return
    known = _known()
    # If the note cannot be written, --resume will ask.
    with contextlib.suppress(OSError):
        known.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened_to_write(known) as file:
            file.write(f"{fingerprint}\n".encode())


def check(folder: Folder, *, trusted: bool, doing: Doing = RESUME) -> None:
    """Check that the commands of a study may be run; on a terminal, ask about those that this user did not plan.

    Raises
    ------
    StudyError
        When they may not be run.
    """
    if not trusted:
        if _is_known(_fingerprint(folder, folder.read_plan())):
            return
        _ask(folder, doing)
    note(folder)


def _ask(folder: Folder, doing: Doing) -> None:
    commands = _commands(folder)
    if not (sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty()):
        reason = f"you did not plan it on this machine, and it would run {commands[0][0]}"
        message = f"cannot {doing.infinitive}: {folder.path}: {reason}"
        hint = f"read its study.toml and plan.jsonl, then {doing.command} {folder.quoted} --trust"
        raise StudyError(message, hint=hint)
    directories = list(dict.fromkeys(directory for _, directory in commands))
    where = f", in {directories[0]}" if len(directories) == 1 else ""
    said = f"you did not plan this study on this machine: {folder.path}. {doing.participle} runs{where}:"
    terminal.err(f"knee: {said}")
    for command, directory in commands[:MOST_SHOWN]:
        terminal.err(f"      {command}" + ("" if where else f"  (in {directory})"))
    if len(commands) > MOST_SHOWN:
        terminal.err(f"      and {len(commands) - MOST_SHOWN} more, in plan.jsonl")
    if not click.confirm("Run them?", err=True):
        raise StudyError(f"not {doing.done}: {folder.path}", hint=f"knee report {folder.quoted} runs no commands")


def _commands(folder: Folder) -> list[tuple[str, str]]:
    """Return the distinct commands of a study, each after its kind, and the folder in which it runs."""
    study_spec = folder.read_study_spec()
    measure, directory = folder.read_measure(), _directory(study_spec.get("program", {}))
    found = [(f"{step}: {measure[step]}", directory) for step in STEPS if step in measure]
    where: dict[str, None] = {}
    for spec in folder.read_plan():
        program = spec["program"]
        # That of study.toml may be another one: the plan is what runs.
        inside = _directory(program)
        where |= {inside: None} if role_of(spec) == "measure" else {}
        found += [(f"{step}: {text}", inside) for step in ("prepare", "conclude") if (text := spec.get(step))]
        variables = [f"{name}={value}" for name, value in program.get("env", {}).items()]
        words = program.get("command") or ["knee", "run", str(program.get("workload"))]
        found.append((f"program: {shlex.join([*variables, *words])}", inside))
    # Remedies change the programs that are measured.
    remedies = study_spec.get("remedy", [])
    found += [(f"remedy: {_remedy(one)}", inside) for one in remedies for inside in where or [directory]]
    # Shell commands come first, because a reader may not expect them.
    return sorted(dict.fromkeys(found), key=lambda command: command[0].startswith("program: "))


def _directory(program: Mapping[str, Any]) -> str:
    return str(program.get("directory", "the current folder"))


def _fingerprint(folder: Folder, plan: Sequence[RunSpec]) -> str:
    """Return a hash of all that a study runs."""
    study_spec = folder.read_study_spec()
    once = [study_spec.get("measure", {}).get(step) for step in STEPS]
    directory = study_spec.get("program", {}).get("directory")
    runs = sorted({_run(spec) for spec in plan})
    # Only where there are any: without them it stays as earlier versions wrote it.
    remedies = [study_spec["remedy"]] if "remedy" in study_spec else []
    return hashlib.sha256(json.dumps([once, directory, runs, *remedies]).encode()).hexdigest()


def _remedy(table: dict[str, Any]) -> str:
    variables = [f"{name}={value}" for name, value in {**table.get("env", {}), **table.get("args", {})}.items()]
    return shlex.join([*variables, *table.get("command", [])])


def _run(spec: RunSpec) -> str:
    return json.dumps({name: value for name, value in spec.items() if name not in WHEN}, sort_keys=True)


def _is_known(fingerprint: str) -> bool:
    try:
        return fingerprint in _known().read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return False


def _known() -> Path:
    """Return the file with the fingerprints of the studies that this user has planned."""
    asked = os.environ.get("XDG_STATE_HOME", "")
    state = Path(asked) if Path(asked).is_absolute() else Path(os.path.expanduser("~/.local/state"))  # noqa: PTH111
    return state / "knee" / "planned"
