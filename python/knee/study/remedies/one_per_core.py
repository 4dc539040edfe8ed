"""One thread per core: no two threads share the hardware of a core (SMT)."""

from __future__ import annotations

from knee.study.remedies.remedy import CACHE, SMT, Remedy
from knee.study.remedies.situation import Situation

NAME, TREATS = "one thread per core", (SMT, CACHE)


def remedies(here: Situation) -> list[Remedy]:
    """Return the remedy: the same threads on more cores, or as many threads as there are cores."""
    allowed = set(here.allowed)
    cores = [cpus for core in here.machine["cores"] if (cpus := sorted(set(core["cpus"]) & allowed))]
    if all(len(cpus) == 1 for cpus in cores):
        return [Remedy(NAME, TREATS, why_not="each core has one hardware thread here")]
    used = here.as_is["cpus"]
    if used and all(len(set(used) & set(cpus)) <= 1 for cpus in cores):
        return [Remedy(NAME, TREATS, why_not="the threads have a core each already")]
    # Cores that the run uses come first, in the order in which it uses them.
    order = {cpu: place for place, cpu in enumerate(used)}
    firsts = sorted((min(cpus, key=lambda cpu: order.get(cpu, len(order))) for cpus in cores),
                    key=lambda cpu: order.get(cpu, len(order)))  # fmt: skip
    chosen = firsts[: here.as_is["threads"]]
    does = f"{len(chosen)} threads on cpus {','.join(map(str, sorted(chosen)))}"
    return [Remedy(NAME, TREATS, does, here.on(chosen))]
