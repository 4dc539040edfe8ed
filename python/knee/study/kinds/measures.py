"""Values of the options that say what is measured and checked: metric, output, claims; threads to leave unpinned."""

from __future__ import annotations

from typing import Any, cast

from knee import _binary
from knee.store import StudyError, one_of
from knee.store.claims import claim_schema, claims
from knee.study.kinds.kind import Choice, Kind, Schema
from knee.study.kinds.study_file import StudyFile
from knee.study.kinds.text import grouped, pattern

UNITS = ("s", "ms", "us", "ns")


class Metric(Kind):
    """A phase or a region, or a time that the program prints."""

    def from_flags(self, values: dict[str, Any]) -> dict[str, str]:
        phase, regex, unit = (values.get(flag) for flag in ("--phase", "--metric", "--unit"))
        if regex is None and unit is not None:
            raise StudyError("--unit is the unit of --metric: there is no --metric", hint="add --metric REGEX")
        if phase is not None and regex is not None:
            raise StudyError("--phase and --metric: a study measures one thing", hint="leave one of them out")
        if regex is not None:
            unit = "s" if unit is None else Choice(UNITS).from_words(unit, "--unit")
            return {"regex": grouped(regex, "--metric"), "unit": unit}
        return {"phase": str(phase)}

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, str] | None:
        metric = file.table(value, key, ("phase", "regex", "unit"))
        if "regex" in metric and "unit" not in metric:
            raise file.fail(f"{key}.unit", f"it is missing; expected {one_of(UNITS)}")
        if "regex" in metric and metric["unit"] not in UNITS:
            raise file.fail(f"{key}.unit", f"bad value {metric['unit']!r}; expected {one_of(UNITS)}")
        if metric and ("phase" in metric) == ("regex" in metric):
            raise file.fail(key, "give either phase or regex")
        if "phase" in metric and "unit" in metric:
            raise file.fail(f"{key}.unit", "only a regex has a unit: a phase is measured in seconds")
        for name in metric:
            file.text(metric[name], f"{key}.{name}")
        if "regex" in metric:
            grouped(metric["regex"], file.where(f"{key}.regex"))
        return metric or None

    def schema(self) -> Schema:
        phase: Schema = {"phase": {"type": "string"}}
        regex: Schema = {"regex": {"type": "string"}, "unit": {"enum": list(UNITS)}}
        return {
            "oneOf": [
                {"type": "object", "properties": keys, "additionalProperties": False, "required": list(keys)}
                for keys in (phase, regex)
            ]
        }


class Check(Kind):
    """Regular expression that standard output must match."""

    def from_words(self, value: Any, flag: str) -> dict[str, str]:
        return {"stdout": pattern(value, flag)}

    def from_toml(self, value: Any, key: str, file: StudyFile) -> dict[str, str] | None:
        check = file.table(value, key, ("stdout",))
        if "stdout" in check:
            pattern(file.text(check["stdout"], f"{key}.stdout"), file.where(f"{key}.stdout"))
        return check or None

    def schema(self) -> Schema:
        return {"type": "object", "properties": {"stdout": {"type": "string"}}, "additionalProperties": False}


class Threads(Kind):
    """Threads of a command, 0 the main one: a list of numbers, or text as ``knee run --skip`` takes it."""

    def from_words(self, value: Any, flag: str) -> list[int]:
        return self._read(value, flag)

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[int]:
        if isinstance(value, str):
            return self._read(value, file.where(key))
        if not isinstance(value, list) or not all(type(one) is int and one >= 0 for one in cast("list[Any]", value)):
            raise file.fail(key, "it is not a list of threads, 0 the main one")
        return cast("list[int]", value)

    def schema(self) -> Schema:
        return {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer", "minimum": 0}}]}

    @staticmethod
    def _read(text: str, where: str) -> list[int]:
        try:
            return _binary.threads_to_skip(text)
        except StudyError as error:
            raise StudyError(f"{where}: {text!r} is {error}") from error


class Claims(Kind):
    """Sentences with a test on the results."""

    def from_toml(self, value: Any, key: str, file: StudyFile) -> list[dict[str, Any]]:
        del key
        return claims(value, file.fail)

    def schema(self) -> Schema:
        return {"type": "array", "items": claim_schema()}
