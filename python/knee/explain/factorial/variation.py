"""What explains the variation of a study's times: its factorial analysis, where the runs are such a design."""

from __future__ import annotations

from collections.abc import Sequence

from knee.explain.factorial.analysis import FactorialAnalysis, analyze
from knee.explain.factorial.design import Asked, designed
from knee.explain.responses import response
from knee.store import Run, StudyError

FACTORS = 2
"""With fewer factors that vary there is nothing to divide: the curve says it all."""


def variation(runs: list[Run]) -> FactorialAnalysis | None:
    """Return the analysis of what the study measures; None where the runs are no full design with an error left."""
    try:
        design, _ = designed(response(runs, None), Asked())
        if len(design.factors) < FACTORS or design.missing:
            return None
        analysis = analyze(runs, Asked())
    except StudyError:
        return None
    error = analysis.anova.of()
    return analysis if error.freedom and error.squares > 0 else None


def of_responses(runs: list[Run], names: Sequence[str]) -> dict[str, FactorialAnalysis | str]:
    """Return the analyses of other responses by name, or why there is none."""
    analyses: dict[str, FactorialAnalysis | str] = {}
    for name in names:
        try:
            analyses[name] = analyze(runs, Asked(response=name))
        except StudyError as error:
            analyses[name] = str(error)
    return analyses
