"""Reads and writes ended.json: why a study's stopping rule ended it before its last block."""

from __future__ import annotations

import json
from dataclasses import dataclass

from knee.store import read
from knee.store.check import END
from knee.store.files.folder import Folder
from knee.store.types import SCHEMA
from knee.store.write import write_whole


@dataclass(frozen=True)
class End:
    """The last block of a study that ended early, and the reason."""

    block: int
    why: str


def read_end(folder: Folder) -> End | None:
    """Return why the study ended early; None if it did not."""
    path = folder.path / "ended.json"
    if not path.exists():
        return None
    found = read.whole(path, END, "why the study ended", "remove the file to continue the study")
    return End(found["block"], found["why"])


def write_end(folder: Folder, end: End) -> None:
    """Write that the study ended after this block."""
    noted = {"schema": SCHEMA, "block": end.block, "why": end.why}
    write_whole(folder.path / "ended.json", json.dumps(noted) + "\n")
