"""Whether runs can be trusted: other work, steal and clock while they ran, and facts that were held but changed.

Such runs count. They are marked, because what they have in common may be what explains them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from knee.store import Run

DISTURBED = {"other_busy": 0.05, "steal": 0.02}
"""A run is called disturbed when other work, or a hypervisor, took more than this share of its cpus."""

SEVERAL_TICKS = 0.03
"""Seconds below which a share of time, counted in ticks of 10 ms, is rounding."""

CLOCK_CHANGE = 0.05
"""A run is called disturbed when the clock proxy changed by more than this while it ran."""


@dataclass(frozen=True)
class Change:
    """A held fact that was another one for some runs than when the study was planned."""

    fact: str
    held: str
    found: list[str]
    runs: list[str]

    def sentence(self, made: int) -> str:
        """Say it of so many runs that were made."""
        were = "was" if len(self.runs) == 1 else "were"
        return f"{len(self.runs)} of {made} runs {were} made with {self.fact}={self._found()} instead of {self.held}"

    def _found(self) -> str:
        try:
            numbers = sorted(map(float, self.found))
        except ValueError:
            return " or ".join(self.found)
        return self.found[0] if len(numbers) == 1 else f"{numbers[0]:g} to {numbers[-1]:g}"


def changes(runs: list[Run]) -> list[Change]:
    """Return what changed, each fact once, with the runs for which it did."""
    changed: dict[tuple[str, str], Change] = {}
    for run in runs:
        for one in run.changed:
            change = changed.setdefault((one["fact"], one["held"]), Change(one["fact"], one["held"], [], []))
            change.runs.append(run.spec["id"])
            if one["found"] not in change.found:
                change.found.append(one["found"])
    return list(changed.values())


def disturbance(run: Run) -> str | None:
    """Return what disturbed a run while it was made, if anything did."""
    # A part that was not measured is missing, or null.
    measured = cast("dict[str, float | None]", run.record.get("validity") or {})
    validity = {name: value for name, value in measured.items() if value is not None}
    capacity = run.record["wall_ns"] / 1e9 * max(1, len(run.spec["cpus"]))
    for name, limit in DISTURBED.items():
        if validity.get(name, 0.0) > limit and validity[name] * capacity > SEVERAL_TICKS:
            return f"{name.replace('_', ' ')} {100 * validity[name]:.0f} %"
    before, after = validity.get("clock_before_ns"), validity.get("clock_after_ns")
    if before and after and abs(math.log(after / before)) > CLOCK_CHANGE:
        return f"clock proxy from {before:.2f} to {after:.2f} ns"
    return None
