"""The JSON schema of a claim; ``store/claims`` checks the same and says what is wrong."""

from __future__ import annotations

from typing import Any

CLAIM: dict[str, Any] = {
    "type": "object",
    "description": "A sentence with a test on the results.",
    "properties": {
        "says": {"type": "string", "minLength": 1, "description": "The sentence."},
        "source": {"description": "Who claims it.", "type": "string"},
        "needs": {
            "type": "object",
            "description": "What a machine must have for the claim to mean anything on it.",
            "properties": {
                "sockets": {"type": "integer", "minimum": 1},
                "nodes": {"type": "integer", "minimum": 1},
                "cores": {"type": "integer", "minimum": 1},
                "hardware_threads": {"type": "integer", "minimum": 1},
                "threads_per_core": {"type": "integer", "minimum": 1},
            },
            "additionalProperties": False,
        },
        "response": {
            "description": "What is compared: wall, cpu, a phase, a counter. Absent: what the study measures.",
            "type": "string",
        },
        "above": {"type": "number", "description": "The whole interval has to lie above this."},
        "below": {"type": "number", "description": "The whole interval has to lie below this."},
        "ratio": {
            "type": "object",
            "description": "The response of one cell over that of another.",
            "properties": {
                "of": {"type": "object", "minProperties": 1, "additionalProperties": {"type": ["string", "number"]}},
                "over": {"type": "object", "minProperties": 1, "additionalProperties": {"type": ["string", "number"]}},
            },
            "additionalProperties": False,
            "required": ["of", "over"],
        },
        "speedup": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "required": ["threads"],
            "description": "Time on the fewest threads over time of this cell.",
        },
        "knee": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "description": "The knee of the one series that has these levels.",
        },
        "explains": {"type": "string", "description": "The share of the variation that this factor explains."},
        "value": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "description": "The response of these cells, as a geometric mean; as an arithmetic "
            "one where a value is not positive.",
        },
        "per": {"description": "Another response of the same runs, by which it is divided.", "type": "string"},
        "at": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number"]},
            "description": "Levels of the runs among which it explains.",
        },
    },
    "additionalProperties": False,
    "required": ["says"],
    "dependentRequired": {"at": ["explains"]},
    "dependentSchemas": {"knee": {"properties": {"response": False, "per": False}}},
    "allOf": [
        {
            "oneOf": [
                {"required": ["ratio"]},
                {"required": ["value"]},
                {"required": ["speedup"]},
                {"required": ["knee"]},
                {"required": ["explains"]},
            ]
        },
        {"anyOf": [{"required": ["above"]}, {"required": ["below"]}]},
    ],
}
