"""The plan: randomised complete blocks. Every block holds every cell once, in an order of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from knee.store import SCHEMA, Level, RunSpec, StudyError
from knee.study.checks import refuse_contradictions
from knee.study.design.cells import Cell
from knee.study.design.hold import held
from knee.study.design.placements import Placements
from knee.study.design.program import filled, grown, levels, program_of
from knee.study.kinds.text import numbers
from knee.study.spec import StudySpec

BASELINE: Cell = {"baseline": "yes"}
"""Cell of the best serial version."""

POLICIES = ("local", "bind", "interleave", "weighted-interleave", "preferred")


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
    everything = [*cells, *_counting(cells, study_spec), *([BASELINE] if study_spec.baseline else [])]
    width = max(4, len(str(len(everything) * study_spec.blocks)))
    groups = _together(everything, study_spec.pair)
    for block in range(1, study_spec.blocks + 1):
        for group in draw.sample(groups, len(groups)):
            # A B in one block and B A in the next: a straight drift falls on both sides alike.
            for cell in group if block % 2 else reversed(group):
                name = f"{len(planned) + 1:0{width}d}"
                planned.append(planner.run_spec(name, block, cell))
    return planned


def summary(study_spec: StudySpec, planned: list[RunSpec]) -> str:
    """Say in words what a plan holds, and what it may cost at most."""
    cells = {str(sorted(spec["cell"].items())): spec["cell"] for spec in planned}
    varied: dict[str, list[str]] = {}
    for cell in cells.values():
        for name, level in cell.items():
            known = varied.setdefault(name, [])
            known.extend([str(level)] if str(level) not in known else [])
    lines = [f"knee: {len(planned)} runs: {len(cells)} cells in {study_spec.blocks} blocks, each in a random order"]
    lines += [f"      {name}: {', '.join(among)}" for name, among in varied.items()]
    warm = f", each after {study_spec.warmup} to warm up" if study_spec.warmup else ""
    lines.append(f"      a run is stopped after {study_spec.timeout_s:g} s{warm}")
    if study_spec.width is not None or study_spec.budget_s is not None:
        lines.append("      it may end after fewer blocks, by its own rule")
    return "\n".join(lines)


def _counting(cells: list[Cell], study_spec: StudySpec) -> list[Cell]:
    """Return the cells once more for the counters, which must not disturb what is timed."""
    if not study_spec.counters or study_spec.together:
        return []
    return [cell | {"counting": "yes"} for cell in cells if "copies" not in cell]


def _together(cells: list[Cell], pair: str | None) -> list[list[Cell]]:
    """Return groups of cells that are run one right after the other: those that differ in the pair's factor alone."""
    groups: dict[str, list[Cell]] = {}
    for number, cell in enumerate(cells):
        rest = sorted((name, str(level)) for name, level in cell.items() if name != pair)
        groups.setdefault(str(rest) if pair in cell else str(number), []).append(cell)
    return list(groups.values())


@dataclass(frozen=True)
class _Planner:
    """Writes the run spec of a cell."""

    study_spec: StudySpec
    placements: Placements
    allowed: list[int]
    hold: dict[str, str]

    def run_spec(self, name: str, block: int, cell: Cell) -> RunSpec:
        alone = cell is BASELINE
        threads = 1 if alone else int(cell["threads"])
        placement = self.placements.names[0] if alone else str(cell["placement"])
        program = (self.study_spec.baseline or {}) if alone else program_of(self.study_spec, cell)
        if alone:
            self.refuse_levels("baseline", [*program.get("command", []), *program.get("env", {}).values()])
        cpus = self.placements.cpus(placement, threads)
        spec: RunSpec = {
            "schema": SCHEMA,
            "id": name,
            "cell": cell,
            "block": block,
            "program": program,
            "threads": threads,
            "cpus": cpus,
            "bind": self.bind(cell, program) if self.placements.fits(placement, threads) else "set",
            "sample_ms": self.study_spec.sample_ms,
            "timeout_s": self.study_spec.timeout_s,
        }
        spare = [cpu for cpu in self.allowed if cpu not in cpus] if cpus else []
        if spare:
            spec["sampler_cpu"] = spare[-1]
        if spec["bind"] == "each" and "command" in program and self.study_spec.skip:
            spec["skip"] = self.study_spec.skip
        self.measure(spec)
        self.surround(spec)
        return spec

    def bind(self, cell: Cell, program: dict[str, Any]) -> str:
        """Threads of a workload each on its cpu and those of a command on the set, unless asked otherwise."""
        # Copies are processes with helpers of their own: in order of appearance two workers might share a cpu.
        if "copies" in cell:
            return "set"
        return str(cell.get("bind") or self.study_spec.bind or ("each" if "workload" in program else "set"))

    def measure(self, spec: RunSpec) -> None:
        """Add where pages go, what is measured, and what has to be as it was."""
        if "memory" in spec["cell"]:
            spec["memory"] = _memory(str(spec["cell"]["memory"]))
        metric = self.study_spec.timed or self.phase(spec["program"])
        if metric:
            spec["metric"] = metric
        if self.study_spec.check:
            spec["check"] = self.study_spec.check
        if self.study_spec.census_ms is not None:
            spec["census_ms"] = self.study_spec.census_ms
        counts = self.study_spec.together or "counting" in spec["cell"]
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
            spec["cache"] = str(cache)
        if self.study_spec.warmup:
            spec["warmup"] = self.study_spec.warmup
        if self.study_spec.prepare is not None:
            spec["prepare"] = self.command("prepare", self.study_spec.prepare, spec["cell"])
        if self.study_spec.conclude is not None:
            spec["conclude"] = self.command("conclude", self.study_spec.conclude, spec["cell"])

    def command(self, step: str, text: str, cell: Cell) -> str:
        """Fill in levels and the argument that grows with the threads; the baseline has none."""
        if cell is BASELINE:
            self.refuse_levels(step, [text])
            return text
        return filled(text, levels(cell) | grown(self.study_spec, cell))

    def refuse_levels(self, where: str, words: list[str]) -> None:
        """Refuse words of the baseline, or around it, that wait for a level."""
        for name in [*self.study_spec.factors, *([self.study_spec.weak["argument"]] if self.study_spec.weak else [])]:
            if name != "threads" and any("{" + name + "}" in word for word in words):
                raise StudyError(f"{where}: it mentions {{{name}}}, for which the baseline has no level")


def _memory(text: str) -> dict[str, Level | list[int]]:
    policy, _, nodes = text.partition(":")
    if policy not in POLICIES or bool(nodes) == (policy == "local"):
        hint = "local, bind:0,1, interleave:0-3, weighted-interleave:0-3 or preferred:0"
        raise StudyError(f"unknown memory policy: {text!r}", hint=hint)
    try:
        return {"policy": policy, "nodes": numbers(nodes)}
    except ValueError as error:
        raise StudyError(f"unknown memory policy: {text!r}: {nodes!r} is no list of nodes") from error
