"""Table of the report: the values that claims are judged by."""

from __future__ import annotations

import statistics
from typing import Any

from knee.explain.responses import COMPARED, OF_THE_RUN, TIME, pool, response
from knee.explain.scaling.series import cell_words
from knee.opened import Study
from knee.store import StudyError

Row = dict[str, Any]

MOST = 200
"""Cells of a response that have a row; a study may have thousands."""

SHOWN_ELSEWHERE = {TIME, *COMPARED, *OF_THE_RUN}
"""Responses that the summary has."""


def evidence_rows(study: Study) -> list[Row]:
    """Return the median, the least and the largest value of each response that claims name: one row a cell.

    Responses that no run has are left out: each claim says what it lacks.
    """
    claims = study.folder.read_study_spec().get("claim", [])
    named = dict.fromkeys(
        (str(one[key]), one["against"] if key == "against" else one.get("response"))
        for one in claims
        for key in ("response", "per", "against")
        if key in one
    )
    rows = [row for name, of in named for row in _of(study, name, of)]
    # Several claims may divide one response by others.
    return [row for number, row in enumerate(rows) if row not in rows[:number]]


def _of(study: Study, name: str, of: str | None) -> list[Row]:
    """Return the rows of one response, in the runs that have the response ``of`` that a claim divides by it."""
    try:
        found = response(pool(study.runs, of), name)
    except StudyError:
        return []
    # Names of the same response may differ: `metric`, and what the metric is called.
    if name == "metric" or found.name in SHOWN_ELSEWHERE:
        return []
    cells: dict[str, list[float]] = {}
    factors = dict.fromkeys(factor for run in found.runs for factor in run.cell)
    varying = [factor for factor in factors if len({str(run.cell.get(factor)) for run in found.runs}) > 1]
    for run, value in zip(found.runs, found.values, strict=True):
        where = cell_words(run.cell, varying) or "all runs"
        cells.setdefault(where, []).append(value)
    rows: list[Row] = [
        {
            "response": name,
            "where": where,
            "median": float(statistics.median(values)),
            "least": min(values),
            "largest": max(values),
            "unit": found.unit,
            "runs": len(values),
        }
        for where, values in list(cells.items())[:MOST]
    ]
    if len(cells) > MOST:
        left = dict.fromkeys(rows[0], None) | {"response": name, "where": f"{len(cells) - MOST} cells more"}
        rows.append(left)
    return rows
