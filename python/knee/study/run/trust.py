"""Asks before a study that this user did not plan is resumed: resuming runs commands that the folder names.

The owner of a folder proves nothing, since unpacking an archive makes its files one's own. So knee notes a fingerprint
of the commands of every study that a user plans in a file of that user (``XDG_STATE_HOME``), which no archive can write
to. A mark in the folder, signed with a key of the user, would tell the same, but a key must be kept secret and a list
need not. A fingerprint is about commands only: the folder may be moved and copied, claims may be added to study.toml
and disturbed blocks repeated, and nothing is asked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import sys
from pathlib import Path

import click

from knee import terminal
from knee.store import Folder, RunSpec, StudyError, opened_to_write

STEPS = ("build", "setup", "cleanup")
"""Commands that a study runs once; those around each run are in its plan: prepare, the program, conclude."""

WHEN = ("id", "block", "repeats")
"""Fields of a run spec that say when it is run, not what."""

MOST_SHOWN = 12


def note(folder: Folder) -> None:
    """Note that this user has planned, or trusts, the commands of a study."""
    known = _known()
    # Without a home, --resume asks.
    with contextlib.suppress(OSError):
        known.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened_to_write(known) as file:
            file.write(f"{_fingerprint(folder)}\n".encode())


def check(folder: Folder, *, trusted: bool) -> None:
    """Return if the commands of a study may be run; on a terminal, ask for those that this user did not plan.

    Raises
    ------
    StudyError
        When they may not.
    """
    if not trusted:
        with contextlib.suppress(OSError):
            if _fingerprint(folder) in _known().read_text(encoding="ascii", errors="replace").split():
                return
        _ask(folder)
    note(folder)


def _ask(folder: Folder) -> None:
    commands = _commands(folder)
    if not (sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty()):
        message = f"this study was not planned by you on this machine: {folder.path}: resuming it runs {commands[0]}"
        hint = f"read its study.toml and plan.jsonl, then knee study --resume {shlex.quote(str(folder.path))} --trust"
        raise StudyError(message, hint=hint)
    terminal.err(f"knee: this study was not planned by you on this machine: {folder.path}. Resuming it runs")
    for command in commands[:MOST_SHOWN]:
        terminal.err(f"      {command}")
    if len(commands) > MOST_SHOWN:
        terminal.err(f"      and {len(commands) - MOST_SHOWN} more, in plan.jsonl")
    if not click.confirm("Run them?", err=True):
        raise StudyError(
            f"not resumed: {folder.path}", hint=f"knee report {shlex.quote(str(folder.path))} runs nothing"
        )


def _commands(folder: Folder) -> list[str]:
    """Return the distinct commands of a study, each after what it is."""
    measure = folder.read_measure()
    found = [f"{step}: {measure[step]}" for step in STEPS if step in measure]
    for spec in folder.read_plan():
        found += [f"{step}: {text}" for step in ("prepare", "conclude") if (text := spec.get(step))]
        program = spec["program"]
        variables = [f"{name}={value}" for name, value in program.get("env", {}).items()]
        words = program.get("command") or ["knee", "run", str(program.get("workload"))]
        found.append(f"program: {shlex.join([*variables, *words])}")
    # What runs most is not what surprises: shell commands come first.
    return sorted(dict.fromkeys(found), key=lambda command: command.startswith("program: "))


def _fingerprint(folder: Folder) -> str:
    """Return a hash of all that a study runs."""
    study_spec = folder.read_study_spec()
    once = [study_spec.get("measure", {}).get(step) for step in STEPS]
    directory = study_spec.get("program", {}).get("directory")
    runs = sorted({_run(spec) for spec in folder.read_plan()})
    return hashlib.sha256(json.dumps([once, directory, runs]).encode()).hexdigest()


def _run(spec: RunSpec) -> str:
    return json.dumps({name: value for name, value in spec.items() if name not in WHEN}, sort_keys=True)


def _known() -> Path:
    """Return the file with the fingerprints of the studies that this user has planned."""
    asked = os.environ.get("XDG_STATE_HOME", "")
    state = Path(asked) if Path(asked).is_absolute() else Path(os.path.expanduser("~/.local/state"))  # noqa: PTH111
    return state / "knee" / "planned"
