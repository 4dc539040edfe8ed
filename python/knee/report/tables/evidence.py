"""Table of the report: the values that claims are judged by."""

from __future__ import annotations

import statistics
from typing import Any

from knee.explain.responses import COMPARED, OF_THE_RUN, TIME, response
from knee.explain.scaling.series import cell_words
from knee.opened import Study
from knee.store import StudyError

Row = dict[str, Any]

MOST = 400
"""Rows at most: a study has some ten responses at most, but may have hundreds of cells."""

SHOWN_ELSEWHERE = {TIME, "metric", *COMPARED, *OF_THE_RUN}
"""Responses that the summary has."""


def evidence_rows(study: Study) -> list[Row]:
    """Return the median, the least and the largest value of each response that claims name: one row a cell.

    Responses that no run has are left out: each claim says what it lacks.
    """
    claims = study.folder.read_study_spec().get("claim", [])
    named = dict.fromkeys(str(one[key]) for one in claims for key in ("response", "per") if key in one)
    rows = [row for name in named if name not in SHOWN_ELSEWHERE for row in _of(study, name)]
    return rows[:MOST]


def _of(study: Study, name: str) -> list[Row]:
    try:
        found = response(study.runs, name)
    except StudyError:
        return []
    cells: dict[str, list[float]] = {}
    varying = [factor for factor in study.runs[0].cell if len({str(run.cell.get(factor)) for run in found.runs}) > 1]
    for run, value in zip(found.runs, found.values, strict=True):
        where = cell_words(run.cell, varying) or "all runs"
        cells.setdefault(where, []).append(value)
    return [
        {
            "response": name,
            "where": where,
            "median": float(statistics.median(values)),
            "least": min(values),
            "largest": max(values),
            "unit": found.unit,
            "runs": len(values),
        }
        for where, values in cells.items()
    ]
