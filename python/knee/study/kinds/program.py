"""Values of the options about the program under study and its serial baseline: a command or a workload."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import INPUTS, StudyError
from knee.study.kinds.kind import Kind, Schema
from knee.study.kinds.study_file import StudyFile

_VALUE: Schema = {"type": ["string", "number", "boolean"]}
VALUES: Schema = {"type": "object", "additionalProperties": _VALUE}


class Program(Kind):
    """A command, or one workload or several; on the command line, the command's runtime."""

    replaced = "{threads}, {cpus} and {FACTOR} are replaced."

    def from_words(self, value: Any, flag: str) -> dict[str, Any]:
        del flag
        return {"for": value}

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, Any]:
        table = dict(file.table(value, key, tuple(self.schema()["properties"])))
        for name in ("for", "directory"):
            if name in table:
                file.text(table[name], f"{key}.{name}")
        if ("command" in table) == ("workload" in table):
            hint = 'command = ["./program", "{threads}"]'
            raise file.fail(key, "give either command or workload", hint)
        for name in ("args", "env"):
            if name in table:
                table[name] = values_of(table[name], f"{key}.{name}", file)
        if "workload" in table:
            table["workload"] = self.workload(table["workload"], f"{key}.workload", file)
        elif not file.names(table["command"], f"{key}.command", "words"):
            raise file.fail(f"{key}.command", "it is not a list of words")
        # Paths start from the folder of the file, so that a study runs the same wherever it is started.
        folder = file.path.parent / str(table.get("directory", "."))
        return table | {"directory": str(folder.resolve())}

    def workload(self, value: Any, key: str, file: StudyFile) -> str | dict[str, dict[str, str]]:
        """Return the name of a workload, or the names of several with the arguments of each."""
        if not isinstance(value, dict):
            return file.text(value, key)
        named = file.table(value, key)  # pyright: ignore[reportUnknownArgumentType]
        if not named:
            raise file.fail(key, "it is empty", "workload = { heat = {}, cilksort = {} }")
        return {name: values_of(args, f"{key}.{name}", file) for name, args in named.items()}

    def schema(self) -> Schema:
        words: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        runtime = "The command's runtime: knee sets the variables by which it learns its threads and cpus."
        return {
            "type": "object",
            "properties": {
                "command": {"description": f"Words of a command; {self.replaced}", **words},
                "workload": self.workload_schema(),
                "args": {**VALUES, "description": "Arguments of the workload."},
                "env": {**VALUES, "description": f"Variables of the program; {self.replaced}"},
                "for": {"description": runtime, "type": "string"},
                "directory": {
                    "description": "Where the program runs, from the folder of this file.",
                    "type": "string",
                },
            },
            "additionalProperties": False,
            "oneOf": [{"required": ["command"]}, {"required": ["workload"]}],
        }

    def workload_schema(self) -> Schema:
        """Return the schema of the key ``workload``."""
        return {
            "description": "A built-in workload, or several: a table of their names with their own arguments. "
            "Under another name the key workload says which one it is, so that one may stand there twice.",
            "oneOf": [{"type": "string"}, {"type": "object", "minProperties": 1, "additionalProperties": VALUES}],
        }


class Baseline(Program):
    """The best serial version of a program: a command, or one workload."""

    replaced = "{threads}, {cpus} and {FACTOR} are replaced: it runs at each level that it names."

    def from_words(self, value: Any, flag: str) -> dict[str, Any]:
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise StudyError(f"{flag}: {value!r}: {error}", hint="close the quotation mark") from error
        if not words:
            raise StudyError(f"{flag}: the command is empty", hint=f"{flag} './serial input'")
        listed = {workload["name"] for workload in _binary.ask("workloads")["workloads"]}
        if words[0] in listed:
            program = resolved(words)[0]
            names, values = _given(words[1:])
            # It takes inputs that it does not name from the program, so defaults must not stand in their place.
            args = {
                name: text
                for name, text in program["args"].items()
                if name not in INPUTS or name in names or text in values
            }
            return program | {"args": args}
        return {"command": words, "directory": str(Path.cwd())}

    def workload(self, value: Any, key: str, file: StudyFile) -> str:
        return file.text(value, key)

    def workload_schema(self) -> Schema:
        return {"description": "A built-in workload.", "type": "string"}


def _given(words: list[str]) -> tuple[set[str], set[str]]:
    """Return the names of arguments that words name, and the values that are told by their position."""
    names, values, rest = set[str](), set[str](), iter(words)
    for word in rest:
        if not word.startswith("--"):
            values.add(word)
            continue
        name, equals, _ = word.removeprefix("--").partition("=")
        names.add(name)
        if not equals:
            next(rest, None)
    return names, values


def resolved(words: list[str]) -> tuple[dict[str, Any], str | None]:
    """Return a workload with all its arguments, and the phase that is its work."""
    answer = _binary.ask("workloads", "--resolve", *words)
    args: dict[str, str] = answer["args"]
    return {"workload": answer["workload"], "args": args, "directory": str(Path.cwd())}, answer["phase"]


def values_of(value: Any, key: str, file: StudyFile) -> dict[str, str]:
    """Return a table of values as words of a program."""
    table = file.table(value, key)
    for name, one in table.items():
        if not isinstance(one, str | int | float):
            raise file.fail(f"{key}.{name}", "it is not text, a number, true or false")
    return {name: str(one).lower() if isinstance(one, bool) else str(one) for name, one in table.items()}
