"""What a verdict is made of: everything that the analysis found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knee.explain.causes.cause import Finding
from knee.explain.claims.judge import Judged
from knee.explain.disturbance import Disturbance
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.store import Run


@dataclass(frozen=True)
class Told:
    """The parts of an analysis that a verdict speaks of. ``summaries`` has one for each series, by name."""

    name: str
    runs: Sequence[Run]
    series: Sequence[Series]
    summaries: dict[str, ScalingSummary]
    findings: Sequence[Finding]
    claims: Sequence[Judged]
    disturbance: Disturbance | None

    @property
    def blocks(self) -> int:
        """Blocks that were begun."""
        return max((run.spec["block"] for run in self.runs), default=0)
