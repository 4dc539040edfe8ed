"""Remedies of a study file: what `knee try` tries beside the remedies that it knows."""

from __future__ import annotations

from typing import Any, cast

from knee.study.kinds.kind import Kind, Schema
from knee.study.kinds.program import VALUES, values_of
from knee.study.kinds.study_file import StudyFile

KEYS = ("name", "treats", "command", "args", "env")
CHANGES = ("command", "args", "env")
AS_IS = "as is"

WORDS: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
EXAMPLE = 'command = ["./program", "--processes", "{threads}"]'


class Remedies(Kind):
    """Tables ``[[remedy]]``: a name, the causes that it treats, and what it changes of the program."""

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            raise file.fail(key, "it is not a list of tables", "start each remedy with [[remedy]]")
        found = [_remedy(one, f"{key} {n}", file) for n, one in enumerate(cast("list[Any]", value), 1)]
        names = [one["name"] for one in found]
        for name in names:
            if names.count(name) > 1 or name == AS_IS:
                raise file.fail(key, f"the name {name!r} is taken", "each remedy needs a name of its own")
        return found

    def schema(self) -> Schema:
        return {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "description": "Its name in results."},
                    "treats": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "The causes that it treats, by the names of `knee help causes`.",
                    },
                    "command": {
                        "description": "Another command; {threads}, {cpus} and {FACTOR} are replaced.",
                        **WORDS,
                    },
                    "args": {"description": "Other arguments of the workload.", **VALUES},
                    "env": {"description": "Variables to set.", **VALUES},
                },
                "required": ["name"],
                "anyOf": [{"required": [one]} for one in CHANGES],
                "additionalProperties": False,
            },
        }


def _remedy(value: Any, key: str, file: StudyFile) -> dict[str, Any]:
    table = dict(file.table(value, key, KEYS))
    if not file.text(table.get("name", ""), f"{key}: name"):
        raise file.fail(f"{key}: name", "a remedy needs a name", 'name = "processes instead of threads"')
    if not any(one in table for one in CHANGES):
        raise file.fail(key, "it changes nothing: give command, args or env", EXAMPLE)
    file.names(table.get("treats", []), f"{key}: treats", "causes")
    if "command" in table and not file.names(table["command"], f"{key}: command", "words"):
        raise file.fail(f"{key}: command", "it is not a list of words", EXAMPLE)
    for name in ("args", "env"):
        if name in table:
            table[name] = values_of(table[name], f"{key}: {name}", file)
    return table
