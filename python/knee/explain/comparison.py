"""Two sides compared cell by cell: the same study made twice, or two levels of a factor of one study.

Two levels of one study share their blocks, so they are compared pair by pair. Two studies are two sessions: they share
no block, and what changed in between (clock, heat, neighbours) is part of the ratio. So their intervals are widened by
what two sessions of one program differ by, which the user declares: see :mod:`knee.stats.sessions`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from knee.explain.changes import changes
from knee.explain.disturbance import disturbance
from knee.explain.scaling.series import BARE
from knee.stats.answers import Answer
from knee.stats.intervals import Array
from knee.stats.paired import Comparison, answers, paired, together, unpaired
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
    """One cell that both sides have. Times are geometric means in seconds, NaN where no run was good.

    ``more_blocks`` is about how many more would tell, where the verdict is that one cannot; None where it tells, or
    where a thousand would not.
    """

    name: str
    cell: dict[str, Level]
    a_s: float
    b_s: float
    comparison: Comparison
    verdict: Answer
    more_blocks: int | None


@dataclass(frozen=True)
class Report:
    """All cells, the one verdict, and what has to be known to believe it."""

    a: str
    b: str
    shared_blocks: bool
    session_spread: float
    """What two sessions were taken to differ by, as a share; 0 where blocks are shared."""
    smallest: float
    verdict: Answer
    cells: tuple[Compared, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    lost: tuple[str, ...]
    """Cells of which A has good runs and B, which made them, none."""
    notes: tuple[str, ...]

    @property
    def judged(self) -> list[Compared]:
        """Cells that have runs on both sides."""
        return [one for one in self.cells if one.name not in self.lost]

    @property
    def open(self) -> list[Compared]:
        """Cells of which one cannot tell."""
        return [one for one in self.judged if one.verdict == "cannot tell"]

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        said = [words for words in (self._shown(), self._open()) if words]
        if self.lost:
            said.append(f"B has no good run of {'; '.join(self.lost)}, where A has one.")
        return " ".join(said)

    def _shown(self) -> str:
        """Say what is shown: a difference in some cells, or that all are equal."""
        many = _cells(len(self.judged))
        if self.verdict == "equal":
            return f"B and A are equal within {_percent(self.smallest)} in {many}."
        alike = [one for one in self.judged if one.verdict == self.verdict]
        if self.verdict == "cannot tell" or not alike:
            return ""
        most = max(alike, key=lambda one: abs(np.log(one.comparison.estimate)))
        where = f"in {len(alike)} of {many}, most with {most.name}" if len(self.judged) > 1 else f"with {most.name}"
        return f"B is {self.verdict} than A {where}: by {_difference(most.comparison)} of the time."

    def _open(self) -> str:
        """Say of how many cells one cannot tell, and what would."""
        if not self.open:
            return ""
        some = f"in {len(self.open)} of {_cells(len(self.judged))}"
        widest = max(self.open, key=lambda one: _width(one.comparison))
        ends = widest.comparison.interval
        said = f"Cannot tell {some}"
        if ends.low == ends.low:
            said += f" (B / A lies between {ends.low:.2f} and {ends.high:.2f} with {widest.name})"
        return f"{said}: {self._what_would_tell()}."

    def _what_would_tell(self) -> str:
        more = [one.more_blocks for one in self.open]
        if all(one is not None for one in more):
            blocks = max(one or 0 for one in more)
            sides = "" if self.shared_blocks else " of each study"
            return f"about {blocks} more block{'s' if blocks > 1 else ''}{sides} would tell"
        if self.session_spread:
            spread = _percent(self.session_spread)
            return f"two sessions may differ by {spread} by themselves; A and B in one study would tell"
        return "a thousand more blocks would not tell"

    def to_json(self) -> dict[str, Any]:
        """Return plain data: numbers that are not known are null."""
        return cast("dict[str, Any]", finite({"schema": SCHEMA, "sentence": self.sentence} | asdict(self)))


def _cells(many: int) -> str:
    return f"{many} cell{'s' if many > 1 else ''}"


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _width(comparison: Comparison) -> float:
    ends = comparison.interval
    return ends.high / ends.low if ends.low == ends.low else 0.0


def _difference(comparison: Comparison) -> str:
    """Return how much longer, or shorter, B takes, in per cent of the time of A."""
    ends = comparison.interval
    shares = [100 * abs(ratio - 1) for ratio in (comparison.estimate, ends.low, ends.high)]
    return f"{shares[0]:.1f} % [{min(shares[1:]):.1f}, {max(shares[1:]):.1f}]"


def of_studies(a: Side, b: Side, smallest: float, session_spread: float) -> Report:
    """Compare two studies, taking two sessions of one program to differ by ``session_spread``, a share.

    Raises
    ------
    StudyError
        When they measure different things or have no usable cell in common.
    """
    common = _common(a, b)
    for pair in common:
        _refuse_unlike(pair, f"cannot compare: {a.name} and {b.name}")
    notes = [_sessions(session_spread), *_differences(a, b), *_programs(common)]
    return _report(a, b, session_spread, smallest, notes)


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
    return _report(a, b, None, smallest, [], without=factor)


def _sessions(spread: float) -> str:
    """Say what two sessions mean for the ratio."""
    two = "A and B are two sessions: blocks were not shared"
    if spread == 0:
        return f"{two}, and what changed in between is part of the ratio"
    return f"{two}; intervals allow for a difference of sessions of {_percent(spread)} (--session-spread)"


def _level(side: Side, factor: str, level: str) -> Side:
    members = [run for run in side.runs if str(run.spec["cell"].get(factor)) == level]
    return Side(f"{factor}={level} of {side.name}", members, side.machine, side.version)


def _report(
    a: Side, b: Side, session_spread: float | None, smallest: float, notes: list[str], without: str = ""
) -> Report:
    """Compare all cells; ``session_spread`` is None where both sides share their blocks."""
    shared = session_spread is None
    compare: Callable[[Array, Array], Comparison] = paired if shared else partial(unpaired, spread=session_spread)
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
    words = answers(comparisons, smallest)
    more_blocks = [
        one.more_blocks(smallest, len(both)) if word == "cannot tell" else None
        for one, word in zip(comparisons, words, strict=True)
    ]
    compared = tuple(
        Compared(names[key], cells[key], _mean(times_a[key]), _mean(times_b[key]), one, word, more)
        for key, one, word, more in zip(both, comparisons, words, more_blocks, strict=True)
    )
    only_a, only_b = (tuple(names[k] for k in mine if k not in other) for mine, other in ((cells, more), (more, cells)))
    notes = [*notes, *_marks("A", a), *_marks("B", b)]
    # What B lost is no matter of more blocks: the verdict is that on the others.
    verdict = together([word for key, word in zip(both, words, strict=True) if key not in lost])
    gone = tuple(names[key] for key in lost)
    spread = session_spread or 0.0
    return Report(a.name, b.name, shared, spread, smallest, verdict, compared, only_a, only_b, gone, tuple(notes))


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
