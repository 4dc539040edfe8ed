"""Equal work has to give equal output: runs that only differ in where and how wide they ran are compared."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter

from knee.store.run import Run

WHERE = {"threads", "placement", "memory", "bind", "cache", "runtime"}
"""Factors that must not change what a program prints."""

HOW = {"threads", "runtime", "plan"}
"""Arguments of built-in workloads that must not change the answer."""


def judged(made: list[Run], same_output: bool | None) -> list[Run]:
    """Mark runs whose output differs from that of most runs of the same work as bad.

    Parameters
    ----------
    made
        Runs in the order of the plan. Of two outputs equally frequent, the one that came first counts as right.
    same_output
        Whether the study asks for it; None for built-in workloads only, which print their answer.
    """
    if same_output is False:
        return made
    groups: dict[str, list[int]] = {}
    for number, run in enumerate(made):
        work = _work(run, commands=same_output is True)
        if run.bad is None and work is not None and _printed(run) is not None:
            groups.setdefault(work, []).append(number)
    found = list(made)
    for members in groups.values():
        outputs = Counter(_printed(made[number]) for number in members)
        # Of the most frequent ones the first: a counter keeps the order in which runs came.
        [(right, others)] = outputs.most_common(1)
        for number in members:
            if _printed(made[number]) != right:
                found[number] = dataclasses.replace(made[number], bad=_unlike(others))
    return found


def _unlike(others: int) -> str:
    return f"its output differs from that of {others} other run{'s' if others > 1 else ''}"


def _work(run: Run, *, commands: bool) -> str | None:
    """Name the work of a run; None where its output is compared with no other's."""
    program, cell = run.spec["program"], run.cell
    if "workload" in program:
        # By input, not by cell: a serial baseline has to give the same answer.
        args = {**program.get("args", {}), **program.get("params", {})}
        return json.dumps([program["workload"], {k: v for k, v in args.items() if k not in HOW}], sort_keys=True)
    # What copies print side by side comes in any order.
    if not commands or run.role == "copies":
        return None
    # Where the input grows with the threads, so does what is printed.
    where = WHERE - {"threads"} if run.work > 1 else WHERE
    levels = {name: level for name, level in cell.items() if name not in where}
    # The best serial version may print something else.
    return json.dumps([run.role == "baseline", levels], sort_keys=True)


def _printed(run: Run) -> str | None:
    return run.record["output"].get("stdout_fnv1a")
