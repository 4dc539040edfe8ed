"""Checks that runs of equal work have equal output, whatever their placement and thread count."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping

from knee.store.records.run import Run
from knee.store.seam import Program

WHERE = {"threads", "placement", "memory", "bind", "cache", "runtime"}
"""Factors that must not change what a program prints."""

HOW = {"threads", "runtime", "plan"}
"""Arguments of built-in workloads that must not change the answer."""

CHANGED = {"remedy", "intervention"}
"""Roles of runs with something changed. They are compared with the others, which say what is right."""


def judged(made: list[Run], same_output: bool | None) -> list[Run]:
    """Mark runs as bad if their output differs from that of most runs of the same work.

    Parameters
    ----------
    made
        Runs in the order of the plan. If two outputs are equally frequent, the first one counts as correct.
    same_output
        Whether the study requests this check; None checks only built-in workloads, which print their result.
    """
    if same_output is False:
        return made
    programs = {_cell(run): run.spec["program"] for run in made if run.role == "measure"}
    groups: dict[str, list[int]] = {}
    for number, run in enumerate(made):
        work = _work(run, programs, commands=same_output is True)
        if run.bad is None and work is not None and _printed(run) is not None:
            groups.setdefault(work, []).append(number)
    found = list(made)
    for members in groups.values():
        telling = [number for number in members if made[number].role not in CHANGED] or members
        # A Counter keeps insertion order, so this is the first of the most frequent outputs.
        [(right, _)] = Counter(_printed(made[number]) for number in telling).most_common(1)
        others = sum(_printed(made[number]) == right for number in members)
        for number in members:
            if _printed(made[number]) != right:
                found[number] = dataclasses.replace(made[number], bad=_unlike(others))
    return found


def _unlike(others: int) -> str:
    return f"its output differs from that of {others} other run{'s' if others > 1 else ''}"


def _work(run: Run, programs: Mapping[str, Program], *, commands: bool) -> str | None:
    """Return the key of a run's work; None if its output is not compared.

    ``programs`` has the program of each cell of the design: what a remedy changes is no other work.
    """
    program, cell = run.spec["program"], run.cell
    # Copies that run side by side print in any order.
    if run.role == "copies":
        return None
    if "workload" in program:
        # The key is the input, not the cell, since a serial baseline must give the same result.
        planned = programs.get(_cell(run), program) if run.role in CHANGED else program
        args = {**planned.get("args", {}), **planned.get("params", {})}
        return json.dumps([program["workload"], {k: v for k, v in args.items() if k not in HOW}], sort_keys=True)
    if not commands:
        return None
    # In weak scaling the output depends on the thread count.
    where = WHERE - {"threads"} if run.work > 1 else WHERE
    levels = {name: level for name, level in cell.items() if name not in where}
    # The best serial version may print something else.
    return json.dumps([run.role == "baseline", levels], sort_keys=True)


def _cell(run: Run) -> str:
    return json.dumps(run.cell, sort_keys=True)


def _printed(run: Run) -> str | None:
    return run.record["output"].get("stdout_xxh3")
