"""The JSON schema of a study file, for editors."""

from __future__ import annotations

from typing import Any

from knee.store import SCHEMA
from knee.study.spec import OPTIONS

TABLES = {
    "design": "How the runs are arranged.",
    "measure": "What is measured, and what is done around the runs.",
    "hold": "Facts of the machine that must not change during the study.",
}
"""Tables of a study file that hold options only."""


def schema() -> dict[str, Any]:
    """Return the schema."""
    properties: dict[str, Any] = {
        "schema": {"const": SCHEMA, "description": "Version of this form."},
        "knee": {"type": "string", "description": "The version of knee that planned the study; knee writes it."},
    }
    for one in OPTIONS:
        table, _, key = one.key.rpartition(".")
        inside = properties.setdefault(table, _table(table))["properties"] if table else properties
        usual = f" Default: {one.usual}." if one.usual else ""
        inside[key] = {**one.kind.schema(), "description": one.help + usual}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study file of knee",
        "description": "The program, the factors, the design and the measurement: see docs/reference/study-file.md.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": ["program"],
    }


def _table(name: str) -> dict[str, Any]:
    return {"type": "object", "description": TABLES[name], "properties": {}, "additionalProperties": False}
