"""What a claim needs of a machine, and the thread counts that claims name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from knee.store.claims.kinds import KINDS
from knee.store.records.own_counts import own_counts

PLURAL = r"s\b"


def lacking(needs: dict[str, int], machine: dict[str, Any]) -> str | None:
    """Return what a claim needs that the machine lacks, or that a study may not use there; None if it has everything.

    Examples
    --------
    >>> one = {"allowed": {"cpus": [0]}, "sockets": [], "nodes": [], "hardware_threads": [{"cpus": [0]}]}
    >>> lacking({"cores": 2}, one | {"cores": [{"cpus": [0]}]})
    'it needs 2 cores; this machine has 1 core'
    """
    allowed = set(machine["allowed"]["cpus"])
    has = {name: sum(1 for part in machine[name] if allowed & set(part["cpus"])) for name in ("sockets", "cores")}
    # A node without cpus is not excluded by a mask of cpus.
    has["nodes"] = sum(1 for node in machine["nodes"] if not node["cpus"] or allowed & set(node["cpus"]))
    has["hardware_threads"] = len(allowed)
    has["threads_per_core"] = max((len(allowed & set(core["cpus"])) for core in machine["cores"]), default=0)
    short = [(name, number) for name, number in needs.items() if has[name] < number]
    if not short:
        return None
    wanted, there = (", ".join(_parts(name, counts[name]) for name, _ in short) for counts in (needs, has))
    masked = " that this process may use" if len(allowed) < len(machine["hardware_threads"]) else ""
    return f"it needs {wanted}; this machine has {there}{masked}"


def _parts(name: str, number: int) -> str:
    """Return ``1 socket`` or ``2 threads per core``."""
    words = name.replace("_", " ")
    return f"{number} {words if number != 1 else re.sub(PLURAL, '', words, count=1)}"


def claimed_counts(claims: Iterable[dict[str, Any]], machine: dict[str, Any]) -> set[int]:
    """Return the thread counts that claims name, as far as the machine has so many cpus and what each claim needs."""
    own = own_counts(machine)
    named = {
        own.get(str(count), count)
        for claim in claims
        if lacking(claim.get("needs", {}), machine) is None
        for count in _named(claim)
    }
    return {int(count) for count in named if str(count).isdecimal() and 0 < int(count) <= own["cpus"]}


def _named(claim: dict[str, Any]) -> Iterator[int | str]:
    [kind] = [KINDS[name] for name in KINDS if name in claim]
    cells = [claim.get("at", {})]
    if kind.chooses == "two cells":
        cells += claim[kind.name].values()
    elif kind.chooses == "cell":
        cells.append(claim[kind.name])
    yield from (cell["threads"] for cell in cells if "threads" in cell)
    yield from claim.get("between", [])
