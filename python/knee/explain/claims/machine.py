"""Checks what a claim needs of the machine, and resolves thread counts like ``cores``."""

from __future__ import annotations

from typing import Any

from knee.explain.claims.cells import Cell
from knee.explain.claims.evidence import Claim, NoNumberError
from knee.store import KINDS, own_counts


def require(needs: dict[str, int], machine: dict[str, Any]) -> None:
    """Raise NoNumberError unless the machine has what the claim needs, and the study may use it."""
    allowed = set(machine["allowed"]["cpus"])
    has = {name: sum(1 for part in machine[name] if allowed & set(part["cpus"])) for name in ("sockets", "cores")}
    # A node without cpus is not excluded by a mask of cpus.
    has["nodes"] = sum(1 for node in machine["nodes"] if not node["cpus"] or allowed & set(node["cpus"]))
    has["hardware_threads"] = len(allowed)
    has["threads_per_core"] = max((len(allowed & set(core["cpus"])) for core in machine["cores"]), default=0)
    lacking = [f"{number} {name.replace('_', ' ')}" for name, number in needs.items() if has[name] < number]
    if lacking:
        short = ", ".join(f"{has[name]}" for name, number in needs.items() if has[name] < number)
        masked = " that this process may use" if len(allowed) < len(machine["hardware_threads"]) else ""
        raise NoNumberError(f"it needs {', '.join(lacking)}; this machine has {short}{masked}")


def resolved(claim: Claim, machine: dict[str, Any]) -> Claim:
    """Return a claim with ``cores``, ``cpus`` and the like replaced by this machine's numbers."""
    own = own_counts(machine)

    def counted(cell: Cell) -> Cell:
        return {name: own.get(str(level), level) if name == "threads" else level for name, level in cell.items()}

    told = dict(claim)
    for name in claim:
        if name == "at" or (name in KINDS and KINDS[name].chooses == "cell"):
            told[name] = counted(claim[name])
        elif name in KINDS and KINDS[name].chooses == "two cells":
            told[name] = {side: counted(cell) for side, cell in claim[name].items()}
    if "between" in claim:
        told["between"] = [own.get(str(count), count) for count in claim["between"]]
    return told
