"""Notes on a comparison: unintended differences between both sides, and rejected or disturbed runs."""

from __future__ import annotations

from typing import Any, cast

from knee.explain.changes import changes
from knee.explain.comparison.cells import Side
from knee.explain.disturbance import disturbance
from knee.store import VARIABLES, Run

UNSTEADY = ("clock_ns",)
"""Facts that differ between any two studies, because each study measures them itself."""


def of_sessions(spread: float) -> str:
    """Return the note that A and B are two sessions."""
    two = "A and B were measured in two sessions, without common blocks"
    if spread == 0:
        return f"{two}; the ratio includes whatever changed in between"
    return f"{two}; intervals allow for a difference of {100 * spread:g} % between sessions (--session-spread)"


def differences(a: Side, b: Side, where: tuple[str, str] = ("in A", "in B")) -> list[str]:
    """Return the differences between two sessions' machines and versions of knee; ``where`` names the sessions."""
    first, last = where
    lines: list[str] = []
    for kind in ("sockets", "nodes", "cores", "hardware_threads"):
        sizes = [len(side.machine.get(kind, [])) for side in (a, b)]
        if sizes[0] != sizes[1]:
            lines.append(f"different machines: {sizes[0]} {kind.replace('_', ' ')} {first}, {sizes[1]} {last}")
    facts = [cast("dict[str, Any]", side.machine.get("facts", {})) for side in (a, b)]
    for name in sorted((facts[0].keys() | facts[1].keys()) - set(UNSTEADY)):
        known = [_fact(one.get(name)) for one in facts]
        if name == VARIABLES and all(name in one for one in facts) and known[0] != known[1]:
            lines.append(f"different shells: runtime variables are {known[0]} {first}, {known[1]} {last}")
        elif name != VARIABLES and known[0] != known[1]:
            lines.append(f"different machines: {name.replace('_', ' ')} is {known[0]} {first}, {known[1]} {last}")
    if a.version != b.version:
        lines.append(f"different versions of knee: {a.version or 'unknown'} {first}, {b.version or 'unknown'} {last}")
    return lines


def _fact(value: object) -> str:
    return str(value) if isinstance(value, str) else "not available"


def programs(common: list[tuple[Run, Run]]) -> list[str]:
    """Return the note that the commands differ, compared on the fewest threads: with more, only the count differs."""
    fewest = min((run.threads for run, _ in common), default=1)
    programs = [{_program(pair[side]) for pair in common if pair[side].threads == fewest} for side in (0, 1)]
    if programs[0] == programs[1]:
        return []
    own = [sorted(mine - other or mine) for mine, other in (programs, programs[::-1])]
    shown = [f"{mine[0]}{f' and {len(mine) - 1} more' if len(mine) > 1 else ''}" for mine in own]
    return [f"the program differs: {shown[0]} in A, {shown[1]} in B"]


def _program(run: Run) -> str:
    program = run.spec["program"]
    args: dict[str, Any] = program.get("args", {}) | program.get("params", {})
    return " ".join(map(str, program.get("command", [program.get("workload"), *(f"{k}={v}" for k, v in args.items())])))


def marks(letter: str, side: Side) -> list[str]:
    """Return the notes on a side's rejected, disturbed, changed and simulated runs."""
    good, made = [run for run in side.runs if run.bad is None], len(side.runs)
    lines = [f"{letter}: {change.sentence(made)}" for change in changes(good)]
    if len(good) < made:
        lines.append(f"{letter}: {made - len(good)} of {made} runs were bad and are excluded")
    allowed = len(side.machine["allowed"]["cpus"])
    disturbed = sum(disturbance(run, allowed) is not None for run in good)
    if disturbed:
        lines.append(
            f"{letter}: {disturbed} of {made} runs were disturbed (other programs, steal, clock); this widens intervals"
        )
    if any(run.record["simulated"] for run in side.runs):
        lines.append(f"{letter}: simulated, not measured")
    return lines
