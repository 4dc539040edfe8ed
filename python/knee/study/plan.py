"""The plan: randomised complete blocks. Every block holds every cell once, in an order of its own."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from knee.store import SCHEMA, Level, Spec, StudyError
from knee.study.checks import refuse_contradictions
from knee.study.design import Cell
from knee.study.hold import held
from knee.study.orders import Orders
from knee.study.program import filled, grown, levels, program_of
from knee.study.question import Question
from knee.study.reading import numbers

BASELINE: Cell = {"baseline": "yes"}
"""Cell of the best serial version."""

POLICIES = ("local", "bind", "interleave", "weighted-interleave", "preferred")


def specs(question: Question, cells: list[Cell], orders: Orders, machine: dict[str, Any]) -> list[Spec]:
    """Return one spec for each cell and block, in running order.

    The order within a block is drawn from the seed, so that the machine's moods fall on all cells alike and a plan can
    be made again. Where counters are asked for, each cell has a run that counts beside the one that is timed.
    """
    refuse_contradictions(question)
    planner = _Planner(question, orders, machine["allowed"]["cpus"], held(question.hold, machine["facts"]))
    draw = random.Random(question.seed)
    planned: list[Spec] = []
    everything = [*cells, *_counting(cells, question), *([BASELINE] if question.baseline else [])]
    width = max(4, len(str(len(everything) * question.blocks)))
    groups = _together(everything, question.pair)
    for block in range(1, question.blocks + 1):
        for group in draw.sample(groups, len(groups)):
            # A B in one block and B A in the next: a straight drift falls on both sides alike.
            for cell in group if block % 2 else reversed(group):
                name = f"{len(planned) + 1:0{width}d}"
                planned.append(planner.spec(name, block, cell))
    return planned


def summary(question: Question, planned: list[Spec]) -> str:
    """Say in words what a plan holds, and what it may cost at most."""
    cells = {str(sorted(spec["cell"].items())): spec["cell"] for spec in planned}
    found: dict[str, list[str]] = {}
    for cell in cells.values():
        for name, level in cell.items():
            known = found.setdefault(name, [])
            known.extend([str(level)] if str(level) not in known else [])
    lines = [f"knee: {len(planned)} runs: {len(cells)} cells in {question.blocks} blocks, each in a random order"]
    lines += [f"      {name}: {', '.join(among)}" for name, among in found.items()]
    warm = f", each after {question.warmup} to warm up" if question.warmup else ""
    lines.append(f"      a run is stopped after {question.timeout_s:g} s{warm}")
    if question.width is not None or question.budget_s is not None:
        lines.append("      it may end after fewer blocks, by its own rule")
    return "\n".join(lines)


def _counting(cells: list[Cell], question: Question) -> list[Cell]:
    """Return the cells once more for the counters, which must not disturb what is timed."""
    if not question.counters or question.together:
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
    """Writes the spec of a cell."""

    question: Question
    orders: Orders
    allowed: list[int]
    hold: dict[str, str]

    def spec(self, name: str, block: int, cell: Cell) -> Spec:
        alone = cell is BASELINE
        threads = 1 if alone else int(cell["threads"])
        placement = self.orders.names[0] if alone else str(cell["placement"])
        program = (self.question.baseline or {}) if alone else program_of(self.question, cell)
        if alone:
            self.refuse_levels("baseline", [*program.get("command", []), *program.get("env", {}).values()])
        cpus = self.orders.cpus(placement, threads)
        spec: Spec = {
            "schema": SCHEMA,
            "id": name,
            "cell": cell,
            "block": block,
            "program": program,
            "threads": threads,
            "cpus": cpus,
            "bind": self.bind(cell, program) if self.orders.fits(placement, threads) else "set",
            "sample_ms": self.question.sample_ms,
            "timeout_s": self.question.timeout_s,
        }
        spare = [cpu for cpu in self.allowed if cpu not in cpus] if cpus else []
        if spare:
            spec["sampler_cpu"] = spare[-1]
        if spec["bind"] == "each" and "command" in program and self.question.skip:
            spec["skip"] = self.question.skip
        self.measure(spec)
        self.surround(spec)
        return spec

    def bind(self, cell: Cell, program: dict[str, Any]) -> str:
        """Threads of a workload each on its cpu and those of a command on the set, unless asked otherwise."""
        # Copies are processes with helpers of their own: in order of appearance two workers might share a cpu.
        if "copies" in cell:
            return "set"
        return str(cell.get("bind") or self.question.bind or ("each" if "workload" in program else "set"))

    def measure(self, spec: Spec) -> None:
        """Add where pages go, what is measured, and what has to be as it was."""
        if "memory" in spec["cell"]:
            spec["memory"] = _memory(str(spec["cell"]["memory"]))
        metric = self.question.timed or self.phase(spec["program"])
        if metric:
            spec["metric"] = metric
        if self.question.check:
            spec["check"] = self.question.check
        if self.question.census_ms is not None:
            spec["census_ms"] = self.question.census_ms
        counts = self.question.together or "counting" in spec["cell"]
        if self.question.counters and counts:
            spec["counters"] = self.question.counters
        if self.question.events is not None and counts:
            spec["events"] = self.question.events
        if self.hold:
            spec["hold"] = self.hold

    def phase(self, program: dict[str, Any]) -> dict[str, str] | None:
        """Return the phase of one of several workloads that is its work; None where the whole run is measured."""
        name = self.question.phases.get(str(program.get("workload")))
        return {"phase": name} if name else None

    def surround(self, spec: Spec) -> None:
        """Add what is done before and after the run."""
        cache = spec["cell"].get("cache") or self.question.cache
        if cache:
            spec["cache"] = str(cache)
        if self.question.warmup:
            spec["warmup"] = self.question.warmup
        if self.question.prepare is not None:
            spec["prepare"] = self.command("prepare", self.question.prepare, spec["cell"])
        if self.question.conclude is not None:
            spec["conclude"] = self.command("conclude", self.question.conclude, spec["cell"])

    def command(self, step: str, text: str, cell: Cell) -> str:
        """Fill in levels and the argument that grows with the threads; the baseline has none."""
        if cell is BASELINE:
            self.refuse_levels(step, [text])
            return text
        return filled(text, levels(cell) | grown(self.question, cell))

    def refuse_levels(self, where: str, words: list[str]) -> None:
        """Refuse words of the baseline, or around it, that wait for a level."""
        for name in [*self.question.factors, *([self.question.weak["argument"]] if self.question.weak else [])]:
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
