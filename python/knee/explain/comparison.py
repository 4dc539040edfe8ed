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

from knee.explain.scaling.series import BARE
from knee.explain.validity import changes, disturbance
from knee.stats.intervals import Array
from knee.stats.paired import Comparison, Verdict, paired, together, unpaired, verdicts
from knee.store import SCHEMA, Level, Run, StudyError, finite

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
    lost: tuple[str, ...]
    """Cells of which A has good runs and B, which made them, none."""
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        judged = [one for one in self.cells if one.name not in self.lost]
        said = [self._judgement(judged)] if judged else []
        if self.lost:
            said.append(f"B has no good run of {'; '.join(self.lost)}, where A has one.")
        return " ".join(said)

    def _judgement(self, cells: list[Compared]) -> str:
        many, d = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}", f"{100 * self.smallest:g} %"
        if self.verdict == "no difference":
            return f"No difference larger than {d} in {'the one cell' if len(cells) == 1 else f'any of {many}'}."
        if self.verdict == "undecided":
            open_ = sum(one.verdict == "undecided" for one in cells)
            return f"Undecided: in {open_} of {many} B may differ from A by more than {d}; more blocks would tell."
        alike = [one for one in cells if one.verdict == self.verdict]
        most = max(alike, key=lambda one: abs(np.log(one.comparison.estimate)))
        ends = most.comparison.interval
        times = f"{most.comparison.estimate:.3f} [{ends.low:.3f}, {ends.high:.3f}]"
        return f"B is {self.verdict} than A in {len(alike)} of {many}, most with {most.name}: B / A = {times}."

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
    common = _common(a, b)
    for pair in common:
        _refuse_unlike(pair, f"cannot compare: {a.name} and {b.name}")
    notes = ["A and B are two sessions: blocks were not shared, and what changed in between is part of the ratio"]
    return _report(a, b, unpaired, smallest, [*notes, *_differences(a, b), *_programs(common)])


def of_levels(side: Side, factor: str, levels: tuple[str, str], smallest: float) -> Report:
    """Compare two levels of a factor of one study, block by block.

    Raises
    ------
    StudyError
        When the study has no such factor or level, or they are the same one.
    """
    if levels[0] == levels[1]:
        what = f"{factor}={levels[0]} with itself"
        raise StudyError(f"cannot compare: {side.name}: {what}", hint=f"knee compare {side.name} OTHER, or two levels")
    measured = {str(run.spec["cell"][factor]) for run in side.runs if factor in run.spec["cell"]}
    missing = [level for level in levels if level not in measured]
    if missing:
        names = sorted({name for run in side.runs for name in run.cell})
        hint = f"{factor} has {', '.join(sorted(measured))}" if measured else f"its factors are {', '.join(names)}"
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
    comparisons = [compare(times_a[key], times_b[key]) for key in both]
    lost = [key for key in both if np.isfinite(times_a[key]).any() and not np.isfinite(times_b[key]).any()]
    if not lost and all(one.values < 2 for one in comparisons):
        hint = "look at the bad runs with knee report, or make more blocks"
        raise StudyError(f"cannot compare: {a.name} and {b.name}: no cell has two good runs on both sides", hint=hint)
    words = verdicts(comparisons, smallest)
    compared = tuple(
        Compared(names[key], cells[key], _mean(times_a[key]), _mean(times_b[key]), one, word)
        for key, one, word in zip(both, comparisons, words, strict=True)
    )
    only_a, only_b = (tuple(names[k] for k in mine if k not in other) for mine, other in ((cells, more), (more, cells)))
    notes = [*notes, *_marks("A", a), *_marks("B", b)]
    # What B lost is no matter of more blocks: the verdict is that on the others.
    verdict = together([word for key, word in zip(both, words, strict=True) if key not in lost])
    gone, shared = tuple(names[key] for key in lost), compare is paired
    return Report(a.name, b.name, shared, smallest, verdict, compared, only_a, only_b, gone, tuple(notes))


def _times(runs: list[Run], blocks: int, without: str) -> tuple[dict[str, dict[str, Level]], dict[str, Array]]:
    """Return cells by their key, ordered by threads, and their seconds by block, NaN where no run is good."""
    cells: dict[str, dict[str, Level]] = {}
    times: dict[str, Array] = {}
    for run in sorted(runs, key=lambda run: (str(run.spec["cell"].get("placement")), run.threads)):
        if run.is_control:
            continue
        cell = {name: level for name, level in run.spec["cell"].items() if name != without}
        key = _key(cell)
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
    varying = [name for name, known in levels.items() if len(known) > 1] or ["threads"]
    return {key: _words(cell, [n for n in varying if n in cell] or [*cell]) for key, cell in cells.items()}


def _words(cell: dict[str, Level], names: list[str]) -> str:
    # Where the levels that are compared are all that there is, they are compared over all runs.
    return ", ".join(str(cell[n]) if n in BARE else f"{n}={cell[n]}" for n in names) or "all runs"


def _mean(times: Array) -> float:
    good = times[np.isfinite(times)]
    return float(np.exp(np.log(good).mean())) if good.size else float("nan")


def _key(cell: dict[str, Level]) -> str:
    return json.dumps(cell, sort_keys=True)


def _common(a: Side, b: Side) -> list[tuple[Run, Run]]:
    """Return a run of each side for every cell that both have. Controls are other programs, or measured otherwise."""
    designed = [[run for run in side.runs if not run.is_control] for side in (a, b)]
    mine, others = ({_key(run.spec["cell"]): run for run in runs} for runs in designed)
    return [(run, others[key]) for key, run in mine.items() if key in others]


def _refuse_unlike(pair: tuple[Run, Run], what: str) -> None:
    """Refuse a cell of which each side measures something else."""
    measured = [_measured(run) for run in pair]
    if measured[0] != measured[1]:
        unlike = f"A measures {measured[0]}, B measures {measured[1]}"
        raise StudyError(f"{what}: {unlike}", hint="give both studies the same --metric")
    if pair[0].work != pair[1].work:
        weak, strong = ("A", "B") if pair[0].work > 1 else ("B", "A")
        unlike = f"in {weak} the work grows with the threads, in {strong} it does not"
        raise StudyError(f"{what}: {unlike}", hint="give both studies the same --weak")


def _measured(run: Run) -> str:
    metric = run.spec.get("metric")
    return json.dumps(metric, sort_keys=True) if metric else "the run time"


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
    return lines


def _fact(value: object) -> str:
    return str(value) if isinstance(value, str) else "not available"


def _programs(common: list[tuple[Run, Run]]) -> list[str]:
    """Say which programs differ, on the fewest threads of the cells that both have: on more, only their count does."""
    fewest = min((run.threads for run, _ in common), default=1)
    programs = [{_program(pair[side]) for pair in common if pair[side].threads == fewest} for side in (0, 1)]
    if programs[0] == programs[1]:
        return []
    own = [sorted(mine - other or mine) for mine, other in (programs, programs[::-1])]
    shown = [f"{mine[0]}{f' and {len(mine) - 1} more' if len(mine) > 1 else ''}" for mine in own]
    return [f"the program differs: {shown[0]} in A, {shown[1]} in B"]


def _program(run: Run) -> str:
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
