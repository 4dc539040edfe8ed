"""Units and meanings of the numbers that workloads, schedulers and regions count themselves.

The list is in the code that counts (`crates/workload/src/counts.rs`); `counts.json` is generated from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

THREAD = "thread_"
"""Prefix of counters that threads count inside a region; the rest is the counter's name."""


@dataclass(frozen=True)
class Count:
    """The unit and meaning of a count."""

    unit: str
    meaning: str


def count_named(name: str) -> Count | None:
    """Return the entry of a name; None if it is not in the list, like counts of a user's own program."""
    return _counts().get(name)


@cache
def _counts() -> dict[str, Count]:
    text = Path(__file__).with_name("counts.json").read_text(encoding="utf-8")
    return {name: Count(**described) for name, described in json.loads(text).items()}
