"""Compares two sides cell by cell: two studies, or two levels of a factor within one study.

Two levels of one study share their blocks and are compared pair by pair. Two studies are two sessions without common
blocks, and the ratio includes whatever changed in between (clock, heat, neighbours). So their intervals are widened by
the expected difference between two sessions of one program, which the user declares: see :mod:`knee.stats.sessions`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from functools import partial

import numpy as np

from knee.explain.comparison.cells import CellTimes, Side, key_of, mean, names, times
from knee.explain.comparison.notes import differences, marks, of_sessions, programs
from knee.explain.comparison.parts import losses
from knee.explain.comparison.report import Compared, Report
from knee.explain.scaling.series import cell_words
from knee.stats.intervals import Array
from knee.stats.paired import Comparison, held, paired, together, unpaired
from knee.store import Run, StudyError

Compare = Callable[[Array, Array], Comparison]


def of_studies(a: Side, b: Side, smallest: float, session_spread: float) -> Report:
    """Compare two studies; ``session_spread`` is the expected difference between sessions, as a share.

    Raises
    ------
    StudyError
        When they measure different things, or no cell has good runs on both sides.
    """
    for side in (a, b):
        if not side.runs:
            hint = f"knee study --resume {shlex.quote(side.name)}"
            raise StudyError(f"cannot compare: {side.name} has no runs yet", hint=hint)
    common = _common(a, b)
    for pair in common:
        _refuse_unlike(pair, f"cannot compare: {a.name} and {b.name}")
    notes = [of_sessions(session_spread), *differences(a, b), *programs(common)]
    return _report(a, b, session_spread, smallest, notes)


def of_levels(side: Side, factor: str, levels: tuple[str, str], smallest: float) -> Report:
    """Compare two levels of a factor of one study, block by block.

    Raises
    ------
    StudyError
        When the factor or a level is unknown, or both levels are the same.
    """
    if levels[0] == levels[1]:
        what = f"{factor}={levels[0]} with itself"
        raise StudyError(f"cannot compare: {side.name}: {what}", hint="name two different levels")
    measured = {str(run.spec["cell"][factor]) for run in side.runs if factor in run.spec["cell"]}
    missing = [level for level in levels if level not in measured]
    if missing:
        names = sorted({name for run in side.runs for name in run.cell})
        hint = f"{factor} has {', '.join(sorted(measured))}" if measured else f"its factors are {', '.join(names)}"
        raise StudyError(f"cannot compare: {side.name}: no run has {factor}={missing[0]}", hint=hint)
    a, b = (_level(side, factor, level) for level in levels)
    return _report(a, b, None, smallest, [], without=factor)


def _level(side: Side, factor: str, level: str) -> Side:
    members = [run for run in side.runs if str(run.spec["cell"].get(factor)) == level]
    return Side(f"{factor}={level} of {side.name}", members, side.machine, side.version)


def _report(
    a: Side, b: Side, session_spread: float | None, smallest: float, notes: list[str], without: str = ""
) -> Report:
    """Compare all cells; ``session_spread`` is None when both sides share their blocks."""
    shared = session_spread is None
    compare: Compare = paired if shared else partial(unpaired, spread=session_spread)
    blocks = max((run.spec["block"] for run in [*a.runs, *b.runs]), default=0)
    cells, more = (times(side, blocks, without) for side in (a, b))
    named = names(cells | more)
    both = [key for key in cells if key in more]
    if not both:
        # With all their factors: one that has a single level may be what differs.
        firsts = [next(iter(side.values()), None) for side in (cells, more)]
        have = [cell_words(one.cell, one.cell) if one else "no runs" for one in firsts]
        why = f"A has {have[0]}, and B has {have[1]}"
        message = f"cannot compare: {a.name} and {b.name} have no cell in common: {why}"
        raise StudyError(message, hint="give both the same factors and levels")
    pairs = [(cells[key], more[key]) for key in both]
    compared = _cells([named[key] for key in both], pairs, compare, smallest)
    lost = [key for key in both if _good(cells[key]) and not _good(more[key])]
    if not lost and all(one.comparison.values < 2 for one in compared):
        hint = "`knee report` shows why runs are bad; or measure more blocks"
        raise StudyError(f"cannot compare: {a.name} and {b.name}: no cell has two good runs on both sides", hint=hint)
    # More blocks would not help where B has no good run, so the verdict is on the other cells.
    verdict = together([one.verdict for key, one in zip(both, compared, strict=True) if key not in lost])
    return Report(
        a=a.name,
        b=b.name,
        shared_blocks=shared,
        session_spread=session_spread or 0.0,
        smallest=smallest,
        verdict=verdict,
        cells=tuple(compared),
        only_a=tuple(named[key] for key in cells if key not in more),
        only_b=tuple(named[key] for key in more if key not in cells),
        lost=tuple(named[key] for key in lost),
        losses=tuple(losses(a, b, without, session_spread)),
        notes=(*notes, *marks("A", a), *marks("B", b)),
    )


def _good(cell: CellTimes) -> bool:
    return bool(np.isfinite(cell.seconds).any())


def _cells(
    called: list[str], pairs: list[tuple[CellTimes, CellTimes]], compare: Compare, smallest: float
) -> list[Compared]:
    """Return each cell with its answer, which allows for other programs."""
    made: list[Compared] = []
    for name, (a, b), found in zip(called, pairs, held(compare, pairs, smallest), strict=True):
        one, word = found.held, found.answer
        open_ = word == "cannot tell"
        disturbed = open_ and (word != found.as_seen or one.taken() > smallest)
        needed = one.more_blocks(smallest, len(pairs), new_study=True) if open_ and not disturbed else None
        made.append(Compared(name, a.cell, mean(a.seconds), mean(b.seconds), one, word, needed, disturbed))
    return made


def _common(a: Side, b: Side) -> list[tuple[Run, Run]]:
    """Return a run of each side for every cell that both have, without controls."""
    designed = [[run for run in side.runs if not run.is_control] for side in (a, b)]
    mine, others = ({key_of(run.spec["cell"]): run for run in runs} for runs in designed)
    return [(run, others[key]) for key, run in mine.items() if key in others]


def _refuse_unlike(pair: tuple[Run, Run], what: str) -> None:
    """Raise StudyError if both sides measure different things in a cell."""
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
