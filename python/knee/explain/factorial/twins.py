"""Leaves out placements that put threads on the same cpus here as another one: their times differ by chance alone."""

from __future__ import annotations

from dataclasses import replace

from knee.explain.responses import Response, response
from knee.store import Run
from knee.store.records.twins import placement_of, twins

SAME = "puts threads on the same cpus here"
"""Part of the reason of runs that are left out for that."""


def response_of(runs: list[Run], name: str | None) -> Response:
    """Return a response of a study's runs, without placements that are the same here as an earlier one.

    Raises
    ------
    StudyError
        When the response is unknown, or no run has a value.
    """
    return without_twins(response(runs, name))


def without_twins(measured: Response) -> Response:
    """Return a response without placements that are the same here as an earlier one."""
    same = twins(run.spec for run in measured.runs)
    kept: list[int] = []
    left_out = dict(measured.left_out)
    for number, run in enumerate(measured.runs):
        twin = placement_of(run.spec)
        if twin in same:
            left_out[run.spec["id"]] = f"placement {twin} {SAME} as {same[twin]}"
        else:
            kept.append(number)
    return replace(
        measured,
        runs=tuple(measured.runs[number] for number in kept),
        values=tuple(measured.values[number] for number in kept),
        left_out=left_out,
    )
