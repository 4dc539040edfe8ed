"""Study files: a study spec in TOML. ``schema/study.schema.json`` says the same for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from knee.store import SCHEMA, Level
from knee.store.claims import claims, is_level
from knee.study.reading import checked_counters, checked_factor, grouped, pattern, threads_skipped
from knee.study.spec import STEPS, StudySpec
from knee.study.tables import Tables

KNOWN = ("schema", "knee", "name", "program", "factors", "design", "measure", "hold", "baseline", "claim")
PROGRAM = ("command", "workload", "args", "env", "for", "directory")
DESIGN = ("blocks", "seed", "copies", "bind", "skip", "exclude", "pair", "weak", "width", "budget_s")
MEASURE = (
    "sample_ms",
    "census_ms",
    "counters",
    "events",
    "together",
    "responses",
    "timeout_s",
    "metric",
    "check",
    "same_output",
    "warmup",
    "cache",
    *STEPS,
)


def from_file(path: Path) -> StudySpec:
    """Read a study file.

    Raises
    ------
    StudyError
        With the file, the line, the key and what is wrong with it.
    """
    return _Reader(path).study_spec()


class _Reader(Tables):
    """Makes a study spec of the tables."""

    def study_spec(self) -> StudySpec:
        tables = self.tables
        for key in tables:
            if key not in KNOWN:
                raise self.fail(key, "no such key", f"a study takes {', '.join(KNOWN)}")
        if tables.get("schema", SCHEMA) != SCHEMA:
            raise self.fail("schema", f"{tables['schema']}: this version of knee reads {SCHEMA}")
        return StudySpec(
            name=self.text(tables, "name") or self.path.stem,
            program=self.program("program"),
            factors=self.factors(),
            hold=self.names(self.table(tables, "hold", ("facts",)), "hold.facts"),
            claims=claims(tables.get("claim"), self.fail),
            baseline=self.program("baseline") if "baseline" in tables else None,
            **self.design(),
            **self.measure(),
        )

    def design(self) -> dict[str, Any]:
        design = self.table(self.tables, "design", DESIGN)
        return {
            "blocks": self.whole(design, "design.blocks", 5, 1, 1000),
            "seed": self.whole(design, "design.seed", 1, 0, 2**53),
            "copies": bool(self.flag(design, "design.copies")),
            "bind": self.choice(design, "design.bind"),
            "skip": self.skip(design),
            "exclude": self.exclude(design),
            "pair": self.text(design, "design.pair"),
            "weak": self.weak(design),
            "width": self.some_number(design, "design.width", 0.001, 1),
            "budget_s": self.some_number(design, "design.budget_s", 0.001, 1e8),
        }

    def measure(self) -> dict[str, Any]:
        measure = self.table(self.tables, "measure", MEASURE)
        return {
            "sample_ms": self.whole(measure, "measure.sample_ms", 10, 0, 60_000),
            "census_ms": self.whole(measure, "measure.census_ms", 0, 0, 3_600_000) if "census_ms" in measure else None,
            "counters": self.counters(measure),
            "events": self.events(measure),
            "together": bool(self.flag(measure, "measure.together")),
            "responses": self.names(measure, "measure.responses") or [],
            "timeout_s": self.number(measure, "measure.timeout_s", 600.0, 0.001, 1e8),
            "metric": self.metric(measure),
            "check": self.check(measure),
            "same_output": self.flag(measure, "measure.same_output"),
            "warmup": self.whole(measure, "measure.warmup", 0, 0, 1000),
            "cache": self.choice(measure, "measure.cache"),
        } | {step: self.text(measure, f"measure.{step}") for step in STEPS}

    def counters(self, measure: dict[str, Any]) -> list[str]:
        names = self.names(measure, "measure.counters") or []
        return checked_counters(names, self.where("measure.counters"))

    def events(self, measure: dict[str, Any]) -> str | None:
        path = self.text(measure, "measure.events")
        # Found from the folder of the file, like the words of the program.
        return None if path is None else str((self.path.parent / path).resolve())

    def skip(self, design: dict[str, Any]) -> list[int]:
        value: Any = design.get("skip", [])
        if isinstance(value, str):
            return threads_skipped(value, self.where("design.skip"))
        if not isinstance(value, list) or not all(type(one) is int and one >= 0 for one in cast("list[Any]", value)):
            raise self.fail("design.skip", "it is not a list of threads, 0 the main one")
        return cast("list[int]", value)

    def exclude(self, design: dict[str, Any]) -> list[dict[str, Any]]:
        value: Any = design.get("exclude", [])
        tables = cast("list[Any]", value) if isinstance(value, list) else list[Any]([None])
        if not all(isinstance(one, dict) and _chooses(cast("dict[str, Any]", one)) for one in tables):
            hint = 'exclude = [{ placement = "none", threads = [3, 4] }]'
            raise self.fail("design.exclude", "it is not a list of tables of levels", hint)
        return tables

    def weak(self, design: dict[str, Any]) -> dict[str, Any] | None:
        if "weak" not in design:
            return None
        weak = self.table(design, "design.weak", ("argument", "one_thread", "power"))
        argument = self.text(weak, "design.weak.argument")
        if not argument or "one_thread" not in weak:
            hint = 'weak = { argument = "n", one_thread = 1000 }'
            raise self.fail("design.weak", "it names an argument and its value for one thread", hint)
        one = self.number(weak, "design.weak.one_thread", 1, 1, 2**53)
        return {"argument": argument, "one_thread": one, "power": self.number(weak, "design.weak.power", 1, 0.1, 10)}

    def program(self, key: str) -> dict[str, Any]:
        table = dict(self.table(self.tables, key, PROGRAM))
        self.text(table, f"{key}.for")
        self.text(table, f"{key}.directory")
        if ("command" in table) == ("workload" in table):
            raise self.fail(
                key, "it names a command or a workload, one of them", 'command = ["./program", "{threads}"]'
            )
        for name in ("args", "env"):
            if name in table:
                table[name] = self.words(table, f"{key}.{name}")
        if isinstance(table.get("workload"), dict) and key != "baseline":
            named = self.table(table, f"{key}.workload", ())
            if not named:
                raise self.fail(f"{key}.workload", "it names no workload", "workload = { heat = {}, cilksort = {} }")
            table["workload"] = {name: self.words(named, f"{key}.workload.{name}") for name in named}
        elif "workload" in table:
            self.text(table, f"{key}.workload")
        if "command" in table and not self.names(table, f"{key}.command", "words"):
            raise self.fail(f"{key}.command", "it is not a list of words")
        # Words are found from the folder of the file, so that a study runs the same wherever it is started.
        folder = self.path.parent / str(table.get("directory", "."))
        return table | {"directory": str(folder.resolve())}

    def words(self, table: dict[str, Any], key: str) -> dict[str, str]:
        found = self.table(table, key, ())
        for name, value in found.items():
            if not isinstance(value, str | int | float):
                raise self.fail(f"{key}.{name}", "it is not text, a number, true or false")
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in found.items()}

    def factors(self) -> dict[str, list[Level]]:
        found: dict[str, list[Level]] = {}
        for name, levels in self.table(self.tables, "factors", ()).items():
            if not isinstance(levels, list) or not levels:
                raise self.fail(f"factors.{name}", "it is not a list of levels")
            if not all(map(is_level, cast("list[Any]", levels))):
                raise self.fail(f"factors.{name}", "a level is text or a number")
            found |= [checked_factor(name, cast("list[Level]", levels), self.where(f"factors.{name}"))]
        return found

    def metric(self, measure: dict[str, Any]) -> dict[str, str] | None:
        metric = self.table(measure, "measure.metric", ("phase", "regex", "unit"))
        if "regex" in metric and metric.get("unit") not in ("s", "ms", "us", "ns"):
            raise self.fail("measure.metric.unit", "it is not one of s, ms, us, ns: what is measured is a time")
        if metric and ("phase" in metric) == ("regex" in metric):
            raise self.fail("measure.metric", "it names a phase or a regex, one of them")
        if "phase" in metric and "unit" in metric:
            raise self.fail("measure.metric.unit", "it is that of a regex: a phase is measured in seconds")
        for name in metric:
            self.text(metric, f"measure.metric.{name}")
        if "regex" in metric:
            grouped(metric["regex"], self.where("measure.metric.regex"))
        return metric or None

    def check(self, measure: dict[str, Any]) -> dict[str, str] | None:
        check = self.table(measure, "measure.check", ("stdout",))
        if (text := self.text(check, "measure.check.stdout")) is not None:
            pattern(text, self.where("measure.check.stdout"))
        return check or None


def _chooses(table: dict[str, Any]) -> bool:
    """Whether a table chooses cells: each of its values is a level, or a list of some."""
    values = [cast("list[Any]", value) if isinstance(value, list) else [value] for value in table.values()]
    return bool(values) and all(levels and all(map(is_level, levels)) for levels in values)
