"""The question: what runs, which factors vary, how often, and what is measured. Read from a TOML file or from words."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import tomli_w

from knee.store import SCHEMA, Level, StudyError

RESERVED = ("threads", "placement", "memory")
"""Factors that say where a program runs; every other one is an argument, or a variable written ``env:NAME``."""


@dataclass(frozen=True)
class Question:
    """A study before it is planned. ``factors`` without ``threads`` or ``placement`` get those of the machine."""

    name: str
    program: dict[str, Any]
    factors: dict[str, list[Level]] = field(default_factory=dict[str, list[Level]])
    blocks: int = 5
    seed: int = 1
    sample_ms: int = 10
    timeout_s: float = 600.0
    metric: dict[str, str] | None = None
    check: dict[str, str] | None = None
    baseline: dict[str, Any] | None = None
    copies: bool = False

    def to_toml(self) -> str:
        """Return the study file that asks the same."""
        measure: dict[str, Any] = {"sample_ms": self.sample_ms, "timeout_s": self.timeout_s}
        measure |= {key: value for key, value in (("metric", self.metric), ("check", self.check)) if value}
        tables: dict[str, Any] = {
            "schema": SCHEMA,
            "name": self.name,
            "program": self.program,
            "factors": self.factors,
            "design": {"blocks": self.blocks, "seed": self.seed, "copies": self.copies},
            "measure": measure,
        }
        return tomli_w.dumps(tables | ({"baseline": self.baseline} if self.baseline else {}))


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


def factor(text: str) -> tuple[str, list[Level]]:
    """Read ``NAME=a,b,c``. Levels that are whole numbers are numbers."""
    name, equals, levels = text.partition("=")
    # An explicit cpu list or a set of nodes holds commas itself: with a semicolon anywhere, only semicolons separate.
    values = [_level(level) for level in levels.split(";" if ";" in levels else ",")]
    if not equals or not name or "" in values:
        raise StudyError(
            f"bad factor: {text!r}", hint="a factor is written NAME=a,b,c, or NAME=0,1;2,3 when levels hold commas"
        )
    return _checked_factor(name, values, f"--factor {text}")


def _level(text: str) -> Level:
    return int(text) if re.fullmatch(r"[0-9]+", text) else text


def _checked_factor(name: str, levels: list[Level], where: str) -> tuple[str, list[Level]]:
    if len(set(map(str, levels))) < len(levels):
        raise StudyError(f"{where}: a level comes twice")
    if name == "threads":
        for level in levels:
            if not isinstance(level, int) or level < 1:
                raise StudyError(f"{where}: {level!r} is not a number of threads: at least 1 is needed")
        levels = sorted(levels, key=float)
    return name, levels


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
        known = ("schema", "name", "program", "factors", "design", "measure", "baseline")
        for key in tables:
            if key not in known:
                raise self.fail(key, "no such key", f"a study takes {', '.join(known)}")
        if tables.get("schema", SCHEMA) != SCHEMA:
            raise self.fail("schema", f"{tables['schema']}: this version of knee reads {SCHEMA}")
        design = self.table(tables, "design", ("blocks", "seed", "copies"))
        measure = self.table(tables, "measure", ("sample_ms", "timeout_s", "metric", "check"))
        name = tables.get("name", self.path.stem)
        if not isinstance(name, str):
            raise self.fail("name", "it is not text")
        return Question(
            name=name,
            program=self.program(tables, "program"),
            factors=self.factors(tables),
            blocks=int(self.number(design, "design.blocks", 5, 2, 1000)),
            seed=int(self.number(design, "design.seed", 1, 0, 2**53)),
            sample_ms=int(self.number(measure, "measure.sample_ms", 10, 0, 60_000)),
            timeout_s=self.number(measure, "measure.timeout_s", 600.0, 0.001, 1e8),
            metric=self.metric(measure),
            check=self.table(measure, "check", ("stdout",)) or None,
            copies=bool(design.get("copies", False)),
            baseline=self.program(tables, "baseline") if "baseline" in tables else None,
        )

    def program(self, tables: dict[str, Any], key: str) -> dict[str, Any]:
        table = dict(self.table(tables, key, ("command", "workload", "args", "env", "directory")))
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
            found |= [_checked_factor(name, cast("list[Level]", levels), where)]
        return found

    def metric(self, measure: dict[str, Any]) -> dict[str, str] | None:
        metric = self.table(measure, "metric", ("phase", "regex", "unit"))
        if "regex" in metric and metric.get("unit") not in ("s", "ms", "us", "ns"):
            raise self.fail("measure.metric.unit", "it is not one of s, ms, us, ns: what is measured is a time")
        if metric and ("phase" in metric) == ("regex" in metric):
            raise self.fail("measure.metric", "it names a phase or a regex, one of them")
        return metric or None
