"""The evidence for claims: the runs of a study, its curves, its machine, and the files in its folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.stats.intervals import Interval
from knee.store import Folder, Run

Claim = dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """Everything known of a study when its claims are judged."""

    folder: Folder
    runs: list[Run]
    series: list[Series]
    summaries: dict[str, ScalingSummary]
    machine: dict[str, Any]


@dataclass(frozen=True)
class Number:
    """The number that a claim is about, with its interval; ``where`` says at which thread count it was found, if at
    one.
    """

    value: float
    interval: Interval
    where: str = ""


class NoNumberError(Exception):
    """The reason why a claim cannot be measured here."""
