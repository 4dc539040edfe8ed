"""The folder of a study: its files, and how they are read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from knee.store import read
from knee.store.check import STUDY_SPEC
from knee.store.claims import claims
from knee.store.roles import role_of
from knee.store.seam import MACHINE_MEMORY, RECORD, RUN_SPEC, TOPOLOGY, Level, Record, RunSpec
from knee.store.types import StudyError
from knee.store.write import opened_to_write


@dataclass(frozen=True)
class Folder:
    """The files of a study."""

    path: Path

    @property
    def study_spec(self) -> Path:
        """The specification of the study: study.toml."""
        return self.path / "study.toml"

    @property
    def plan(self) -> Path:
        """One run spec per line, in running order."""
        return self.path / "plan.jsonl"

    @property
    def machine(self) -> Path:
        """The machine as it was when the study was planned."""
        return self.path / "machine.json"

    @property
    def memory(self) -> Path:
        """Results of ``knee memory``, if they were saved in the folder."""
        return self.path / "machine-memory.json"

    @property
    def records(self) -> Path:
        """One record per line, in the order of writing."""
        return self.path / "records.jsonl"

    @property
    def samples(self) -> Path:
        """Folder of time series, one gzipped CSV file per run."""
        return self.path / "samples"

    def check(self) -> None:
        """Raise :class:`StudyError` unless this is the folder of a study."""
        try:
            inside = sorted(one.name for one in self.path.iterdir())
            studies = [name for name in inside if (self.path / name / self.study_spec.name).is_file()]
        except OSError as error:
            hint = "give the folder, not a file in it" if isinstance(error, NotADirectoryError) else MADE
            raise StudyError(f"not the folder of a study: {self.path}: {read.reason_of(error)}", hint=hint) from error
        for file, hint in ((self.study_spec, MADE), (self.plan, self._again()), (self.machine, self._machine_again())):
            if file.name not in inside:
                here = f"it contains studies: give one of them, like {self.path / studies[0]}" if studies else hint
                raise StudyError(f"not the folder of a study: {self.path}: it has no {file.name}", hint=here)

    def read_study_spec(self) -> dict[str, Any]:
        """Return the tables of study.toml."""
        hint = f"fix it in an editor: {self.study_spec}"
        try:
            tables = read.toml(read.text(self.study_spec, hint), finite=True)
            if "schema" in tables:
                read.check_schema(tables["schema"])
        except read.NotWritten as error:
            raise StudyError(f"cannot read the study: {self.study_spec}: {error}", hint=error.hint or hint) from error

        def fail(key: str, reason: str, better: str | None) -> StudyError:
            return StudyError(f"cannot read the study: {self.study_spec}: {key}: {reason}", hint=better or hint)

        if reason := STUDY_SPEC.mismatch(tables) or STUDY_SPEC.too_small(tables):
            raise StudyError(f"cannot read the study: {self.study_spec}: {reason}", hint=hint)
        claims(tables.get("claim"), fail)
        return tables

    @property
    def quoted(self) -> str:
        """Its path as one word of a shell, for hints."""
        return shlex.quote(str(self.path))

    def read_measure(self) -> dict[str, Any]:
        """Return the table ``measure`` of study.toml."""
        return self.read_study_spec().get("measure", {})

    def read_machine(self) -> dict[str, Any]:
        """Return the output of ``knee machine --json`` from planning."""
        return read.whole(self.machine, TOPOLOGY, "the machine", self._machine_again())

    def read_memory(self) -> dict[str, Any] | None:
        """Return the results of ``knee memory``, if they were saved."""
        if not self.memory.exists():
            return None
        hint = f"knee memory --json > {shlex.quote(str(self.memory))}, on the machine that was measured"
        return read.whole(self.memory, MACHINE_MEMORY, "the machine's memory", hint)

    def read_plan(self) -> list[RunSpec]:
        """Return every planned run, in order."""
        found: list[RunSpec] = []
        seen: dict[str, int] = {}
        blocks: set[int] = set()
        first: dict[tuple[str, tuple[tuple[str, Level], ...]], RunSpec] = {}
        for number, line in read.lines(self.plan, RUN_SPEC, self._again()):
            spec = cast("RunSpec", line)
            if reason := _unplanned(spec, seen, blocks):
                raise StudyError(f"cannot read line {number}: {self.plan}: {reason}", hint=self._again())
            seen[spec["id"]] = number
            if "repeats" not in spec:
                blocks.add(spec["block"])
            found.append(_sharing(spec, first.setdefault((role_of(spec), tuple(spec["cell"].items())), spec)))
        if not found:
            raise StudyError(f"cannot read the plan: {self.plan}: it has no runs", hint=self._again())
        return found

    def read_records(self) -> list[Record]:
        """Return every record, in the order of writing, without an incomplete last line."""
        return [record for _, record in self.numbered_records()]

    def numbered_records(self) -> Iterator[tuple[int, Record]]:
        """Yield every record with its line number, in the order of writing; duplicates are an error."""
        if not self.records.exists():
            return
        seen: dict[str, int] = {}
        for number, line in read.lines(self.records, RECORD, self.without_line(), torn=True):
            record = cast("Record", line)
            first = seen.setdefault(record["id"], number)
            if first != number:
                message = f"run {record['id']} was recorded twice: {self.records}: lines {first} and {number}"
                raise StudyError(message, hint="remove the line that does not belong to this study")
            if not _is_time(record["start"]):
                message = f"cannot read line {number}: {self.records}: start is not a time"
                raise StudyError(message, hint=self.without_line())
            yield number, record

    def without_line(self) -> str:
        """Return the hint for a damaged line of the records."""
        return f"remove that line; knee study --resume {self.quoted} repeats its run"

    def cut_torn_record(self) -> None:
        """Remove an incomplete last line, left when a writer was killed."""
        if self.records.exists():
            data = self.records.read_bytes()
            if not data.endswith(b"\n") and data:
                with opened_to_write(self.records) as file:
                    os.truncate(file.fileno(), data.rfind(b"\n") + 1)

    def _again(self) -> str:
        return f"restore {self.plan.name} from a copy of the folder, or plan a new study"

    def _machine_again(self) -> str:
        return f"knee machine --json > {shlex.quote(str(self.machine))}, on the machine that was measured"


MADE = "`knee study --help` shows how to make one"


def _unplanned(spec: RunSpec, seen: dict[str, int], blocks: set[int]) -> str | None:
    """Return what is wrong with a line of the plan; None if it is correct."""
    if spec["id"] in seen:
        return f"run {spec['id']} is also planned in line {seen[spec['id']]}"
    if not 1 <= spec["block"] <= MOST_BLOCKS or spec["threads"] < 1:
        return f"block {spec['block']} with {spec['threads']} threads is not a valid run"
    if "repeats" in spec and (spec["repeats"] not in blocks or spec["block"] in blocks):
        return f"block {spec['block']} cannot repeat block {spec['repeats']}"
    told = spec["cell"].get("threads", spec["threads"])
    # A run that answers a question has the cell that it explains.
    if told != spec["threads"] and "test" not in spec:
        return f"its cell has threads={told}, but it runs with {spec['threads']}"
    return None


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


MOST_BLOCKS = 1_000_000


def _sharing(spec: RunSpec, alike: RunSpec) -> RunSpec:
    """Return the run spec with equal parts shared with another of its cell, to save memory."""
    equal: dict[str, Any] = {name: alike[name] for name in spec if name in alike and alike[name] == spec[name]}
    return cast("RunSpec", {**spec, **equal})
