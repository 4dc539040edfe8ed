"""Reads study files; ``schema/study.schema.json`` is their schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from knee.store import SCHEMA, StudyError, read
from knee.study.kinds.near import suggestion
from knee.study.kinds.study_file import LARGEST, StudyFile
from knee.study.spec import OPTIONS, StudySpec, of_explained

HEADER = ("schema", "knee")
"""Keys that are not options: the version of the format, and of the knee that planned the study."""

KEYS = [one.key.split(".") for one in OPTIONS]
TOP = tuple(dict.fromkeys([*HEADER, *(key[0] for key in KEYS)]))
TABLES = {name: tuple(key[1] for key in KEYS if key[0] == name and key[1:]) for name in TOP}
"""The keys of the tables that hold options only."""


def is_study_file(word: str) -> bool:
    """Return whether a word is a study file: it ends in .toml, or is a path to TOML. Programs are mostly larger."""
    if word.endswith(".toml") or "/" not in word:
        return word.endswith(".toml")
    try:
        return bool(read.toml(read.text(Path(word), most=LARGEST)))
    except (StudyError, read.NotWritten):
        return False


def from_file(path: Path) -> StudySpec:
    """Read a study file.

    Raises
    ------
    StudyError
        With the file, the line, the key and what is wrong with it.
    """
    file = StudyFile(path)
    tables = file.tables
    for key in tables:
        if key not in TOP:
            raise file.fail(key, "unknown key", suggestion(key, TOP, f"a study takes {', '.join(TOP)}"))
    if tables.get("schema", SCHEMA) != SCHEMA:
        raise file.fail("schema", f"{tables['schema']}: this version of knee reads {SCHEMA}")
    # The kind of the program says what is missing.
    asked: dict[str, Any] = {"program": dict[str, Any](), **tables}
    for name, keys in TABLES.items():
        if name in asked and keys:
            file.table(asked[name], name, keys)
    values: dict[str, Any] = {"name": path.stem}
    for one in OPTIONS:
        table, _, key = one.key.rpartition(".")
        around = asked.get(table, {}) if table else asked
        if key in around:
            values[one.name] = one.kind.from_toml(around[key], one.key, file)
    values["name"], stated = values["name"] or path.stem, frozenset(values)
    if values.get("explain") is not None:
        values = of_explained(values)
    return StudySpec(**values, stated=stated)
