"""The input of a verdict: all results of the analysis that it mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knee.explain.causes.cause import Finding
from knee.explain.claims.judge import Judged
from knee.explain.computed import OtherCount
from knee.explain.disturbance import Disturbance
from knee.explain.ledger.explanation import Explanation
from knee.explain.phases.phases import Phase
from knee.explain.scaling.series import Series
from knee.explain.scaling.summary import ScalingSummary
from knee.explain.tried import Tried
from knee.store import Run


@dataclass(frozen=True)
class Results:
    """The parts of an analysis that a verdict is made from. ``summaries`` has one per series, by name."""

    name: str
    runs: Sequence[Run]
    series: Sequence[Series]
    summaries: dict[str, ScalingSummary]
    findings: Sequence[Finding]
    claims: Sequence[Judged]
    disturbance: Disturbance | None
    computed: Sequence[OtherCount] = ()
    ledgers: Mapping[str, Sequence[Explanation]] = field(default_factory=dict[str, Sequence[Explanation]])
    tried: Sequence[Tried] = ()
    phases: Mapping[str, Sequence[Phase]] = field(default_factory=dict[str, Sequence[Phase]])

    @property
    def blocks(self) -> int:
        """Number of blocks with at least one run."""
        return max((run.spec["block"] for run in self.runs), default=0)
