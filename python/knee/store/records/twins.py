"""Which placements put threads on the same cpus on this machine, so that their times differ by chance alone.

On a machine without siblings ``threads-close`` does what ``cores-close`` does.
"""

from __future__ import annotations

from collections.abc import Iterable

from knee.store.seam import RunSpec

UNPINNED = "none"


def twins(specs: Iterable[RunSpec]) -> dict[str, str]:
    """Return the placements with the same cpus as another one wherever both were used, each with the first by name."""
    cpus: dict[str, dict[str, list[int]]] = {}
    for spec in specs:
        placement = placement_of(spec)
        if placement not in ("", UNPINNED):
            elsewhere = sorted((name, str(level)) for name, level in spec["cell"].items() if name != "placement")
            cpus.setdefault(placement, {})[str(elsewhere)] = spec["cpus"]
    names, found = sorted(cpus), dict[str, str]()
    for number, name in enumerate(names):
        first = next((other for other in names[:number] if _same(cpus[name], cpus[other])), None)
        if first is not None:
            found[name] = first
    return found


def _same(one: dict[str, list[int]], other: dict[str, list[int]]) -> bool:
    shared = one.keys() & other.keys()
    return bool(shared) and all(one[cell] == other[cell] for cell in shared)


def placement_of(spec: RunSpec) -> str:
    """Return the placement of a run spec; empty where its study has none."""
    return str(spec["cell"].get("placement", ""))
