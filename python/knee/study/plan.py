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
from knee.study.program import filled, levels, program_of
from knee.study.question import Question, numbers

BASELINE: Cell = {"baseline": "yes"}
"""Cell of the best serial version."""

POLICIES = ("local", "bind", "interleave", "weighted-interleave", "preferred")


def specs(question: Question, cells: list[Cell], orders: Orders, machine: dict[str, Any]) -> list[Spec]:
    """Return one spec for each cell and block, in running order.

    The order within a block is drawn from the seed, so that the machine's moods fall on all cells alike and a plan can
    be made again.
    """
    refuse_contradictions(question)
    planner = _Planner(question, orders, machine["allowed"]["cpus"], held(question.hold, machine["facts"]))
    draw = random.Random(question.seed)
    planned: list[Spec] = []
    everything = [*cells, *([BASELINE] if question.baseline else [])]
    width = max(4, len(str(len(everything) * question.blocks)))
    for block in range(1, question.blocks + 1):
        for cell in draw.sample(everything, len(everything)):
            name = f"{len(planned) + 1:0{width}d}"
            planned.append(planner.spec(name, block, cell))
    return planned


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
        if self.question.metric:
            spec["metric"] = self.question.metric
        if self.question.check:
            spec["check"] = self.question.check
        if self.question.census_ms is not None:
            spec["census_ms"] = self.question.census_ms
        if self.hold:
            spec["hold"] = self.hold

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
        """Fill in levels; the baseline has none."""
        if cell is BASELINE:
            for name in self.question.factors:
                if "{" + name + "}" in text and name != "threads":
                    raise StudyError(f"{step}: it mentions {{{name}}}, for which the baseline has no level")
        return filled(text, levels(cell))


def _memory(text: str) -> dict[str, Level | list[int]]:
    policy, _, nodes = text.partition(":")
    if policy not in POLICIES or bool(nodes) == (policy == "local"):
        hint = "local, bind:0,1, interleave:0-3, weighted-interleave:0-3 or preferred:0"
        raise StudyError(f"unknown memory policy: {text!r}", hint=hint)
    try:
        return {"policy": policy, "nodes": numbers(nodes)}
    except ValueError as error:
        raise StudyError(f"unknown memory policy: {text!r}: {nodes!r} is no list of nodes") from error
