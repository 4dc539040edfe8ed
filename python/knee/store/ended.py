"""Why a study ended before its last block, by the rule that its file declares: ended.json."""

from __future__ import annotations

import json
from dataclasses import dataclass

from knee.store import read
from knee.store.check import END
from knee.store.folder import Folder, write_whole
from knee.store.types import SCHEMA


@dataclass(frozen=True)
class End:
    """After which block, and why."""

    block: int
    why: str


def read_end(folder: Folder) -> End | None:
    """Return why the study ended early; None when it did not."""
    path = folder.path / "ended.json"
    if not path.exists():
        return None
    found = read.whole(path, END, "why it ended", "remove it, and the study goes on")
    return End(found["block"], found["why"])


def write_end(folder: Folder, end: End) -> None:
    """Note that the study ended after this block."""
    noted = {"schema": SCHEMA, "block": end.block, "why": end.why}
    write_whole(folder.path / "ended.json", json.dumps(noted) + "\n")
