"""Which placements put threads on the same cpus on this machine, so that their times differ by chance alone.

On a machine without siblings ``threads-close`` does what ``cores-close`` does.
"""

from __future__ import annotations

from collections.abc import Iterable

from knee.store.seam import RunSpec

UNPINNED = "none"


def twins(specs: Iterable[RunSpec]) -> dict[str, str]:
    """Return the placements with the same cpus in every cell as another one, each with the first of these by name."""
    cpus: dict[str, dict[str, list[int]]] = {}
    for spec in specs:
        placement = placement_of(spec)
        if placement not in ("", UNPINNED):
            elsewhere = sorted((name, str(level)) for name, level in spec["cell"].items() if name != "placement")
            cpus.setdefault(placement, {})[str(elsewhere)] = spec["cpus"]
    names = sorted(cpus)
    first = {name: next(other for other in names if cpus[other] == cpus[name]) for name in names}
    return {name: other for name, other in first.items() if name != other}


def placement_of(spec: RunSpec) -> str:
    """Return the placement of a run spec; empty where its study has none."""
    return str(spec["cell"].get("placement", ""))
