"""The plan: randomised complete blocks. Every block holds every cell once, in an order of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, cast, get_args

from knee.store import SCHEMA, Role, RunSpec, StudyError, role_of
from knee.store.seam import Bind, MemoryPolicy, OutputCheck, PageCache, Policy
from knee.study.checks import refuse_contradictions
from knee.study.design.cells import Cell, copied
from knee.study.design.hold import held
from knee.study.design.placements import Placements
from knee.study.design.program import filled, grown, levels, program_of
from knee.study.kinds.text import numbers
from knee.study.spec import StudySpec

POLICIES = get_args(Policy)


def run_specs(
    study_spec: StudySpec, cells: list[Cell], placements: Placements, machine: dict[str, Any]
) -> list[RunSpec]:
    """Return one run spec for each cell and block, in running order.

    The order within a block is drawn from the seed, so that the machine's moods fall on all cells alike and a plan can
    be made again. Where counters are asked for, each cell has a run that counts beside the one that is timed.
    """
    refuse_contradictions(study_spec)
    planner = _Planner(study_spec, placements, machine["allowed"]["cpus"], held(study_spec.hold, machine["facts"]))
    draw = random.Random(study_spec.seed)
    planned: list[RunSpec] = []
    everything = _everything(study_spec, cells, placements)
    width = max(4, len(str(len(everything) * study_spec.blocks)))
    groups = together(everything, study_spec.pair)
    for block in range(1, study_spec.blocks + 1):
        for group in draw.sample(groups, len(groups)):
            # A B in one block and B A in the next: a straight drift falls on both sides alike.
            for role, cell in group if block % 2 else reversed(group):
                name = f"{len(planned) + 1:0{width}d}"
                planned.append(planner.run_spec(name, block, role, cell))
    return planned


def summary(study_spec: StudySpec, planned: list[RunSpec]) -> str:
    """Say in words what a plan holds, and what it may cost at most."""
    controls = sorted({role_of(spec) for spec in planned} - {"measure"})
    cells = {str((role_of(spec), sorted(spec["cell"].items()))): spec["cell"] for spec in planned}
    varied: dict[str, list[str]] = {}
    for cell in cells.values():
        for name, level in cell.items():
            known = varied.setdefault(name, [])
            known.extend([str(level)] if str(level) not in known else [])
    lines = [f"knee: {len(planned)} runs: {len(cells)} cells in {study_spec.blocks} blocks, each in a random order"]
    lines += [f"      {name}: {', '.join(among)}" for name, among in varied.items()]
    lines += [f"      controls: {', '.join(controls)}"] if controls else []
    warm = f", each after {study_spec.warmup} to warm up" if study_spec.warmup else ""
    lines.append(f"      a run is stopped after {study_spec.timeout_s:g} s{warm}")
    if study_spec.width is not None or study_spec.budget_s is not None:
        lines.append("      it may end after fewer blocks, by its own rule")
    if study_spec.rerun_disturbed:
        lines.append(f"      blocks that others disturb are repeated, at most {study_spec.blocks} in all")
    return "\n".join(lines)


Part = tuple[Role, Cell]
"""What is run once in each block: a cell, and what for."""


def _everything(study_spec: StudySpec, cells: list[Cell], placements: Placements) -> list[Part]:
    """Return the cells of the design and the controls beside them."""
    by_role: dict[Role, list[Cell]] = {"measure": cells}
    if study_spec.copies:
        by_role["copies"] = copied(cells, placements)
    if study_spec.counters and not study_spec.together:
        # Once more for the counters, which must not disturb what is timed.
        by_role["counting"] = cells
    if study_spec.baseline:
        by_role["baseline"] = [{}]
    return [(role, cell) for role, those in by_role.items() for cell in those]


def together(parts: list[Part], pair: str | None) -> list[list[Part]]:
    """Return groups of parts that are run one right after the other: those that differ in the pair's factor alone."""
    groups: dict[str, list[Part]] = {}
    for number, (role, cell) in enumerate(parts):
        rest = sorted((name, str(level)) for name, level in cell.items() if name != pair)
        groups.setdefault(str((role, rest)) if pair in cell else str(number), []).append((role, cell))
    return list(groups.values())


@dataclass(frozen=True)
class _Planner:
    """Writes the run spec of a cell."""

    study_spec: StudySpec
    placements: Placements
    allowed: list[int]
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
            "program": self.baseline() if alone else program_of(self.study_spec, cell, role),
            "threads": threads,
            "cpus": cpus,
            "sample_ms": self.study_spec.sample_ms,
            "timeout_s": self.study_spec.timeout_s,
        }
        spare = [cpu for cpu in self.allowed if cpu not in cpus] if cpus else []
        if spare:
            spec["sampler_cpu"] = spare[-1]
        self.tie(spec, fits=self.placements.fits(placement, threads))
        self.measure(spec)
        self.surround(spec)
        return spec

    def baseline(self) -> dict[str, Any]:
        """Return the best serial version."""
        program = self.study_spec.baseline or {}
        self.refuse_levels("baseline", [*program.get("command", []), *program.get("env", {}).values()])
        return program

    def tie(self, spec: RunSpec, *, fits: bool) -> None:
        """Add how threads are tied to cpus, where somebody asks for it; otherwise the runner knows what is usual."""
        asked = spec["cell"].get("bind") or self.study_spec.bind
        # Copies are processes with helpers of their own: in order of appearance two workers might share a cpu.
        if role_of(spec) == "copies":
            spec["bind"] = "set"
        elif asked:
            spec["bind"] = cast("Bind", asked) if fits else "set"
        if spec.get("bind") == "each" and "command" in spec["program"] and self.study_spec.skip:
            spec["skip"] = self.study_spec.skip

    def measure(self, spec: RunSpec) -> None:
        """Add where pages go, what is measured, and what has to be as it was."""
        if "memory" in spec["cell"]:
            spec["memory"] = _memory(str(spec["cell"]["memory"]))
        metric = self.study_spec.timed or self.phase(spec["program"])
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

    def phase(self, program: dict[str, Any]) -> dict[str, str] | None:
        """Return the phase of one of several workloads that is its work; None where the whole run is measured."""
        name = self.study_spec.phases.get(str(program.get("workload")))
        return {"phase": name} if name else None

    def surround(self, spec: RunSpec) -> None:
        """Add what is done before and after the run."""
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
        """Fill in levels and the argument that grows with the threads; the baseline has none."""
        if role_of(spec) == "baseline":
            self.refuse_levels(step, [text])
            return text
        return filled(text, levels(spec["cell"]) | grown(self.study_spec, spec["cell"]))

    def refuse_levels(self, where: str, words: list[str]) -> None:
        """Refuse words of the baseline, or around it, that wait for a level."""
        for name in [*self.study_spec.factors, *([self.study_spec.weak["argument"]] if self.study_spec.weak else [])]:
            if name != "threads" and any("{" + name + "}" in word for word in words):
                raise StudyError(f"{where}: it mentions {{{name}}}, for which the baseline has no level")


def _memory(text: str) -> MemoryPolicy:
    policy, _, nodes = text.partition(":")
    if policy not in POLICIES or bool(nodes) == (policy == "local"):
        hint = "local, bind:0,1, interleave:0-3, weighted-interleave:0-3 or preferred:0"
        raise StudyError(f"unknown memory policy: {text!r}", hint=hint)
    try:
        return {"policy": cast("Policy", policy), "nodes": numbers(nodes)}
    except ValueError as error:
        raise StudyError(f"unknown memory policy: {text!r}: {nodes!r} is no list of nodes") from error
