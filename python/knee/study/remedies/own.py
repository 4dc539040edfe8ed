"""Remedies of the study file: another command, other arguments or variables."""

from __future__ import annotations

from typing import Any

from knee.study.design.program import filled, grown_by, levels
from knee.study.kinds.remedies import AS_IS
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.situation import Situation

KEYS = ("name", "treats", "command", "env", "args")
"""Keys of a remedy. One that was added to a study's folder has not been checked before."""

NEEDS = {"command": "command", "args": "workload"}
"""What a program has to be, for keys that not every program has."""


def remedies(here: Situation) -> list[Remedy]:
    """Return one remedy for each table ``[[remedy]]``."""
    return [_own(here, table) for table in here.own]


def _own(here: Situation, table: dict[str, Any]) -> Remedy:
    program = dict(here.program)
    arguments = levels(here.as_is["cell"]) | grown_by(here.weak, here.as_is["threads"])
    does: list[str] = []
    reason: str | None = None
    for key in ("command", "env", "args"):
        if key not in table:
            continue
        if key in NEEDS and NEEDS[key] not in program:
            reason = f"{key} is only for a {NEEDS[key]}"
        elif key == "command":
            program[key] = [filled(word, arguments) for word in table[key]]
            does.append(" ".join(program[key]))
        else:
            changed = {name: filled(str(value), arguments) for name, value in table[key].items()}
            program[key] = {**program.get(key, {}), **changed}
            # An argument that is also a factor has the level as a parameter.
            if key == "args" and "params" in program:
                program["params"] = {**program["params"], **changed}
            does += [f"{name}={value}" for name, value in changed.items()]
    if unknown := sorted(table.keys() - set(KEYS)):
        reason = f"a remedy has no key {unknown[0]!r}: its keys are {', '.join(KEYS)}"
    elif table["name"] == AS_IS:
        reason = "its name is that of runs without a remedy"
    elif reason is None and not does:
        reason = "it changes nothing: give command, args or env"
    treats = tuple(table.get("treats", ()))
    return Remedy(table["name"], treats, " ".join(does), {"program": program}, reason)
