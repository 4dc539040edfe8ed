"""The plan: randomised complete blocks. Every block holds every cell once, in its own random order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

from knee.store import SCHEMA, Role, RunSpec, StudyError, role_of
from knee.store.seam import Bind, MemoryPolicy, OutputCheck, PageCache, Policy
from knee.study.checks.contradictions import refuse_contradictions
from knee.study.design.baseline import serial_cells, serial_program
from knee.study.design.cells import Cell, copied
from knee.study.design.hold import held
from knee.study.design.placements import Placements
from knee.study.design.program import filled, grown, levels, mentions, program_of, program_texts
from knee.study.kinds.text import numbers
from knee.study.spec import StudySpec

POLICIES = get_args(Policy)


def run_specs(
    study_spec: StudySpec, cells: list[Cell], placements: Placements, machine: dict[str, Any]
) -> list[RunSpec]:
    """Return one run spec for each cell and block, in running order.

    The order within a block is random, so that changes of the machine affect all cells equally, and seeded, so that a
    plan can be reproduced. With counters, each cell has a counting run beside its timed run.
    """
    refuse_contradictions(study_spec)
    planner = _Planner(study_spec, placements, machine["allowed"], held(study_spec.hold, machine["facts"]))
    draw = random.Random(study_spec.seed)
    planned: list[RunSpec] = []
    everything = _everything(study_spec, cells, placements)
    width = max(4, len(str(len(everything) * study_spec.most_blocks)))
    groups = together(everything, study_spec.pair, lambda part: (part[0], None, part[1]))
    for block in range(1, study_spec.most_blocks + 1):
        for group in draw.sample(groups, len(groups)):
            # A B in one block, B A in the next: a linear drift affects both sides equally.
            for role, cell in group if block % 2 else reversed(group):
                planned.append(planner.run_spec(f"{len(planned) + 1:0{width}d}", block, role, cell))
    return planned


def _everything(study_spec: StudySpec, cells: list[Cell], placements: Placements) -> list[tuple[Role, Cell]]:
    """Return the cells of the design and the controls beside them."""
    by_role: dict[Role, list[Cell]] = {"measure": cells}
    if study_spec.copies:
        by_role["copies"] = copied(cells, placements)
    if study_spec.counters and not study_spec.together:
        # Separate runs, since counting must not disturb timed runs.
        by_role["counting"] = cells
    if study_spec.baseline:
        by_role["baseline"] = serial_cells(study_spec, cells)
    return [(role, cell) for role, those in by_role.items() for cell in those]


T = TypeVar("T")


def together(parts: Iterable[T], pair: str | None, of: Callable[[T], tuple[Role, str | None, Cell]]) -> list[list[T]]:
    """Return groups of parts that run back to back: those that differ in the pair's factor only.

    ``of`` returns a part's role, question and cell.
    """
    groups: dict[str, list[T]] = {}
    for number, part in enumerate(parts):
        role, test, cell = of(part)
        rest = sorted((name, str(level)) for name, level in cell.items() if name != pair)
        groups.setdefault(str((role, test, rest)) if pair in cell else str(number), []).append(part)
    return list(groups.values())


@dataclass(frozen=True)
class _Planner:
    """Writes the run spec of a cell."""

    study_spec: StudySpec
    placements: Placements
    allowed: dict[str, Any]
    """The cpus and memory nodes that this process may use."""
    hold: dict[str, str]

    def run_spec(self, name: str, block: int, role: Role, cell: Cell) -> RunSpec:
        alone = role == "baseline"
        threads = 1 if alone else int(cell["threads"])
        placement = self.placements.names[0] if alone else str(cell["placement"])
        cpus = self.placements.cpus(placement, threads)
        spec: RunSpec = {
            "schema": SCHEMA,
            "id": name,
            "role": role,
            "cell": cell,
            "block": block,
            "program": self.baseline(cell) if alone else program_of(self.study_spec, cell, role),
            "threads": threads,
            "cpus": cpus,
            "sample_ms": self.study_spec.sample_ms,
            "timeout_s": self.study_spec.timeout_s,
        }
        spare = [cpu for cpu in self.allowed["cpus"] if cpu not in cpus] if cpus else []
        if spare:
            spec["sampler_cpu"] = spare[-1]
        self.tie(spec, fits=self.placements.fits(placement, threads))
        self.measure(spec)
        self.surround(spec)
        return spec

    def baseline(self, cell: Cell) -> dict[str, Any]:
        """Return the best serial version, with the levels that it names."""
        self.refuse_levels("baseline", program_texts(self.study_spec.baseline or {}), cell)
        return serial_program(self.study_spec, cell)

    def tie(self, spec: RunSpec, *, fits: bool) -> None:
        """Add how threads are pinned if the study says so; otherwise the runner uses its default."""
        asked = spec["cell"].get("bind") or self.study_spec.bind
        # Copies are processes with helper threads: pinned in order of appearance, two workers might share a cpu.
        if role_of(spec) == "copies":
            spec["bind"] = "set"
        elif asked:
            spec["bind"] = cast("Bind", asked) if fits else "set"
        if spec.get("bind") == "each" and "command" in spec["program"] and self.study_spec.skip:
            spec["skip"] = self.study_spec.skip

    def measure(self, spec: RunSpec) -> None:
        """Add memory policy, metric, check, counters and held facts."""
        if "memory" in spec["cell"]:
            spec["memory"] = _memory(str(spec["cell"]["memory"]), self.allowed["nodes"])
        metric = self.study_spec.timed or self.phase(spec["cell"])
        if metric:
            spec["metric"] = metric
        if self.study_spec.check:
            spec["check"] = cast("OutputCheck", self.study_spec.check)
        if self.study_spec.census_ms is not None:
            spec["census_ms"] = self.study_spec.census_ms
        counts = self.study_spec.together or role_of(spec) == "counting"
        if self.study_spec.counters and counts:
            spec["counters"] = self.study_spec.counters
        if self.study_spec.events is not None and counts:
            spec["events"] = self.study_spec.events
        if self.hold:
            spec["hold"] = self.hold

    def phase(self, cell: Cell) -> dict[str, str] | None:
        """Return the measured phase of one of several workloads; None for the whole run."""
        name = self.study_spec.phases.get(str(cell.get("workload")))
        return {"phase": name} if name else None

    def surround(self, spec: RunSpec) -> None:
        """Add page cache, warm-up, and the commands before and after the run."""
        cache = spec["cell"].get("cache") or self.study_spec.cache
        if cache:
            spec["cache"] = cast("PageCache", cache)
        if self.study_spec.warmup:
            spec["warmup"] = self.study_spec.warmup
        if self.study_spec.prepare is not None:
            spec["prepare"] = self.command("prepare", self.study_spec.prepare, spec)
        if self.study_spec.conclude is not None:
            spec["conclude"] = self.command("conclude", self.study_spec.conclude, spec)

    def command(self, step: str, text: str, spec: RunSpec) -> str:
        """Fill in levels and the weak-scaling argument, of which the baseline has none."""
        if role_of(spec) == "baseline":
            self.refuse_levels(step, [text], spec["cell"])
            return filled(text, levels(spec["cell"]))
        return filled(text, levels(spec["cell"]) | grown(self.study_spec, spec["cell"]))

    def refuse_levels(self, where: str, words: list[str], cell: Cell) -> None:
        """Refuse placeholders, in the baseline and the commands around it, that have no value in its cell."""
        for name in [*self.study_spec.factors, *([self.study_spec.weak["argument"]] if self.study_spec.weak else [])]:
            if name != "threads" and name not in cell and mentions(words, name):
                hint = "leave the placeholder out"
                if where != "baseline" and name in self.study_spec.factors:
                    hint = f"write {{{name}}} into the baseline as well, or leave it out here"
                raise StudyError(f"{where}: {{{name}}} has no value for the baseline", hint=hint)


def _memory(text: str, allowed: list[int]) -> MemoryPolicy:
    policy, _, nodes = text.partition(":")
    if policy not in POLICIES or bool(nodes) == (policy == "local"):
        hint = "local, bind:0,1, interleave:0-3, weighted-interleave:0-3 or preferred:0"
        raise StudyError(f"unknown memory policy {text!r}", hint=hint)
    try:
        found = numbers(nodes)
    except ValueError as error:
        raise StudyError(f"bad memory policy: {text!r}: {nodes!r} is not a list of nodes") from error
    if policy != "local" and not found:
        raise StudyError(f"bad memory policy: {text!r}: {nodes!r} is not a list of nodes")
    if policy == "preferred" and len(set(found)) > 1:
        raise StudyError(f"bad memory policy: {text!r}: the kernel prefers one node", hint="interleave takes several")
    if missing := [node for node in found if node not in allowed]:
        message = f"bad memory policy: {text!r}: this process may not use node {missing[0]}"
        raise StudyError(message, hint="`knee machine` shows the nodes")
    return {"policy": cast("Policy", policy), "nodes": found}
