"""Adds runs that explain the loss to a block of a running study."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from knee import _binary
from knee.store import Folder, Level, RunSpec, role_of, write_whole
from knee.study.design.repeats import names
from knee.study.questions.interventions import for_cause, interventions
from knee.study.questions.questions import BY_NAME, asking, asking_of_base
from knee.study.questions.seats import Seats
from knee.study.remedies import all_remedies, page_cache
from knee.study.remedies.remedy import Remedy
from knee.study.remedies.situation import Situation, most_memory, situation
from knee.study.run import trust
from knee.study.run.compiler import compiled

MOST_MEMORY = 0.5
"""Share of the machine's memory that copies may need."""

TIMES, SHORTEST_S = 4.0, 1.0
"""A question may run so many times as long as the longest of the study's own runs, for each thread of the base, which
all may have to share one cpu; and as long as the second anyway.
"""

Asked = tuple[dict[str, Level], str]
"""The cell that is explained, and the name of a question, or of a cause that a changed setting tests."""


@dataclass(frozen=True)
class Block:
    """A block of a running study that has not begun. The caller holds the study's lock."""

    folder: Folder
    number: int

    @cached_property
    def plan(self) -> list[RunSpec]:
        """The plan of the study."""
        return self.folder.read_plan()

    @cached_property
    def inside(self) -> list[RunSpec]:
        """The runs of the block."""
        return [spec for spec in self.plan if spec["block"] == self.number]

    @property
    def begun(self) -> bool:
        """Whether runs of it were made, or questions added."""
        done = {record["id"] for record in self.folder.read_records()}
        return any(spec["id"] in done or "test" in spec for spec in self.inside)

    def testable(self, cell: dict[str, Level], name: str) -> bool:
        """Whether a question can tell something on the cell's cpus, or a setting can be changed that tests a cause."""
        if question := BY_NAME.get(name):
            spec = self._own.get(_key(cell))
            if spec is None or (question.role == "copies" and not self._copies_compare(spec)):
                return False
            if asking(question, spec, self._machine).get("bind") == "set" and _measures(spec):
                return False
            return question.fits(Seats(tuple(spec["cpus"]), self._machine))
        return self._remedy(cell, name) is not None

    def _remedy(self, cell: dict[str, Level], cause: str) -> Remedy | None:
        return for_cause(cause, self._remedies[_key(cell)]) if _key(cell) in self._own else None

    @cached_property
    def _own(self) -> dict[str, RunSpec]:
        return {_key(spec["cell"]): spec for spec in self.inside if role_of(spec) == "measure"}

    def _copies_compare(self, spec: RunSpec) -> bool:
        """Whether copies would do what the program does.

        They do not where the study file says so, where memory is too small, where a runtime is told the thread count,
        and where a command marks the phase that is measured: all copies would mark it in one file.
        """
        program = spec["program"]
        if "for" in program or ("command" in program and spec.get("metric")):
            return False
        if self.folder.read_study_spec().get("design", {}).get("copies") is False:
            return False
        base = self._base(spec)["cell"]
        alike = {one["id"] for one in self.plan if one["cell"] == base and role_of(one) == "measure"}
        sizes = [one["rusage"]["max_rss_bytes"] for one in self.folder.read_records() if one["id"] in alike]
        return spec["threads"] * max(sizes, default=0) < MOST_MEMORY * most_memory(self._machine)

    @cached_property
    def _machine(self) -> dict[str, Any]:
        return self.folder.read_machine()

    @cached_property
    def _remedies(self) -> dict[str, list[Remedy]]:
        return {key: all_remedies(self._situation(spec)) for key, spec in self._own.items()}

    def _situation(self, spec: RunSpec) -> Situation:
        here = situation(self.folder, spec, [], self._machine, os.environ, self._library)
        # A remedy of the study file may change the command, while what tests a cause changes variables alone.
        return replace(here, own=())

    def _library(self, source: Path, name: str) -> tuple[Path | None, str | None]:
        """Return a library that tests a cause. Others are for trials."""
        if source != page_cache.SOURCE:
            return None, "nothing is compiled for it while a study is explained; `knee try` does so"
        return _compiled_once(source, self.folder.path.absolute() / name)

    @cached_property
    def _longest_s(self) -> float:
        """How long a question may run: threads that spin may take a thousand times as long once they outnumber cpus."""
        own = {spec["id"]: spec["threads"] for spec in self.plan if role_of(spec) == "measure"}
        walls = [record["wall_ns"] / 1e9 for record in self.folder.read_records() if record["id"] in own]
        fewest = min(own.values(), default=1)
        return max(SHORTEST_S, TIMES * fewest * max(walls, default=float("inf")))

    def _base(self, spec: RunSpec) -> RunSpec:
        """Return the run of the same levels on the fewest threads."""
        same = [one for one in self._own.values() if _levels(one) == _levels(spec)]
        return min(same, key=lambda one: one["threads"])

    def add(self, questions: Sequence[Asked]) -> int:
        """Add the runs of these questions at random places; return how many.

        The plan is written whole, so a study that is killed meanwhile can resume.
        """
        free, longest = names(self.plan), self._longest_s
        added: list[RunSpec] = [
            {**spec, "id": next(free), "timeout_s": min(spec.get("timeout_s", longest), longest)}
            for one in questions
            for spec in self._runs(*one)
        ]
        if not added:
            return 0
        _binary.validate(added)
        pair = self.folder.read_study_spec().get("design", {}).get("pair")
        draw, mixed = random.Random(f"{self.number} asked"), list(self.inside)
        for spec in added:
            # The block's own order stays, since pairs must run back to back.
            mixed.insert(draw.choice(_between(mixed, pair)), spec)
        first = self.plan.index(self.inside[0])
        rest = [spec for spec in self.plan if spec["block"] != self.number]
        written = [*rest[:first], *mixed, *rest[first:]]
        trust.note(self.folder, written)
        write_whole(self.folder.plan, "".join(json.dumps(spec) + "\n" for spec in written))
        return len(added)

    def _runs(self, cell: dict[str, Level], name: str) -> Iterator[RunSpec]:
        spec = self._own.get(_key(cell))
        if spec is None:
            return
        if (question := BY_NAME.get(name)) is not None:
            yield asking(question, spec, self._machine)
            if question.with_base:
                yield asking_of_base(question, spec, self._base(spec), self._machine)
        elif (remedy := self._remedy(cell, name)) is not None:
            yield from interventions(name, remedy, (spec, self._base(spec)))


def _measures(spec: RunSpec) -> bool:
    """Whether the program is a probe, which does not run where its threads share cpus."""
    return "workload" in spec["program"] and spec["program"]["workload"] in _binary.probes()


@cache
def _compiled_once(source: Path, library: Path) -> tuple[Path | None, str | None]:
    return compiled(source, library)


def _between(specs: Sequence[RunSpec], pair: str | None) -> list[int]:
    """Return the places at which a run can be inserted without separating a pair."""
    return [
        at
        for at in range(len(specs) + 1)
        if pair is None or at in (0, len(specs)) or _common(specs[at - 1], pair) != _common(specs[at], pair)
    ]


def _common(spec: RunSpec, pair: str) -> str:
    """Return what runs of a pair have in common."""
    return _key({"role": role_of(spec), **{name: level for name, level in spec["cell"].items() if name != pair}})


def _levels(spec: RunSpec) -> dict[str, Level]:
    return {name: level for name, level in spec["cell"].items() if name != "threads"}


def _key(cell: dict[str, Level]) -> str:
    return json.dumps(cell, sort_keys=True)
