"""The plan: randomised complete blocks. Every block holds every cell once, in an order of its own."""

from __future__ import annotations

import random
from typing import Any

from knee import _binary
from knee.store import SCHEMA, Level, Spec, StudyError
from knee.study.design import Cell, Orders
from knee.study.question import RESERVED, Question

BASELINE: Cell = {"baseline": "yes"}
"""Cell of the best serial version."""


def specs(question: Question, cells: list[Cell], orders: Orders, machine: dict[str, Any]) -> list[Spec]:
    """Return one spec for each cell and block, in running order.

    The order within a block is drawn from the seed, so that the machine's moods fall on all cells alike and a plan can
    be made again.
    """
    if question.copies and ("workload" in question.program or question.metric):
        raise StudyError("copies are for commands whose run time is measured", hint="leave --copies or the metric out")
    if question.baseline and "command" in question.baseline and "phase" in (question.metric or {}):
        hint = "--phase wall measures the whole run of both"
        raise StudyError(f"a command as baseline has no phase {(question.metric or {})['phase']}", hint=hint)
    draw = random.Random(question.seed)
    planned: list[Spec] = []
    everything = [*cells, *([BASELINE] if question.baseline else [])]
    width = max(4, len(str(len(everything) * question.blocks)))
    for block in range(1, question.blocks + 1):
        for cell in draw.sample(everything, len(everything)):
            name = f"{len(planned) + 1:0{width}d}"
            planned.append(_spec(name, block, cell, question, orders, machine["allowed"]["cpus"]))
    return planned


def _spec(name: str, block: int, cell: Cell, question: Question, orders: Orders, allowed: list[int]) -> Spec:
    alone = cell is BASELINE
    threads = 1 if alone else int(cell["threads"])
    order = next(iter(orders.values())) if alone else orders[str(cell["placement"])]
    program = (question.baseline or {}) if alone else _program(question.program, cell)
    if "copies" in cell:
        program = _side_by_side(program, int(cell["copies"]))
    # More threads than places: all of them on the whole set. Foreign threads are held by the set as well.
    tied = order is not None and threads <= len(order) and "workload" in program
    cpus = [] if order is None else order[:threads]
    spare = [cpu for cpu in allowed if cpu not in cpus] if order is not None else []
    spec: Spec = {
        "schema": SCHEMA,
        "id": name,
        "cell": cell,
        "block": block,
        "program": program,
        "threads": threads,
        "cpus": cpus,
        "bind": "each" if tied else "set",
        "sample_ms": question.sample_ms,
        "timeout_s": question.timeout_s,
    }
    if spare:
        spec["sampler_cpu"] = spare[-1]
    if "memory" in cell:
        spec["memory"] = _memory(str(cell["memory"]))
    if question.metric:
        spec["metric"] = question.metric
    if question.check:
        spec["check"] = question.check
    return spec


def _program(program: dict[str, Any], cell: Cell) -> dict[str, Any]:
    """Put the other factors in: arguments of a workload, ``{NAME}`` in a command, variables."""
    others = {name: level for name, level in cell.items() if name not in (*RESERVED, "copies")}
    variables = {name[4:]: str(level) for name, level in others.items() if name.startswith("env:")}
    arguments = {name: str(level) for name, level in others.items() if not name.startswith("env:")}
    if "workload" in program:
        if variables:
            raise StudyError("bad factor: env: a built-in workload reads no variables", hint="use one of its arguments")
        return program | ({"params": arguments} if arguments else {})
    command = [_filled(word, arguments) for word in program["command"]]
    for name in arguments:
        if not any("{" + name + "}" in word for word in program["command"]):
            hint = f"write {{{name}}} where its level goes, or use env:{name} for a variable"
            raise StudyError(f"bad factor: {name}: the command does not mention {{{name}}}", hint=hint)
    return program | {"command": command} | ({"env": program.get("env", {}) | variables} if variables else {})


def _side_by_side(program: dict[str, Any], number: int) -> dict[str, Any]:
    """As many copies of the command at once, each told to use one thread."""
    one = [word.replace("{threads}", "1") for word in program["command"]]
    env = {name: value.replace("{threads}", "1") for name, value in program.get("env", {}).items()}
    return (
        program | {"command": [str(_binary.find()), "copies", str(number), "--", *one]} | ({"env": env} if env else {})
    )


def _filled(word: str, arguments: dict[str, str]) -> str:
    for name, level in arguments.items():
        word = word.replace("{" + name + "}", level)
    return word


def _memory(text: str) -> dict[str, Level | list[int]]:
    policy, _, nodes = text.partition(":")
    if policy not in ("local", "bind", "interleave", "preferred") or bool(nodes) == (policy == "local"):
        raise StudyError(f"unknown memory policy: {text!r}", hint="local, bind:0,1, interleave:0-3 or preferred:0")
    try:
        return {"policy": policy, "nodes": [n for part in nodes.split(",") if part for n in _range(part)]}
    except ValueError as error:
        raise StudyError(f"unknown memory policy: {text!r}: {nodes!r} is no list of nodes") from error


def _range(part: str) -> range:
    low, _, high = part.partition("-")
    return range(int(low), int(high or low) + 1)
