"""Reads and writes waits.jsonl: how long a study waited for a quiet machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from knee.store import read
from knee.store.check import NUMBER, TRUTH, WHOLE, thing
from knee.store.files.folder import Folder
from knee.store.types import SCHEMA
from knee.store.write import write_whole


@dataclass(frozen=True)
class Wait:
    """How long a block waited, whether the machine was quiet afterwards, and the shares of cpus that others used."""

    block: int
    waited_s: float
    quiet: bool
    other_busy: float
    steal: float


WAIT = thing({"block": WHOLE, "waited_s": NUMBER, "quiet": TRUTH, "other_busy": NUMBER, "steal": NUMBER})


def read_waits(folder: Folder) -> list[Wait]:
    """Return all waits, in order."""
    path = folder.path / "waits.jsonl"
    if not path.exists():
        return []
    names = Wait.__dataclass_fields__
    return [Wait(**{name: one[name] for name in names}) for _, one in read.lines(path, WAIT, f"remove {path}")]


def note_wait(folder: Folder, wait: Wait) -> None:
    """Append a wait to the file."""
    lines = [json.dumps({"schema": SCHEMA, **asdict(one)}) + "\n" for one in [*read_waits(folder), wait]]
    write_whole(folder.path / "waits.jsonl", "".join(lines))
