"""Held facts that changed during a study. Runs made after a change count but are marked, since it may explain them."""

from __future__ import annotations

from dataclasses import dataclass

from knee.store import Run


@dataclass(frozen=True)
class Change:
    """A held fact that differed during some runs from what it was when the study was planned."""

    fact: str
    held: str
    found: list[str]
    runs: list[str]

    def sentence(self, made: int) -> str:
        """Return the change as a clause; ``made`` is the number of all runs."""
        were = "was" if len(self.runs) == 1 else "were"
        return f"{len(self.runs)} of {made} runs {were} made with {self.fact}={self._found()} instead of {self.held}"

    def _found(self) -> str:
        try:
            numbers = sorted(map(float, self.found))
        except ValueError:
            return " or ".join(self.found)
        return self.found[0] if len(numbers) == 1 else f"{numbers[0]:g} to {numbers[-1]:g}"


def changes(runs: list[Run]) -> list[Change]:
    """Return every fact that changed, with the runs concerned."""
    changed: dict[tuple[str, str], Change] = {}
    for run in runs:
        for one in run.changed:
            change = changed.setdefault((one["fact"], one["held"]), Change(one["fact"], one["held"], [], []))
            change.runs.append(run.spec["id"])
            if one["found"] not in change.found:
                change.found.append(one["found"])
    return list(changed.values())
