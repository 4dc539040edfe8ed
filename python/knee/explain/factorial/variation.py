"""The factorial analyses of the report: of the study's own response, and of others that its file lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from knee.explain.factorial.analysis import FactorialAnalysis, analyze
from knee.explain.factorial.design import Asked, designed
from knee.explain.factorial.twins import response_of
from knee.store import Run, StudyError

FACTORS = 2
"""Minimum number of factors that vary; with a single one the curve shows everything."""


SAME = 1e-9
"""Values that differ by a smaller share of the largest are the same: an analysis would be one of rounding errors."""


def variation(runs: list[Run], allowed: int) -> FactorialAnalysis | None:
    """Return the analysis of the study's response; None unless every cell has runs and degrees of freedom are left."""
    try:
        design, _ = designed(response_of(runs, None), Asked())
        if len(design.factors) < FACTORS or design.missing:
            return None
        analysis = analyze(runs, Asked(), allowed)
    except StudyError:
        return None
    error = analysis.anova.of()
    return analysis if error.freedom and error.squares > 0 else None


def of_responses(runs: list[Run], names: Sequence[str], allowed: int) -> dict[str, FactorialAnalysis | str]:
    """Return the analyses of other responses by name, or the reason why there is none."""
    analyses: dict[str, FactorialAnalysis | str] = {}
    for name in names:
        try:
            measured = response_of(runs, name)
            values = np.array(measured.values)
            if float(np.ptp(values)) <= SAME * float(np.abs(values).max()):
                analyses[name] = f"every run has the same value, {values[0]:.6g} {measured.unit}".rstrip()
                continue
            analyses[name] = analyze(runs, Asked(response=name), allowed)
        except StudyError as error:
            analyses[name] = str(error)
    return analyses
