"""Study files: a question in TOML. Every complaint names the file and the key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, cast

from knee.store import SCHEMA, Level, StudyError
from knee.study.question import CHOICES, STEPS, Question, checked_factor, threads_skipped


def from_file(path: Path) -> Question:
    """Read a study file.

    Raises
    ------
    StudyError
        With the file, the key and what is wrong with it.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(f"cannot read the study: {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyError(f"cannot read the study: {path}: {error}") from error
    return _Reader(path).question(tables)


class _Reader:
    """Reads tables and names the key in every complaint."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, key: str, reason: str, hint: str | None = None) -> StudyError:
        return StudyError(f"bad study: {self.path}: {key}: {reason}", hint=hint)

    def table(self, tables: dict[str, Any], key: str, known: tuple[str, ...]) -> dict[str, Any]:
        table = tables.get(key, {})
        if not isinstance(table, dict):
            raise self.fail(key, "it is not a table")
        found = cast("dict[str, Any]", table)
        for name in found:
            if known and name not in known:
                raise self.fail(f"{key}.{name}", "no such key", f"{key} takes {', '.join(known)}")
        return found

    def number(self, table: dict[str, Any], key: str, default: float, low: float, high: float) -> float:
        value = table.get(key.rpartition(".")[2], default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self.fail(key, f"{value!r} is not a number from {low:g} to {high:g}")
        return value

    def question(self, tables: dict[str, Any]) -> Question:
        known = ("schema", "name", "program", "factors", "design", "measure", "hold", "baseline")
        for key in tables:
            if key not in known:
                raise self.fail(key, "no such key", f"a study takes {', '.join(known)}")
        if tables.get("schema", SCHEMA) != SCHEMA:
            raise self.fail("schema", f"{tables['schema']}: this version of knee reads {SCHEMA}")
        return Question(
            name=self.text(tables, "name") or self.path.stem,
            program=self.program(tables, "program"),
            factors=self.factors(tables),
            hold=self.hold(tables),
            baseline=self.program(tables, "baseline") if "baseline" in tables else None,
            **self.design(tables),
            **self.measure(tables),
        )

    def design(self, tables: dict[str, Any]) -> dict[str, Any]:
        design = self.table(tables, "design", ("blocks", "seed", "copies", "bind", "skip"))
        return {
            "blocks": int(self.number(design, "design.blocks", 5, 2, 1000)),
            "seed": int(self.number(design, "design.seed", 1, 0, 2**53)),
            "copies": bool(design.get("copies", False)),
            "bind": self.choice(design, "design.bind"),
            "skip": self.skip(design),
        }

    def measure(self, tables: dict[str, Any]) -> dict[str, Any]:
        known = ("sample_ms", "census_ms", "timeout_s", "metric", "check", "same_output", "warmup", "cache", *STEPS)
        measure = self.table(tables, "measure", known)
        census = self.number(measure, "measure.census_ms", 0, 0, 3_600_000)
        if not isinstance(measure.get("same_output", True), bool):
            raise self.fail("measure.same_output", "it is not true or false")
        return {
            "sample_ms": int(self.number(measure, "measure.sample_ms", 10, 0, 60_000)),
            "census_ms": int(census) if "census_ms" in measure else None,
            "timeout_s": self.number(measure, "measure.timeout_s", 600.0, 0.001, 1e8),
            "metric": self.metric(measure),
            "check": self.table(measure, "check", ("stdout",)) or None,
            "same_output": measure.get("same_output"),
            "warmup": int(self.number(measure, "measure.warmup", 0, 0, 1000)),
            "cache": self.choice(measure, "measure.cache"),
        } | {step: self.text(measure, f"measure.{step}") for step in STEPS}

    def text(self, table: dict[str, Any], key: str) -> str | None:
        value = table.get(key.rpartition(".")[2])
        if value is not None and not isinstance(value, str):
            raise self.fail(key, "it is not text")
        return value

    def choice(self, table: dict[str, Any], key: str) -> str | None:
        choices, value = CHOICES[key.rpartition(".")[2]], self.text(table, key)
        if value is not None and value not in choices:
            raise self.fail(key, f"{value!r} is not one of {', '.join(choices)}")
        return value

    def skip(self, design: dict[str, Any]) -> list[int]:
        value: Any = design.get("skip", [])
        if isinstance(value, str):
            return threads_skipped(value, f"bad study: {self.path}: design.skip")
        if not isinstance(value, list) or not all(type(one) is int and one >= 0 for one in cast("list[Any]", value)):
            raise self.fail("design.skip", "it is not a list of threads, 0 the main one")
        return cast("list[int]", value)

    def hold(self, tables: dict[str, Any]) -> list[str] | None:
        facts: Any = self.table(tables, "hold", ("facts",)).get("facts")
        if facts is None:
            return None
        if not isinstance(facts, list) or not all(isinstance(one, str) for one in cast("list[Any]", facts)):
            raise self.fail("hold.facts", "it is not a list of names")
        return cast("list[str]", facts)

    def program(self, tables: dict[str, Any], key: str) -> dict[str, Any]:
        table = dict(self.table(tables, key, ("command", "workload", "args", "env", "for", "directory")))
        self.text(table, f"{key}.for")
        if ("command" in table) == ("workload" in table):
            raise self.fail(
                key, "it names a command or a workload, one of them", 'command = ["./program", "{threads}"]'
            )
        for name in ("args", "env"):
            if name in table:
                table[name] = {k: str(v) for k, v in self.table(table, name, ()).items()}
        command: Any = table.get("command", ["-"])
        if not isinstance(command, list) or not command:
            raise self.fail(f"{key}.command", "it is not a list of words")
        if not all(isinstance(word, str) for word in cast("list[Any]", command)):
            raise self.fail(f"{key}.command", "it is not a list of words")
        # Words are found from the folder of the file, so that a study runs the same wherever it is started.
        folder = self.path.parent / str(table.get("directory", "."))
        return table | {"directory": str(folder.resolve())}

    def factors(self, tables: dict[str, Any]) -> dict[str, list[Level]]:
        found: dict[str, list[Level]] = {}
        for name, levels in self.table(tables, "factors", ()).items():
            if not isinstance(levels, list) or not levels:
                raise self.fail(f"factors.{name}", "it is not a list of levels")
            if not all(isinstance(level, str | int | float) for level in cast("list[Any]", levels)):
                raise self.fail(f"factors.{name}", "a level is text or a number")
            where = f"bad study: {self.path}: factors.{name}"
            found |= [checked_factor(name, cast("list[Level]", levels), where)]
        return found

    def metric(self, measure: dict[str, Any]) -> dict[str, str] | None:
        metric = self.table(measure, "metric", ("phase", "regex", "unit"))
        if "regex" in metric and metric.get("unit") not in ("s", "ms", "us", "ns"):
            raise self.fail("measure.metric.unit", "it is not one of s, ms, us, ns: what is measured is a time")
        if metric and ("phase" in metric) == ("regex" in metric):
            raise self.fail("measure.metric", "it names a phase or a regex, one of them")
        return metric or None
