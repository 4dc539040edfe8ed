"""The best serial version (``--baseline``): the cells in which it runs, and its program there."""

from __future__ import annotations

from typing import Any

from knee.store import INPUTS, StudyError
from knee.study.design.cells import Cell
from knee.study.design.program import filled, grown_by, levels, mentions, program_texts
from knee.study.spec import StudySpec


def serial_cells(study_spec: StudySpec, cells: list[Cell]) -> list[Cell]:
    """Return the cells of the best serial version: the levels that it has, as they occur in the design.

    Raises
    ------
    StudyError
        If it does the same work for all levels of an input, since curves of other work would be compared with it.
    """
    texts, inputs = program_texts(study_spec.baseline or {}), _inputs(study_spec)
    around = [text for text in (study_spec.prepare, study_spec.conclude) if text]
    taken = [*levels(cells[0]), *(name for name in study_spec.inputs if name.startswith("env:"))]
    for name in study_spec.inputs:
        if name in levels(cells[0]) and name not in inputs and not mentions([*texts, *around], name):
            message = f"baseline: it does not mention {{{name}}}, whose levels are other work to the program"
            raise StudyError(message, hint=f"write {{{name}}} into the baseline as well")
    named = [name for name in taken if name in inputs or name in study_spec.inputs or mentions(texts, name)]
    unique: list[Cell] = []
    for cell in cells:
        own: Cell = {name: cell[name] for name in named}
        if own not in unique:
            unique.append(own)
    return unique


def serial_program(study_spec: StudySpec, cell: Cell) -> dict[str, Any]:
    """Return the best serial version with levels in the place of their names.

    It takes variables that are inputs. One that is the program's own workload takes all inputs without naming them:
    those of the cell, those that the program is given, and in weak scaling the work of one thread.

    Raises
    ------
    StudyError
        If it is the program's workload with another input, since times of different work cannot be compared.
    """
    program, of_cell = study_spec.baseline or {}, levels(cell)
    made = dict(program)
    if "command" in program:
        made["command"] = [filled(word, of_cell) for word in program["command"]]
    for key in ("args", "env"):
        if key in program:
            made[key] = {name: filled(text, of_cell) for name, text in program[key].items()}
    if variables := {name[4:]: str(level) for name, level in cell.items() if name.startswith("env:")}:
        made["env"] = made.get("env", {}) | variables
    inputs = _inputs(study_spec)
    _refuse_other_work(study_spec, inputs)
    args: dict[str, str] = {**study_spec.program.get("args", {}), **grown_by(study_spec.weak, 1)}
    if given := {name: text for name, text in args.items() if name in inputs and name not in of_cell}:
        made["args"] = given | made.get("args", {})
    own = {name: level for name, level in of_cell.items() if name in inputs}
    return made | ({"params": own} if own else {})


def _inputs(study_spec: StudySpec) -> frozenset[str]:
    """Return what says what there is to do, where the best serial version is the program's own workload."""
    workload = (study_spec.baseline or {}).get("workload")
    same = workload is not None and workload == study_spec.program.get("workload")
    grown = grown_by(study_spec.weak, 1)
    return INPUTS.union(study_spec.inputs, grown) if same else frozenset()


def _refuse_other_work(study_spec: StudySpec, inputs: frozenset[str]) -> None:
    args: dict[str, str] = {**study_spec.program.get("args", {}), **grown_by(study_spec.weak, 1)}
    for name, serial in (study_spec.baseline or {}).get("args", {}).items():
        ours = args.get(name, "its default")
        # Levels take the place of what is given.
        if name in inputs and name not in study_spec.factors and serial != ours:
            message = f"baseline: its {name} is {serial} and the program's is {ours}, so their times cannot be compared"
            raise StudyError(message, hint=f"leave {name} out of the baseline: it takes the program's")
