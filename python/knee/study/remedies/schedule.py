"""Dynamic schedule: OpenMP's threads take small pieces of a loop as they finish."""

from __future__ import annotations

from knee.study.remedies.openmp import no_openmp
from knee.study.remedies.remedy import IMBALANCE, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "dynamic schedule", (IMBALANCE,)


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy."""
    reason, now = no_openmp(here), here.variable("OMP_SCHEDULE") or ""
    if reason is None and "dynamic" in now.lower():
        reason = f"OMP_SCHEDULE is {now} already"
    note = "it changes only loops with schedule(runtime)"
    return [Remedy(NAME, TREATS, "OMP_SCHEDULE=dynamic", here.setting(OMP_SCHEDULE="dynamic"), reason, note=note)]
