"""The program of a cell: puts levels into arguments, words and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knee import _binary
from knee.store import Role, RunSpec, role_of
from knee.study.checks.names import unmentioned
from knee.study.design.cells import Cell
from knee.study.kinds.factors import RESERVED
from knee.study.spec import StudySpec


def program_of(study_spec: StudySpec, cell: Cell, role: Role) -> dict[str, Any]:
    """Return the program with the cell's levels: arguments of a workload, ``{NAME}`` in a command, variables."""
    program: dict[str, Any] = study_spec.program
    arguments = levels(cell) | grown(study_spec, cell)
    variables = {name[4:]: str(level) for name, level in cell.items() if name.startswith("env:")}
    if study_spec.workloads:
        name = arguments.pop("workload")
        args: dict[str, str] = program.get("args", {}) | study_spec.workloads[name]
        program = {**program, "workload": study_spec.built_in(name), "args": args}
    given: dict[str, str] = program.get("env", {}) | variables
    if given:
        program = program | {"env": {name: filled(value, arguments) for name, value in given.items()}}
    if "workload" in program:
        made = program | ({"params": arguments} if arguments else {})
        return side_by_side(made, int(cell["threads"])) if role == "copies" else made
    mentioned = [*program["command"], *given.values(), study_spec.prepare or "", study_spec.conclude or ""]
    for name in arguments:
        if not mentions(mentioned, name):
            raise unmentioned(name)
    command = [filled(word, arguments) for word in program["command"]]
    made = program | {"command": command}
    return side_by_side(made, int(cell["threads"])) if role == "copies" else made


def grown(study_spec: StudySpec, cell: Cell) -> dict[str, str]:
    """Return the weak-scaling argument: it grows with the threads, so that work per thread stays the same."""
    return grown_by(study_spec.weak, int(cell["threads"]))


def grown_by(weak: Mapping[str, Any] | None, threads: int) -> dict[str, str]:
    """Return the argument of weak scaling with its value on so many threads."""
    if weak is None:
        return {}
    size = weak["one_thread"] * threads ** (1 / weak.get("power", 1))
    return {weak["argument"]: str(round(size))}


def levels(cell: Cell) -> dict[str, str]:
    """Return the levels of arguments: all but reserved factors and variables."""
    return {name: str(level) for name, level in cell.items() if name not in RESERVED and not name.startswith("env:")}


def builds(text: str | None, plan: list[RunSpec]) -> list[str]:
    """Return the build command once for each level that it names, in the plan's order.

    Nothing is built for the baseline: what it names, others name as well.
    """
    if text is None:
        return []
    of_levels = (spec["cell"] for spec in plan if role_of(spec) != "baseline")
    return list(dict.fromkeys(filled(text, levels(cell)) for cell in of_levels))


def program_texts(program: dict[str, Any]) -> list[str]:
    """Return the texts of a program in which levels may stand: words, arguments and variables."""
    return [*program.get("command", []), *program.get("args", {}).values(), *program.get("env", {}).values()]


def mentions(texts: list[str], name: str) -> bool:
    """Whether a level of this factor stands in one of the texts."""
    return any("{" + name + "}" in text for text in texts)


def filled(word: str, arguments: dict[str, str]) -> str:
    """Replace ``{NAME}`` by its level."""
    for name, level in arguments.items():
        word = word.replace("{" + name + "}", level)
    return word


def side_by_side(program: dict[str, Any], number: int) -> dict[str, Any]:
    """Return a program that runs copies at once, each with one thread. Copies of a workload are made by the runner."""
    env = {name: value.replace("{threads}", "1") for name, value in program.get("env", {}).items()}
    made = program | ({"env": env} if env else {})
    if "workload" in program:
        return made
    one = [word.replace("{threads}", "1") for word in program["command"]]
    return made | {"command": [str(_binary.find()), "copies", str(number), "--", *one]}
