"""Leaves out placements that put threads on the same cpus here as another one: their times differ by chance alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knee.explain.responses import Response, response
from knee.store import Run

UNPINNED = "none"

SAME = "puts threads on the same cpus here"
"""Part of the reason of runs that are left out for that."""


def response_of(runs: list[Run], name: str | None) -> Response:
    """Return a response of a study's runs, without placements that are the same here as an earlier one.

    Raises
    ------
    StudyError
        When the response is unknown, or no run has a value.
    """
    measured = response(runs, name)
    twins = _twins(measured.runs)
    kept = [number for number, run in enumerate(measured.runs) if _placement(run) not in twins]
    left_out = {
        run.spec["id"]: f"placement {twin} {SAME} as {twins[twin]}"
        for run in measured.runs
        if (twin := _placement(run)) in twins
    }
    return replace(
        measured,
        runs=tuple(measured.runs[number] for number in kept),
        values=tuple(measured.values[number] for number in kept),
        left_out=measured.left_out | left_out,
    )


def _twins(runs: Sequence[Run]) -> dict[str, str]:
    """Return the placements that are the same as an earlier one, each with that one."""
    cpus: dict[str, dict[str, list[int]]] = {}
    for run in sorted(runs, key=_placement):
        if _placement(run) not in ("", UNPINNED):
            cpus.setdefault(_placement(run), {})[_elsewhere(run)] = run.spec["cpus"]
    found: dict[str, str] = {}
    names = list(cpus)
    for number, name in enumerate(names):
        first = next((other for other in names[:number] if cpus[other] == cpus[name]), None)
        if first is not None:
            found[name] = first
    return found


def _placement(run: Run) -> str:
    return str(run.cell.get("placement", ""))


def _elsewhere(run: Run) -> str:
    """Name the run's cell without its placement."""
    return str(sorted((name, str(level)) for name, level in run.cell.items() if name != "placement"))
