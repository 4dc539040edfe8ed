"""As many threads as the quota of CPU time allows cpus."""

from __future__ import annotations

import math

from knee.study.remedies.remedy import QUOTA, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "as many threads as the quota", (QUOTA,)


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy, and what root could do instead."""
    quota = here.machine["allowed"].get("quota_cpus")
    if quota is None:
        return [Remedy(NAME, TREATS, why_not="no control group limits CPU time here")]
    threads = max(1, math.floor(quota))
    if threads >= here.as_is["threads"]:
        return [Remedy(NAME, TREATS, why_not=f"the quota of {quota:g} cpus suffices")]
    raised = "echo max > cpu.max, in the control group's folder below /sys/fs/cgroup"
    cpus = here.as_is["cpus"][:threads]
    change = here.on(cpus) if cpus else {"threads": threads}
    does = f"{threads} instead of {here.as_is['threads']} threads"
    return [Remedy(NAME, TREATS, does, change), Remedy("no quota", TREATS, root=raised)]
