"""Checks what a claim needs of the machine, and resolves thread counts like ``cores``."""

from __future__ import annotations

from typing import Any

from knee.explain.claims.cells import Cell
from knee.explain.claims.evidence import Claim, NoNumberError
from knee.store import KINDS, lacking, own_counts


def require(needs: dict[str, int], machine: dict[str, Any]) -> None:
    """Raise NoNumberError unless the machine has what the claim needs, and the study may use it."""
    if missing := lacking(needs, machine):
        raise NoNumberError(missing)


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
