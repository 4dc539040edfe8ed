"""Reads and writes trials.json: which remedies were tried on a study's program, and the machine around the trials."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from knee.store import read
from knee.store.check import TEXT, any_name, listed, thing
from knee.store.files.folder import Folder
from knee.store.types import SCHEMA
from knee.store.write import write_whole


@dataclass(frozen=True)
class Noted:
    """A remedy that was tried: its name in run specs, the causes that it treats, and what it changes."""

    name: str
    treats: tuple[str, ...]
    does: str
    note: str = ""


@dataclass(frozen=True)
class FactChange:
    """A fact of the machine that differs after the trials from before."""

    fact: str
    before: str
    after: str


@dataclass(frozen=True)
class Trials:
    """All remedies that were planned, the machine's facts before the latest, and what has changed since.

    ``changed`` is None until the trials have ended.
    """

    remedies: tuple[Noted, ...] = ()
    facts: dict[str, str] = field(default_factory=dict[str, str])
    changed: tuple[FactChange, ...] | None = None


TRIALS = thing(
    {
        "remedies": listed(thing({"name": TEXT, "treats": listed(TEXT), "does": TEXT, "note": TEXT})),
        "facts": any_name(TEXT),
    },
    {"changed": listed(thing({"fact": TEXT, "before": TEXT, "after": TEXT}))},
)


def read_trials(folder: Folder) -> Trials:
    """Return what is noted about trials; nothing where there were none."""
    path = folder.path / "trials.json"
    if not path.exists():
        return Trials()
    found = read.whole(path, TRIALS, "the trials of remedies", f"remove {path}: their results stay in the records")
    remedies = [Noted(one["name"], tuple(one["treats"]), one["does"], one["note"]) for one in found["remedies"]]
    changed = found.get("changed")
    listed_changes = None if changed is None else tuple(FactChange(**_only(one)) for one in changed)
    return Trials(tuple(remedies), found["facts"], listed_changes)


def _only(one: dict[str, str]) -> dict[str, str]:
    return {name: one[name] for name in FactChange.__dataclass_fields__}


def write_trials(folder: Folder, trials: Trials) -> None:
    """Write what is noted about trials."""
    plain = {name: value for name, value in asdict(trials).items() if value is not None}
    write_whole(folder.path / "trials.json", json.dumps({"schema": SCHEMA, **plain}, indent=1) + "\n")
