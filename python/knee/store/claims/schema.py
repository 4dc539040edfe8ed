"""Makes the JSON Schema of a claim from the table of kinds."""

from __future__ import annotations

from typing import Any

from knee.store.claims.kinds import ALWAYS, KEYS, KINDS, LEVEL, LEVELS, OF_THREADS, Kind


def claim_schema() -> dict[str, Any]:
    """Return the schema of one table under ``[[claim]]``."""
    return {
        "type": "object",
        "description": "A sentence with a test on the results.",
        "properties": KEYS | {name: _chosen(kind) for name, kind in KINDS.items()},
        "additionalProperties": False,
        "required": ["says"],
        "allOf": [
            {"oneOf": [{"required": [name]} for name in KINDS]},
            {"anyOf": [{"required": ["above"]}, {"required": ["below"]}]},
        ],
        "dependentSchemas": {name: _goes_with(kind) for name, kind in KINDS.items()}
        | {
            "among": {
                "if": {"properties": {"among": {"const": "threads"}}},
                "then": {"properties": {"response": {"enum": list(OF_THREADS)}, "per": False}},
            }
        },
    }


def _chosen(kind: Kind) -> dict[str, Any]:
    """Return the schema of a kind's value."""
    if kind.chooses == "factor":
        return {"type": "string", "description": kind.about}
    if kind.chooses == "two cells":
        side = {"type": "object", "minProperties": 1, "additionalProperties": LEVEL}
        sides = {name: _without_threads(kind, side) for name in kind.sides}
        two = {"type": "object", "properties": sides, "additionalProperties": False, "required": list(kind.sides)}
        return two | {"description": kind.about}
    more = {"required": ["threads"]} if kind.name == "speedup" else {}
    return _without_threads(kind, LEVELS) | more | {"description": kind.about}


def _without_threads(kind: Kind, cell: dict[str, Any]) -> dict[str, Any]:
    return cell | {"properties": {"threads": False}} if "between" in kind.must else cell


def _goes_with(kind: Kind) -> dict[str, Any]:
    """Return the rules on which keys a kind requires and which it forbids."""
    others = [name for name in KEYS if name not in (*ALWAYS, *kind.keys)]
    rules: dict[str, Any] = {"properties": dict.fromkeys(others, False)}
    if kind.must:
        rules["required"] = list(kind.must)
    if "against" in kind.keys:
        rules["not"] = {"required": ["against", "per"]}
    if kind.name == "order":
        rules["not"] = {"required": ["above", "below"]}
    return rules
