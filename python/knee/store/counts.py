"""What workloads, schedulers and regions count themselves: unit and meaning of each name.

The list is in the code that counts (`crates/workload/src/counts.rs`); `counts.json` is generated from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

THREAD = "thread_"
"""How names of counters begin that the threads of a region count for themselves; the rest is the counter's name."""


@dataclass(frozen=True)
class Count:
    """Unit and meaning of one name."""

    unit: str
    meaning: str


def count_named(name: str) -> Count | None:
    """Return what a name stands for; None when it is not in the list, like what a program of the user's counts."""
    return _counts().get(name)


@cache
def _counts() -> dict[str, Count]:
    text = Path(__file__).with_name("counts.json").read_text(encoding="utf-8")
    return {name: Count(**described) for name, described in json.loads(text).items()}
