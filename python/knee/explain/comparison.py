"""Two sides compared cell by cell: the same study made twice, or two levels of a factor of one study.

Two levels of one study share their blocks, so they are compared pair by pair. Two studies are two sessions: they share
no block, and what changed in between (the machine's mood, its neighbours) is part of the ratio.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np

from knee.explain.series import BARE
from knee.explain.validity import changes, disturbance
from knee.stats.contrasts import Array
from knee.stats.paired import Comparison, Verdict, paired, together, unpaired, verdicts
from knee.store import CONTROLS, SCHEMA, Level, Run, StudyError, finite

UNSTEADY = ("clock_ns",)
"""Facts that are measured anew each time and never twice the same."""


@dataclass(frozen=True)
class Side:
    """What is compared: a name, its runs, the machine they were made on and the version of knee that planned them."""

    name: str
    runs: list[Run]
    machine: dict[str, Any]
    version: str | None


@dataclass(frozen=True)
class Compared:
    """One cell that both sides have. Times are geometric means in seconds, NaN where no run was good."""

    name: str
    cell: dict[str, Level]
    a_s: float
    b_s: float
    comparison: Comparison
    verdict: Verdict


@dataclass(frozen=True)
class Report:
    """All cells, the one verdict, and what has to be known to believe it."""

    a: str
    b: str
    shared_blocks: bool
    smallest: float
    verdict: Verdict
    cells: tuple[Compared, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        many, d = f"{len(self.cells)} cell{'s' if len(self.cells) > 1 else ''}", f"{100 * self.smallest:g} %"
        if self.verdict == "no difference":
            return f"No difference larger than {d} in {'the one cell' if len(self.cells) == 1 else f'any of {many}'}."
        if self.verdict == "undecided":
            open_ = sum(one.verdict == "undecided" for one in self.cells)
            return f"Undecided: in {open_} of {many} B may differ from A by more than {d}; more blocks would tell."
        found = [one for one in self.cells if one.verdict == self.verdict]
        most = max(found, key=lambda one: abs(np.log(one.comparison.estimate)))
        ends = most.comparison.interval
        times = f"{most.comparison.estimate:.3f} [{ends.low:.3f}, {ends.high:.3f}]"
        return f"B is {self.verdict} than A in {len(found)} of {many}, most with {most.name}: B / A = {times}."

    def to_json(self) -> dict[str, Any]:
        """Return plain data: numbers that are not known are null."""
        return cast("dict[str, Any]", finite({"schema": SCHEMA, "sentence": self.sentence} | asdict(self)))


def of_studies(a: Side, b: Side, smallest: float) -> Report:
    """Compare two studies.

    Raises
    ------
    StudyError
        When they measure different things or have no usable cell in common.
    """
    measured = [_measured(side) for side in (a, b)]
    if measured[0] != measured[1]:
        what = f"A measures {measured[0]}, B measures {measured[1]}"
        raise StudyError(f"cannot compare: {a.name} and {b.name}: {what}", hint="give both studies the same --metric")
    notes = ["A and B are two sessions: blocks were not shared, and what changed in between is part of the ratio"]
    return _report(a, b, unpaired, smallest, [*notes, *_differences(a, b)])


def of_levels(side: Side, factor: str, levels: tuple[str, str], smallest: float) -> Report:
    """Compare two levels of a factor of one study, block by block.

    Raises
    ------
    StudyError
        When the study has no such factor or level.
    """
    found = {str(run.spec["cell"][factor]) for run in side.runs if factor in run.spec["cell"]}
    missing = [level for level in levels if level not in found]
    if missing:
        names = sorted({name for run in side.runs for name in run.spec["cell"]} - set(CONTROLS))
        hint = f"{factor} has {', '.join(sorted(found))}" if found else f"its factors are {', '.join(names)}"
        raise StudyError(f"cannot compare: {side.name}: no run has {factor}={missing[0]}", hint=hint)
    a, b = (_level(side, factor, level) for level in levels)
    return _report(a, b, paired, smallest, [], without=factor)


def _level(side: Side, factor: str, level: str) -> Side:
    members = [run for run in side.runs if str(run.spec["cell"].get(factor)) == level]
    return Side(f"{factor}={level} of {side.name}", members, side.machine, side.version)


def _report(
    a: Side,
    b: Side,
    compare: Callable[[Array, Array], Comparison],
    smallest: float,
    notes: list[str],
    without: str = "",
) -> Report:
    blocks = max((run.spec["block"] for run in [*a.runs, *b.runs]), default=0)
    cells, times_a = _times(a.runs, blocks, without)
    more, times_b = _times(b.runs, blocks, without)
    names = _names(cells | more)
    both = [key for key in cells if key in more]
    if not both:
        hint = f"A has {names[next(iter(cells))]}" if cells else "A has no runs"
        raise StudyError(f"cannot compare: {a.name} and {b.name} have no cell in common", hint=hint)
    found = [compare(times_a[key], times_b[key]) for key in both]
    if all(one.values < 2 for one in found):
        hint = "look at the bad runs with knee report, or make more blocks"
        raise StudyError(f"cannot compare: {a.name} and {b.name}: no cell has two good runs on both sides", hint=hint)
    words = verdicts(found, smallest)
    compared = tuple(
        Compared(names[key], cells[key], _mean(times_a[key]), _mean(times_b[key]), one, word)
        for key, one, word in zip(both, found, words, strict=True)
    )
    only = [tuple(names[key] for key in mine if key not in other) for mine, other in ((cells, more), (more, cells))]
    notes = [*notes, *_marks("A", a), *_marks("B", b)]
    shared = compare is paired
    return Report(a.name, b.name, shared, smallest, together(words), compared, only[0], only[1], tuple(notes))


def _times(runs: list[Run], blocks: int, without: str) -> tuple[dict[str, dict[str, Level]], dict[str, Array]]:
    """Return cells by their key, ordered by threads, and their seconds by block, NaN where no run is good."""
    cells: dict[str, dict[str, Level]] = {}
    times: dict[str, Array] = {}
    for run in sorted(runs, key=lambda run: (str(run.spec["cell"].get("placement")), run.threads)):
        cell = {name: level for name, level in run.spec["cell"].items() if name != without}
        if any(name in cell for name in CONTROLS):
            continue
        key = json.dumps(cell, sort_keys=True)
        cells.setdefault(key, cell)
        values = times.setdefault(key, np.full(blocks, np.nan))
        if run.bad is None:
            values[run.spec["block"] - 1] = run.time_s
    return cells, times


def _names(cells: dict[str, dict[str, Level]]) -> dict[str, str]:
    """Name each cell by what tells it from others."""
    levels: dict[str, set[str]] = {}
    for cell in cells.values():
        for name, level in cell.items():
            levels.setdefault(name, set()).add(str(level))
    varying = [name for name, found in levels.items() if len(found) > 1] or ["threads"]
    return {
        key: ", ".join(str(cell[n]) if n in BARE else f"{n}={cell[n]}" for n in varying if n in cell)
        for key, cell in cells.items()
    }


def _mean(times: Array) -> float:
    good = times[np.isfinite(times)]
    return float(np.exp(np.log(good).mean())) if good.size else float("nan")


def _measured(side: Side) -> str:
    for run in side.runs:
        metric = run.spec.get("metric")
        return json.dumps(metric, sort_keys=True) if metric else "the run time"
    return "nothing"


def _differences(a: Side, b: Side) -> list[str]:
    """Say what differs between two sessions beside what was meant to."""
    lines: list[str] = []
    for kind in ("sockets", "nodes", "cores", "hardware_threads"):
        sizes = [len(side.machine.get(kind, [])) for side in (a, b)]
        if sizes[0] != sizes[1]:
            lines.append(f"another machine: {sizes[0]} {kind.replace('_', ' ')} in A, {sizes[1]} in B")
    facts = [cast("dict[str, Any]", side.machine.get("facts", {})) for side in (a, b)]
    for name in sorted((facts[0].keys() | facts[1].keys()) - set(UNSTEADY)):
        known = [_fact(one.get(name)) for one in facts]
        if known[0] != known[1]:
            lines.append(f"the machine differs: {name.replace('_', ' ')} is {known[0]} in A, {known[1]} in B")
    if a.version != b.version:
        lines.append(f"planned by knee {a.version or 'of unknown version'} in A, {b.version or 'unknown'} in B")
    programs = [_program(side) for side in (a, b)]
    if programs[0] != programs[1]:
        lines.append(f"the program differs: {programs[0]} in A, {programs[1]} in B")
    return lines


def _fact(value: object) -> str:
    return str(value) if isinstance(value, str) else "not available"


def _program(side: Side) -> str:
    """Return the words of the first run of one thread, as good a name for the program as any."""
    run = min(side.runs, key=lambda run: (run.threads, str(run.spec["cell"])), default=None)
    if run is None:
        return "none"
    program = run.spec["program"]
    args: dict[str, Any] = program.get("args", {}) | program.get("params", {})
    return " ".join(map(str, program.get("command", [program.get("workload"), *(f"{k}={v}" for k, v in args.items())])))


def _marks(letter: str, side: Side) -> list[str]:
    """Say which runs of a side do not count, or count with a mark."""
    good, made = [run for run in side.runs if run.bad is None], len(side.runs)
    lines = [f"{letter}: {change.sentence(made)}" for change in changes(good)]
    if len(good) < made:
        lines.append(f"{letter}: {made - len(good)} of {made} runs were bad and do not count")
    disturbed = sum(disturbance(run) is not None for run in good)
    if disturbed:
        lines.append(f"{letter}: {disturbed} of {made} runs were disturbed (other work, steal, clock); they count")
    if any(run.record["simulated"] for run in side.runs):
        lines.append(f"{letter}: simulated: no machine was measured")
    return lines
